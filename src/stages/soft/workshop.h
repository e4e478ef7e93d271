// Soft trees of a full shape, fitted with different settings to the same rows and compared by rows
// that were held out.
#pragma once

#include <map>
#include <memory>

#include "stages/gradient/emit.h"
#include "stages/gradient/start.h"

namespace softwood::soft {

struct Settings {
  size_t depth = 4;
  bool linear_leaves = false;
  gradient::Map map = gradient::Map::none;
  gradient::Products products = gradient::Products::none;
  double spread = 1;      // of the gates' scores at the start
  size_t most_terms = 0;  // of a gate; 0: any number
  double most_work = 0;   // operations of a fit, by row, that its steps are held to; 0: any number
  gradient::Schedule schedule;
};

struct Fitted {
  Settings settings;
  uint64_t start = 0;             // number of the start
  double badness = 0;             // mean over the held-out parts: squared error, or loss
  double passes = 0;              // over the rows, after which the fits were best
  std::vector<float> parameters;  // of the first fit
};

// The rows in parts: each part is judged by a tree that is fitted to the others. With validation
// rows these are one part and the training rows the other; else the training rows are divided.
class Parts {
 public:
  Parts(const Context& context, size_t folds);
  Parts(const Parts&) = delete;

  const std::vector<Sample>& samples() const { return samples_; }
  std::vector<Sample> others(size_t part) const;  // all, when there is only one
  size_t rows() const;

 private:
  std::vector<std::vector<RowIndex>> rows_;
  std::vector<Sample> samples_;
};

class Workshop {
 public:
  Workshop(const Parts& parts, uint64_t seed, const Parallel& parallel, const Control& control);

  size_t numeric_inputs() const;
  size_t outputs() const;  // of a leaf
  // At most this deep are trees whose leaves have about a thousand outputs together.
  size_t largest_depth(size_t wanted) const;
  bool stopped() const { return stopped_; }

  // Of each candidate the best of the starts, the first of equals.
  std::vector<Fitted> fit_all(const std::vector<Settings>& candidates, size_t starts);
  // Fits once more to all rows, for as many passes over them as were best, and makes the tree.
  Tree finish(const Fitted& best);

 private:
  struct Prepared {
    gradient::Inputs inputs;
    std::vector<gradient::Rows<float>> train, held_out;  // for each part
  };
  const Prepared& prepared(const Settings& settings);
  gradient::Network network(const Settings& settings, const gradient::Inputs& inputs) const;
  gradient::Outcome fit(const Settings& settings, const gradient::Inputs& inputs,
                        const gradient::Rows<float>& rows, const gradient::Rows<float>* held_out,
                        uint64_t start) const;

  const Parts& parts_;
  const Table& table_;
  uint64_t seed_;
  const Parallel& parallel_;
  const Control& control_;
  gradient::TargetScale scale_;
  std::vector<double> typical_;
  std::map<std::pair<gradient::Map, gradient::Products>, std::unique_ptr<Prepared>> prepared_;
  bool stopped_ = false;
};

}  // namespace softwood::soft
