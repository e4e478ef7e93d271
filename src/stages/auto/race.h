// Candidates are fitted to parts of the rows and judged by others; those that can't win are dropped
// on the way.
#pragma once

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "stages/auto/candidates.h"
#include "stages/auto/losses.h"
#include "stages/finished_work.h"
#include "stages/stage.h"

namespace softwood::choice {

// Rows to learn from and rows to judge by.
struct Part {
  std::vector<RowIndex> learning, judging;
};

// What is judged, and by what.
struct Field {
  const Context& context;
  Metric metric, plain;
  std::vector<Part> parts;
  const Table* judges;  // the table of judging rows
  bool whole;           // learning rows are all rows: a fit is the last one
};
// The rows divided, or all rows and the validation rows where there are some, or the parts that the
// caller has given. No parts: there are too few rows.
Field field_of(const Context& context, Metric metric);

struct Entrant {
  Candidate candidate;
  Looks looks;                        // means over parts, rounded
  std::vector<double> losses, plain;  // by judging row, part after part
  size_t judged = 0;                  // parts
  double seconds = 0;                 // of the last fit to a part
  bool dropped = false;
  std::optional<Tree> whole;  // fitted to all rows, where that is what was judged

  Mean loss(std::span<const double> weights) const {  // of as many rows as both have
    const size_t rows = std::min(weights.size(), losses.size());
    return mean_of(std::span(losses).first(rows), weights.first(rows));
  }
};

// Those that can be compared, by the same rows.
struct Judged {
  std::vector<const Entrant*> entrants;
  size_t rows = 0;
  std::span<const double> weights;
  size_t learning = 0;  // rows that each fit had; 0: the fits are the trees that are returned
};

class Race {
 public:
  Race(const Field& field, std::vector<Candidate> candidates);

  // Ends early when told to stop; then `stopped` has a value.
  void run();

  Judged judged() const;
  const std::vector<Entrant>& all() const { return entrants_; }
  std::optional<Stopped> stopped() const { return stopped_; }
  // The best of those that are quick to fit, fitted to all rows; none: not yet.
  const std::optional<Tree>& spare() const { return spare_; }
  const Entrant* spare_entrant() const { return spare_of_; }
  // Seconds in which a candidate is expected to be fitted to all rows.
  double expected_seconds(const Entrant& entrant) const;

 private:
  struct Fit {
    Tree tree;
    double seconds = 0;
  };
  // What a fit was judged to be, which is what a checkpoint keeps of it.
  struct Verdict {
    std::vector<double> losses, plain;  // by judging row
    Looks looks;
    double seconds = 0;

    Bytes bytes() const;
    // None where the bytes are not such, or of other rows.
    static std::optional<Verdict> of(const Bytes& bytes, size_t rows);
  };
  std::optional<Fit> fit(const Candidate& candidate, std::span<const RowIndex> rows);
  // None where the fit was stopped. `whole` gets its tree.
  std::optional<Verdict> verdict(const Candidate& candidate, const std::string& part,
                                 std::span<const RowIndex> learning, const Sample& judging,
                                 std::optional<Tree>& whole);
  void try_small();
  void judge(size_t part, Effort effort);
  void judge_one(Entrant& entrant, size_t part);
  bool stands_for(const Looks& other, const Looks& one) const;
  void drop(size_t parts);
  void keep_spare();
  bool should_stop();
  void tell(const Entrant& entrant);
  Control inner_control() const;

  const Field& field_;
  FinishedWork finished_;
  std::vector<Entrant> entrants_;
  std::vector<double> weights_;
  std::optional<Stopped> stopped_;
  std::optional<Tree> spare_;
  const Entrant* spare_of_ = nullptr;
  std::mutex mutex_;
  size_t fits_done_ = 0, fits_planned_ = 1;
  double least_loss_ = -1;  // negative: none is known
  double reserved_ = 0;     // seconds for the last fit
};

}  // namespace softwood::choice
