// Where a node is split best, from histograms of some or all of its inputs: on one machine, and
// where the histograms of a cluster come together.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/control.h"
#include "engine/coded.h"
#include "stages/grow/split.h"

namespace softwood::grow {

// All must outlive the growth.
struct BinnedPlan {
  const Schema& schema;
  const Options& options;
  std::span<const double> costs;  // of wrong answers; empty: every error costs 1
  const RowCoding& coding;
};

struct InputRange {
  size_t begin = 0, end = 0;
};

// A split with the sums that it leads to, in units of the coding.
struct FoundSplit : Found {
  std::vector<int64_t> child_sums;  // child after child
  std::vector<int64_t> missing;     // of the rows without a value

  void write(ByteWriter& out) const;
  static FoundSplit read(ByteReader& in);
};

// A split as a gate and as the child of every code, missing included.
struct Division {
  Gate gate;
  Missing missing;
  std::vector<uint32_t> child_of_code;
};
Division division_of(const Found& found, const FeatureBins& bins);

class BinSearch {
 public:
  using Histogram = std::vector<int64_t>;  // a cell of sums for every code of the inputs

  // Refuses options that do not go together.
  BinSearch(const BinnedPlan& plan, InputRange inputs);

  // First, from the sums of all rows; or with what that gave elsewhere.
  void start(std::span<const int64_t> root);
  void start(std::vector<double> factor);
  const std::vector<double>& factor() const { return target_.factor; }
  Target& target() { return target_; }

  size_t cells() const { return (offsets_.back()) * width_; }
  // The sums of a node: those over all codes of an input.
  std::vector<int64_t> sums_of(const Histogram& histogram) const;
  // Sums of a cell as numbers.
  std::vector<double> cell_of(std::span<const int64_t> sums) const;
  double weight_of(const double* cell) const;
  // All splits of which one may be the best when those of other inputs are known, by input.
  std::vector<FoundSplit> candidates(const Histogram& histogram) const;
  // The best of candidates of all inputs, in their order, with what it improves.
  FoundSplit best(std::span<const FoundSplit> candidates, std::span<const double> cell,
                  const Tree& tree, NodeIndex node, const Limits& limits) const;

 private:
  Found search_input(std::span<const double> node, const Histogram& histogram, size_t input,
                     Scratch& scratch) const;
  void to_numbers(const int64_t* from, std::span<double> cells) const;
  void set_sums(FoundSplit& split, const Histogram& histogram) const;

  const Schema& schema_;
  const Options& options_;
  const RowCoding& coding_;
  const InputRange inputs_;
  const double min_leaf_;
  const NominalSplit nominal_;
  const std::vector<double> feature_costs_;
  std::vector<double> altered_;  // weights of classes that stand for costs
  Target target_;                // without rows
  std::unique_ptr<SplitSearch> search_;
  const size_t width_;
  std::vector<uint32_t> offsets_;  // of the inputs of the range
};

// How the sums of new nodes come from those that are counted: which are asked for, and off whose
// parent's they are taken.
struct CountPlan {
  static constexpr uint64_t nobody = ~uint64_t{0};

  std::vector<uint64_t> next;           // nodes that stay open
  std::vector<uint64_t> rest_of;        // by next: the parent, where it is the heaviest child
  std::vector<uint64_t> asked;          // by node asked for: its place in next
  std::vector<uint64_t> subtract_from;  // by node asked for: its heaviest sibling's place in next

  void write(ByteWriter& out) const;
  static CountPlan read(ByteReader& in);
  // Histograms of `next`, of which the heaviest children have their parents' at first.
  void fill(std::span<const int64_t> sums, size_t cells,
            std::span<BinSearch::Histogram* const> next_histograms) const;
};

}  // namespace softwood::grow
