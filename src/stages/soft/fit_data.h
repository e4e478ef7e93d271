// What fits of soft trees start from, and the rows as their networks take them. Kept for all
// candidates that share them: greedy trees and products of inputs take long to make.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>

#include "gradient/compile.h"
#include "stages/finished_work.h"
#include "stages/soft/parts.h"
#include "stages/soft/settings.h"

namespace softwood::soft {

// What all fits of one run of the stage have in common.
struct FitRun {
  const Parts& parts;
  uint64_t seed;
  const Parallel& parallel;
  Control control;
  // With a budget: the end of it. Until then the last fit may go on; all else ends at
  // control.deadline, which is earlier.
  std::optional<Control::Clock::time_point> end_of_budget = {};
  bool stopped = false;              // by the user or the budget: what was begun is not complete
  FinishedWork* finished = nullptr;  // what a checkpoint keeps; null: nobody wants one

  const Table& table() const { return *parts.all()[0].table; }
  double rows() const { return static_cast<double>(std::max<size_t>(1, parts.rows())); }
  void note_stop(bool now) { stopped = stopped || now; }
  // Whether there is time left for the last fit, which has all of it now.
  bool grant_last_fit() {
    if (!end_of_budget || control.interrupted()) return false;
    control.deadline = end_of_budget;
    return Control::Clock::now() < *end_of_budget;
  }
  // About this share of the work is done.
  void report(double share) const { control.report("training", share); }
};

// The terms, or a greedy tree with its terms.
struct FitBasis {
  std::shared_ptr<const gradient::Inputs> inputs;
  std::shared_ptr<const gradient::CompiledTree> greedy;
  const gradient::Inputs& terms() const { return greedy ? greedy->inputs : *inputs; }
};

// A network with its numbers, and what it takes rows by.
struct FittedNetwork {
  FitBasis basis;
  gradient::Network net;
  std::vector<float> parameters;
};

// By data/typical.h: typical values, or those that say what missing cells say.
enum class Imputation : uint8_t { typical, informative };

// Preparing rows has no result before its end: interrupted, it throws an Error and keeps nothing
// half made.
class FitData {
 public:
  explicit FitData(const FitRun& run);

  // Of each part: what a fit to the others starts from, their rows, and those of the part.
  struct ByPart {
    std::vector<FitBasis> bases;
    std::vector<gradient::Rows<float>> train, held_out;
  };
  const ByPart& by_part(const Settings& settings);

  // What stands for missing cells from now on; what was made before is gone.
  void impute(Imputation by);
  Imputation imputation() const { return imputation_; }
  bool any_missing() const;

  // For a fit to the samples.
  FitBasis basis(const Settings& settings, std::span<const Sample> samples);
  gradient::Network network(const Settings& settings, const FitBasis& basis) const;
  gradient::Rows<float> rows(const FitBasis& basis, std::span<const Sample> samples) const;
  // Standardised inputs, without any map or product.
  gradient::Rows<float> plain_rows(std::span<const Sample> samples);

  // Numbers that a tree with these settings has.
  size_t size(const Settings& settings);
  bool has_gates(const Settings& settings);
  size_t outputs() const;  // of a leaf
  const gradient::TargetScale& scale() const { return scale_; }
  Derived& derived() { return derived_; }

 private:
  using Key = std::tuple<gradient::Map, gradient::Products, size_t, bool>;

  ByPart divided(const Settings& settings);
  void divide_rows(ByPart& by_part) const;
  std::shared_ptr<const gradient::Inputs> inputs_for(const Settings& settings);

  const FitRun& run_;
  const Table& table_;
  gradient::TargetScale scale_;
  std::vector<double> typical_;
  Imputation imputation_ = Imputation::typical;
  Derived derived_;
  std::map<Key, std::unique_ptr<ByPart>> by_part_;
  std::map<std::pair<gradient::Map, gradient::Products>, std::shared_ptr<const gradient::Inputs>>
      inputs_;
};

// Different features of the terms.
size_t features_of(const gradient::Inputs& inputs);

}  // namespace softwood::soft
