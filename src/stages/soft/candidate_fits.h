// Soft trees of a full shape, fitted with different settings to the same rows and compared by rows
// that were held out.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <tuple>

#include "gradient/compile.h"
#include "stages/soft/parts.h"

namespace softwood::soft {

struct Settings {
  size_t depth = 4;
  // 0: a full tree with random gates; else training starts from a greedy tree with at most so many
  // leaves.
  size_t greedy_leaves = 0;
  bool linear_leaves = false;
  gradient::Map map = gradient::Map::none;
  gradient::Products products = gradient::Products::none;
  size_t most_features = 0;     // of a gate; 0: any number
  size_t steps_before_cut = 0;  // to that number; 0: as many as are best
  double most_work = 0;  // operations of a fit, by row, that its steps are held to; 0: any number
  double effort = 1;     // share of the steps that are made
  gradient::Schedule schedule;
};

// Whether trees with such terms and leaves differ in nothing but their size and their training.
inline bool same_make(const Settings& a, const Settings& b) {
  return a.map == b.map && a.products == b.products && a.linear_leaves == b.linear_leaves &&
         (a.greedy_leaves > 0) == (b.greedy_leaves > 0);
}
// Whether they differ in nothing but their training.
inline bool same_shape(const Settings& a, const Settings& b) {
  return same_make(a, b) &&
         (a.greedy_leaves > 0 ? a.greedy_leaves == b.greedy_leaves : a.depth == b.depth);
}

// Whether they come to the same fit.
inline bool same_fit(const Settings& a, const Settings& b) {
  return same_shape(a, b) && a.schedule.decay == b.schedule.decay && a.most_work == b.most_work &&
         a.effort == b.effort;
}

struct Fitted {
  Settings settings;
  uint64_t start = 0;         // number of the start
  double held_out_loss = 0;   // mean over the held-out parts: squared error, or loss
  std::vector<float> losses;  // of the held-out rows, weights counted; held_out_loss is their mean
  double passes = 0;          // over the rows, after which the fits were best
  double passes_before_cut = 0;                // to few terms
  std::vector<std::vector<float>> parameters;  // of the fits, part by part
  bool stopped = false;                        // before the end, by the user
};

struct Finished {
  Tree tree;
  const Fitted* made_as;  // of the pool
  bool taught;
};

class CandidateFits {
 public:
  CandidateFits(const Parts& parts, uint64_t seed, const Parallel& parallel,
                const Control& control);

  size_t numeric_inputs() const;
  size_t outputs() const;  // of a leaf
  double rows() const { return static_cast<double>(std::max<size_t>(1, parts_.rows())); }
  // About this share of the work is done; the rest is the last fit.
  void report(double share) const { control_.report("training", share); }
  // At most this deep are trees whose leaves have about a thousand outputs together.
  size_t largest_depth(size_t wanted) const;
  // Numbers that a tree with these settings has.
  size_t size(const Settings& settings);
  bool stopped() const { return stopped_; }

  // Of each candidate the best of the starts, the first of equals.
  std::vector<Fitted> fit_all(const std::vector<Settings>& candidates, size_t starts);
  // Fits once more to all rows, for as many passes over them as were best, and makes the tree. With
  // more than one teacher so many trees are fitted, of those kinds in `pool` that answer best
  // together, and one like `best` that answers as all of them in the mean; with `any_kind` the
  // smallest of all kinds that does so about as well as any.
  Finished finish(const Fitted& best, const std::vector<Fitted>& pool, size_t teachers,
                  bool any_kind);

 private:
  // What a fit starts from: the terms, or a greedy tree with its terms.
  struct FitData {
    std::shared_ptr<const gradient::Inputs> inputs;
    std::shared_ptr<const gradient::CompiledTree> greedy;
    const gradient::Inputs& terms() const { return greedy ? greedy->inputs : *inputs; }
  };
  struct Prepared {
    std::vector<FitData> grounds;
    std::vector<gradient::Rows<float>> train, held_out;  // for each part
  };
  struct Model {
    FitData ground;
    gradient::Network net;
    std::vector<float> parameters;
  };
  using Key = std::tuple<gradient::Map, gradient::Products, size_t, bool>;

  const Prepared& prepared(const Settings& settings);
  std::shared_ptr<const gradient::Inputs> inputs_for(const Settings& settings);
  FitData ground_of(const Settings& settings, std::span<const Sample> samples);
  gradient::Rows<float> rows_of(const FitData& ground, std::span<const Sample> samples) const;
  gradient::Network network(const Settings& settings, const FitData& ground) const;
  gradient::Outcome fit(const Settings& settings, const FitData& ground,
                        const gradient::Rows<float>& rows, const gradient::Rows<float>* held_out,
                        uint64_t start) const;
  // What the fits to all but one part each come to together.
  Fitted judged(std::span<gradient::Outcome> outcomes, const Prepared& data) const;
  // For a fit to other rows, without any held out.
  Settings settings_for(const Fitted& fitted, size_t rows);
  // Each member from a start of its own, greedy trees from rows of their own. All rows have a part
  // in the fit of the `whole` first ones.
  std::vector<Model> fit_members(const std::vector<const Fitted*>& members,
                                 const std::vector<Sample>& samples, size_t whole);
  // Of which kinds the teachers shall be, one entry for each of them; and how many of them stand
  // for trees with random cuts.
  struct Committee {
    std::vector<const Fitted*> trees;
    size_t random = 0;
  };
  Committee committee(const std::vector<const Fitted*>& kinds, size_t members);
  std::vector<double> mean_answers(std::span<const Model> models,
                                   std::span<const Sample> samples) const;
  // A single leaf: what there is when the training is stopped at once.
  Model untrained(const Prepared& data);
  struct Teachers {
    std::span<const Model> trees;
    size_t random;  // times the answer of trees with random cuts counts
  };
  // Of trees with random cuts, grown from the samples, as answers_of in teach.h has it.
  std::vector<double> random_answers(std::span<const Sample> samples,
                                     std::span<const Sample> asked);
  // In the mean.
  std::vector<double> answers_of(const Teachers& teachers, std::span<const Sample> asked);
  bool has_gates(const Fitted& fitted);
  // The smallest of those that learned about as well as the best.
  size_t smallest_of_best(std::span<const gradient::Outcome> outcomes,
                          const std::vector<const Fitted*>& fitted);
  // Trains the pupils to answer as the teachers do; the number of the one that then does so best
  // for other rows than it was taught. The first, and all as they were, when stopped.
  size_t teach(std::span<Model> pupils, const std::vector<const Fitted*>& fitted,
               const Teachers& teachers);

  const Parts& parts_;
  const Table& table_;
  uint64_t seed_;
  const Parallel& parallel_;
  const Control& control_;
  gradient::TargetScale scale_;
  std::vector<double> typical_;
  Derived derived_;
  std::map<Key, std::unique_ptr<Prepared>> prepared_;
  std::map<std::pair<gradient::Map, gradient::Products>, std::shared_ptr<const gradient::Inputs>>
      inputs_;
  bool stopped_ = false;
};

}  // namespace softwood::soft
