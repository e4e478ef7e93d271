// Candidates are fitted to parts of the rows and judged by others; those that can't win are dropped
// on the way.
#pragma once

#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "stages/auto/candidates.h"
#include "stages/auto/fitted.h"
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
  bool fits_all_rows;   // learning rows are all rows: a fit is the last one
};
// The rows divided, or all rows and the validation rows where there are some, or the parts that the
// caller has given; of very many rows some are drawn. No parts: there are too few rows.
Field field_of(const Context& context, Metric metric);

struct Entrant {
  Candidate candidate;
  TreeFigures figures;                // means over parts, rounded
  std::vector<double> losses, plain;  // by judging row, part after part
  size_t judged = 0;                  // parts
  double seconds = 0;                 // of the last fit to a part
  bool dropped = false;
  bool cut_short = false;           // the budget ended a fit to a part
  std::optional<Fitted> final_fit;  // fitted to all rows, where that is what was judged

  Mean loss(std::span<const double> weights) const {  // of as many rows as both have
    const size_t rows = std::min(weights.size(), losses.size());
    return mean_of(std::span(losses).first(rows), weights.first(rows));
  }
};

// Those that can be compared, by the same rows.
struct Judged {
  std::vector<const Entrant*> entrants;
  size_t rows = 0;  // of the table, where equal rows may be merged: rows_of(weights) counts them
  std::span<const double> weights;
  size_t parts = 0;
  size_t learning = 0;  // rows that each fit had, copies counted; 0: fits are what is returned
};

// Of what was judged so far.
struct SizeAndLoss {
  size_t parameters = 0;
  double loss = 0;
};
// Those that lose less than all that are no larger, as "3:0.69 9:0.41 141:0.25"; of many the ends
// and some between them.
std::string sizes_and_losses(std::vector<SizeAndLoss> list);

// The share of the time that is left which a fit to a part may take under a budget, so that there
// is as much time per row for the last fit.
double share_of_time(size_t learning, size_t rows);

// What a tree loses on the judging rows of the first part.
double loss_on_first_part(const Field& field, const Tree& tree);
// Whether a last fit was cut so short that on rows that it has seen it loses more than the same
// candidate did on them when it had not seen them: it is not what was judged then.
bool is_less_than_judged(const Field& field, const Entrant& judged, const Fitted& fit);

class Race {
 public:
  Race(const Field& field, std::vector<Candidate> candidates, const Wanted& wanted);

  // Ends early when told to stop; then `stopped` has a value.
  void run();

  Judged judged() const;
  // By the first part alone, which all had that were not stopped before it.
  Judged judged_by_first() const;
  const std::vector<Entrant>& all() const { return entrants_; }
  // A budget that ended single fits alone counts, too: what was judged depends on time.
  std::optional<Stopped> stopped() const {
    return stopped_ || !cut_short_ ? stopped_ : std::optional(Stopped::budget);
  }
  // Why the single leaf, which suits all rows that a tree can be grown from, could not be fitted;
  // null: it could.
  std::exception_ptr baseline_failure() const { return baseline_failure_; }
  // The best of those that are quick to fit and that are wanted, fitted to all rows; none: not yet.
  const std::optional<Fitted>& spare() const { return spare_; }
  double reserved() const { return reserved_; }  // seconds that are kept for the last fit
  const Entrant* spare_entrant() const { return spare_of_; }
  // Whether it is one of those that the spare is chosen from.
  bool may_be_spare(const Entrant& entrant) const;
  // Seconds in which a candidate is expected to be fitted to all rows.
  double expected_seconds(const Entrant& entrant) const;

 private:
  // What a fit was judged to be, which is what a checkpoint keeps of it.
  struct Verdict {
    std::vector<double> losses, plain;  // by judging row
    TreeFigures figures;
    double seconds = 0;
    bool cut_short = false;  // a checkpoint does not keep it

    Bytes bytes() const;
    // None where the bytes are not such, or of other rows.
    static std::optional<Verdict> of(const Bytes& bytes, size_t rows);
  };
  std::optional<Fitted> fit(const Candidate& candidate, std::span<const RowIndex> rows,
                            double share);
  // None where the fit was stopped. `fitted` gets it.
  std::optional<Verdict> verdict(const Candidate& candidate, const std::string& part,
                                 std::span<const RowIndex> learning, const Sample& judging,
                                 double share, std::optional<Fitted>& fitted);
  void try_small();
  void judge(size_t part, Effort effort);
  void judge_one(Entrant& entrant, size_t part);
  bool stands_for(const TreeFigures& other, const TreeFigures& one) const;
  void drop(size_t parts);
  void keep_spare();
  bool should_stop();
  void reserve();
  void tell(const Entrant& entrant);
  std::string frontier_so_far() const;
  Control inner_control();
  Judged judged_by(size_t parts) const;

  const Field& field_;
  const Wanted wanted_;
  FinishedWork finished_;
  std::vector<Entrant> entrants_;
  std::vector<double> weights_;
  std::optional<Stopped> stopped_;
  std::optional<Fitted> spare_;
  const Entrant* spare_of_ = nullptr;
  std::mutex mutex_;  // of what follows, of stopped_, and of entrants that are being judged
  bool cut_short_ = false;
  std::exception_ptr baseline_failure_;
  std::vector<SizeAndLoss> seen_;  // by entrant; what was not judged yet has no parameters
  size_t fits_done_ = 0, fits_planned_ = 1;
  double least_loss_ = -1;  // negative: none is known
  double reserved_ = 0;     // seconds for the last fit
};

}  // namespace softwood::choice
