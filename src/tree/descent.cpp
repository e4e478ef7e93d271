// The general descent: a block of rows goes down level by level, one visit of each gate a block.
#include <algorithm>
#include <cmath>

#include "tree/compiled.h"
#include "tree/node_weights.h"

namespace softwood {

namespace {

// The longer a block, the more rows share the visit of a gate. But the rows of a soft tree may
// reach every leaf, and then their shares should still fit into the second-level cache.
constexpr size_t most_shares = size_t{1} << 15;
constexpr size_t least_block = 1024, most_block = 8192;

// A share of the row at `position` of the block.
struct Share {
  uint32_t position;
  double weight;
};

// Shares [begin, end) of the level's list are at `node`.
struct Stop {
  NodeIndex node;
  size_t begin, end;
};

struct Landing {
  uint32_t position;
  NodeIndex node;
  double weight;
};

class Descent {
 public:
  Descent(const Tree& tree, const Table& table) : tree_(tree), table_(table) {}

  void run(NodeIndex top, std::span<const RowIndex> rows, std::vector<Arrival>& out) {
    rows_ = rows;
    landings_.clear();
    if (shares_.size() < rows.size()) shares_.resize(rows.size());
    for (uint32_t i = 0; i < rows.size(); ++i) shares_[i] = {i, 1.0};
    stops_.assign(1, {top, 0, rows.size()});
    while (!stops_.empty()) {
      next_count_ = 0;
      next_stops_.clear();
      for (const Stop& stop : stops_) pass(stop);
      shares_.swap(next_shares_);
      stops_.swap(next_stops_);
    }
    sort_landings(out);
  }

 private:
  void land(const Share& share, NodeIndex node) {
    landings_.push_back({share.position, node, share.weight});
  }

  void pass(const Stop& stop) {
    const Node& node = tree_.node(stop.node);
    const std::span<const Share> here(&shares_[stop.begin], stop.end - stop.begin);
    if (node.is_leaf()) {
      for (const Share& share : here) land(share, stop.node);
      return;
    }
    gate_rows_.resize(here.size());
    for (size_t i = 0; i < here.size(); ++i) gate_rows_[i] = rows_[here[i].position];
    weights_.compute(node, table_, gate_rows_);
    weights_.apply_rule(node, node.missing(), table_, tree_.typical());
    send(stop.node, node, here);
  }

  void send(NodeIndex index, const Node& node, std::span<const Share> here) {
    const size_t children = weights_.children();
    if (node.missing().rule == MissingRule::stay) {
      for (size_t i = 0; i < here.size(); ++i) {
        if (std::isnan(weights_.weights()[i * children])) land(here[i], index);
      }
    }
    for (size_t c = 0; c < children; ++c) {
      const size_t begin = next_count_;
      if (next_shares_.size() < begin + here.size()) {
        next_shares_.resize(2 * (begin + here.size()));
      }
      Share* const out = next_shares_.data();
      const double* const weights = weights_.weights().data() + c;
      for (size_t i = 0; i < here.size(); ++i) {
        const double weight = here[i].weight * weights[i * children];
        // Written in any case and kept if it counts: no branch to guess wrong. A row that goes to
        // none of these children has no weight here, its weights are NaN or 0.
        out[next_count_] = {here[i].position, weight};
        next_count_ += weight > negligible_share ? 1 : 0;
      }
      add_stop(node.first_child + static_cast<NodeIndex>(c), begin);
    }
    if (node.missing().rule == MissingRule::own) {
      const size_t begin = next_count_;
      if (next_shares_.size() < begin + weights_.missing().size())
        next_shares_.resize(2 * (begin + weights_.missing().size()));
      for (const uint32_t i : weights_.missing()) next_shares_[next_count_++] = here[i];
      add_stop(node.first_child + static_cast<NodeIndex>(children), begin);
    }
  }

  void add_stop(NodeIndex node, size_t begin) {
    if (next_count_ > begin) next_stops_.push_back({node, begin, next_count_});
  }

  // Going down level by level is ascending already when the tree is in canonical order.
  static void sort_row(Arrival* begin, Arrival* end) {
    const auto before = [](const Arrival& a, const Arrival& b) { return a.node < b.node; };
    if (!std::is_sorted(begin, end, before)) std::sort(begin, end, before);
  }

  // By row; the landings of one row in ascending node order.
  void sort_landings(std::vector<Arrival>& out) {
    starts_.assign(rows_.size() + 1, 0);
    for (const Landing& landing : landings_) ++starts_[landing.position + 1];
    for (size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
    const size_t base = out.size();
    out.resize(base + landings_.size());
    std::vector<size_t>& next = starts_;
    for (const Landing& landing : landings_) {
      out[base + next[landing.position]++] = {rows_[landing.position], landing.node,
                                              landing.weight};
    }
    // next[i] is now the end of row i.
    size_t begin = 0;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (next[i] - begin > 1) sort_row(out.data() + base + begin, out.data() + base + next[i]);
      begin = next[i];
    }
  }

  const Tree& tree_;
  const Table& table_;
  std::span<const RowIndex> rows_;
  std::vector<Share> shares_, next_shares_;  // only grow; stops and next_count_ say what is in use
  size_t next_count_ = 0;
  std::vector<Stop> stops_, next_stops_;
  std::vector<Landing> landings_;
  std::vector<RowIndex> gate_rows_;
  NodeWeights weights_;
  std::vector<size_t> starts_;
};

}  // namespace

void Compiled::arrivals(const Table& table, std::span<const RowIndex> rows,
                        std::vector<Arrival>& out) const {
  out.clear();
  Descent descent(tree_, table);
  const size_t spread = single_path_ ? 1 : tree_.size() / 2 + 1;
  const size_t block_rows = std::clamp(most_shares / spread, least_block, most_block);
  for (size_t begin = 0; begin < rows.size(); begin += block_rows) {
    descent.run(0, rows.subspan(begin, std::min(block_rows, rows.size() - begin)), out);
  }
}

std::vector<NodeIndex> end_nodes_below(const Tree& tree, NodeIndex top, const Table& table,
                                       std::span<const RowIndex> rows) {
  Descent descent(tree, table);
  std::vector<Arrival> arrivals;
  for (size_t begin = 0; begin < rows.size(); begin += most_block) {
    descent.run(top, rows.subspan(begin, std::min(most_block, rows.size() - begin)), arrivals);
  }
  std::vector<NodeIndex> nodes(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) nodes[i] = arrivals[i].node;
  return nodes;
}

}  // namespace softwood
