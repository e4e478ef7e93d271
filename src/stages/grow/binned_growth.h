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
#include "stages/grow/bin_search.h"
#include "stats/code_tree.h"

namespace softwood::grow {

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

// A tree of binned growth as divisions of codes.
CodeTree code_tree_of(const Tree& tree, const std::vector<FeatureBins>& bins);

class BinnedGrowth {
 public:
  using Histogram = BinSearch::Histogram;
  struct SmallNode {
    NodeIndex node = 0;
    size_t depth = 0;
  };

  explicit BinnedGrowth(const BinnedPlan& plan, std::optional<GrowthStart> start = {});

  // Nodes are left to others, take_small(), of which this is true by their weight and by how many
  // levels they may get more.
  using IsSmall = std::function<bool(double weight, size_t levels)>;
  void leave_small(IsSmall is_small) { is_small_ = std::move(is_small); }

  // First: the sums of all rows, those that a query for node 0 gives.
  void set_root(Histogram sums);
  // Where histograms are elsewhere: the sums of all rows, and the candidates that were found there.
  using Candidates = std::vector<FoundSplit>;
  void set_root(std::vector<int64_t> sums, Candidates candidates);
  bool has_open() const { return !open_.empty(); }
  // Splits nodes whose sums are there, of at most about so many cells; their children's sums are
  // to be counted next: where there are any (`nodes`), or the rows must be divided in any case.
  HistogramQuery divide(size_t most_cells, const Parallel& parallel, const Control& control);
  void count(std::span<const int64_t> sums);
  // How the sums of the last divide() are put together, and what was found in them, by plan().next.
  const CountPlan& plan() const { return pending_.plan; }
  void take_candidates(std::vector<Candidates> candidates);
  // Open nodes that the last divide() has left for another one.
  std::vector<NodeIndex> waiting() const;
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
  size_t cells() const { return search_.cells(); }
  const std::vector<double>& factor() const { return search_.factor(); }

 private:
  struct OpenNode {
    NodeIndex node = 0;
    size_t depth = 0;
    std::vector<int64_t> sums;
    Histogram histogram;    // empty: it is elsewhere
    Candidates candidates;  // then these were found there
  };
  struct Pending {
    std::vector<OpenNode> next;
    CountPlan plan;
  };

  void start(std::span<const int64_t> root);
  void open_root(OpenNode root);
  void finish_split(OpenNode& open, const FoundSplit& split, NodeIndex first,
                    HistogramQuery& query);
  HistogramQuery apply(std::vector<OpenNode> nodes, const std::vector<FoundSplit>& found);
  FoundSplit find_split(const OpenNode& open, const Control& control) const;
  NodeIndex split(const OpenNode& open, const FoundSplit& found, HistogramQuery& query);
  void set_node_sums(NodeIndex node, std::span<const double> cell);

  const RowCoding& coding_;
  Limits limits_;
  std::optional<GrowthStart> start_;
  BinSearch search_;
  const size_t width_;
  double deviation_ = 0, settled_ = 0;
  IsSmall is_small_;
  bool pure_ = false;  // regression: all targets are equal
  BinnedTree grown_;
  std::vector<OpenNode> open_;
  std::vector<SmallNode> small_;
  Pending pending_;
};

}  // namespace softwood::grow
