// The decisions of binned growth, from sums alone: where the rows are is not known here. Growing
// says which sums it needs next, gets them, and goes on; on one machine and in a cluster.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/control.h"
#include "base/parallel.h"
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

// What a part of a tree must know of the whole one to be grown by itself.
struct GrowthStart {
  size_t depth = 0;
  double root_weight = 0;
  double deviation = 0;        // per weight: what is assumed before it is known
  std::vector<double> factor;  // Target::factor

  void write(ByteWriter& out) const;
  static GrowthStart read(ByteReader& in);
};

// A tree of which every node knows its mean, measured from the centre (regression).
struct BinnedTree {
  Tree tree;
  std::vector<double> centred_mean;

  void write(ByteWriter& out) const;
  static BinnedTree read(ByteReader& in, Task task, size_t classes);
};

// All splits of a tree of binned growth as divisions of codes.
HistogramQuery splits_of(const Tree& tree, const std::vector<FeatureBins>& bins);

class BinnedGrowth {
 public:
  using Histogram = std::vector<int64_t>;
  struct SmallNode {
    NodeIndex node = 0;
    size_t depth = 0;
  };

  explicit BinnedGrowth(const BinnedPlan& plan, std::optional<GrowthStart> start = {});

  // Nodes of at most this weight that may get several levels more are left to others: take_small().
  void leave_small(double weight) { small_weight_ = weight; }

  // First: the sums of all rows, those that a query for node 0 gives.
  void set_root(Histogram sums);
  bool has_open() const { return !open_.empty(); }
  // Splits nodes whose sums are there, of at most about so many cells; their children's sums are
  // to be counted next: where there are any (`nodes`), or the rows must be divided in any case.
  HistogramQuery divide(size_t most_cells, const Parallel& parallel, const Control& control);
  void count(std::span<const int64_t> sums);
  // Best leaf first, up to the limit of leaves.
  using Ask = std::function<Histogram(const HistogramQuery&)>;
  void grow_best_first(const Ask& ask, const Control& control);
  bool limits_leaves() const;

  std::vector<SmallNode> take_small() { return std::exchange(small_, {}); }
  GrowthStart start_of(const SmallNode& node) const;
  // The tree that was grown from the node's rows.
  void graft(NodeIndex node, const BinnedTree& part);

  // Regression: to be asked when all splits are made; whether it must be.
  bool wants_deviations() const;
  DeviationQuery deviation_query() const;
  void set_deviations(const Deviations& deviations);

  const Tree& tree() const { return grown_.tree; }
  BinnedTree take() { return std::move(grown_); }
  double settled() const { return settled_; }  // weight of the rows whose leaf stays one
  size_t cells() const { return offsets_.back() * width_; }

 private:
  struct OpenNode {
    NodeIndex node = 0;
    size_t depth = 0;
    Histogram histogram;
  };
  // Where each histogram that was asked for goes: to its node, and off the heaviest sibling's.
  struct Pending {
    std::vector<OpenNode> next;
    std::vector<size_t> asked, subtract_from;
  };

  void start_search(std::span<const double> root);
  void finish_split(OpenNode& open, uint32_t children, NodeIndex first, HistogramQuery& query);
  HistogramQuery apply(std::vector<OpenNode> nodes, const std::vector<Found>& found);
  Found find_split(const OpenNode& open, const Control& control) const;
  std::vector<double> cell_of(const Histogram& histogram) const;
  double weight_of(const double* cell) const;
  Found search_feature(std::span<const double> node, const Histogram& histogram, uint32_t feature,
                       Scratch& scratch) const;
  void to_numbers(const int64_t* from, std::vector<double>& cells) const;
  NodeIndex split(const OpenNode& open, const Found& found, HistogramQuery& query);
  void set_child_sums(const OpenNode& open, uint32_t feature, NodeIndex first, uint32_t children,
                      const uint32_t* child_of_code);
  void set_node_sums(NodeIndex node, std::span<const double> cell);

  const Schema& schema_;
  const Options& options_;
  const RowCoding& coding_;
  Limits limits_;
  const NominalSplit nominal_;
  const std::vector<double> feature_costs_;
  std::vector<double> altered_;  // weights of classes that stand for costs
  std::optional<GrowthStart> start_;
  Target target_;  // without rows
  std::unique_ptr<SplitSearch> search_;
  const size_t width_;
  std::vector<uint32_t> offsets_;
  double deviation_ = 0, small_weight_ = 0, settled_ = 0;
  bool pure_ = false;  // regression: all targets are equal
  BinnedTree grown_;
  std::vector<OpenNode> open_;
  std::vector<SmallNode> small_;
  Pending pending_;
};

}  // namespace softwood::grow
