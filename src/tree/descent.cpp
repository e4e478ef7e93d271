// The general descent: a block of rows goes down level by level, one visit of each gate a block.
#include <algorithm>
#include <cmath>

#include "tree/compiled.h"

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

  void run(std::span<const RowIndex> rows, std::vector<Arrival>& out) {
    rows_ = rows;
    landings_.clear();
    if (shares_.size() < rows.size()) shares_.resize(rows.size());
    for (uint32_t i = 0; i < rows.size(); ++i) shares_[i] = {i, 1.0};
    stops_.assign(1, {0, 0, rows.size()});
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
    const size_t children = gate_children(node.gate());
    gate_rows_.resize(here.size());
    for (size_t i = 0; i < here.size(); ++i) gate_rows_[i] = rows_[here[i].position];
    weights_.resize(here.size() * children);
    gate_weights(node.gate(), table_, gate_rows_, weights_);
    fill_missing(node, children, here.size());
    send(stop.node, node, children, here);
  }

  // Rows without weights get those of the first surrogate that can be computed, else those of the
  // missing rule. A row that stays, or has a child of its own, keeps a first weight of NaN.
  void fill_missing(const Node& node, size_t children, size_t count) {
    missing_.clear();
    for (uint32_t i = 0; i < count; ++i) {
      if (std::isnan(weights_[i * children])) missing_.push_back(i);
    }
    for (const Surrogate& surrogate : node.missing().surrogates) {
      if (missing_.empty()) return;
      try_surrogate(surrogate.gate, children);
    }
    for (const uint32_t i : missing_) {
      double* const row = &weights_[i * children];
      switch (node.missing().rule) {
        case MissingRule::impute:
          typical_weights(node.gate(), table_, gate_rows_[i], tree_.typical(), {row, children});
          if (!std::isnan(row[0])) break;
          [[fallthrough]];
        case MissingRule::child:
          std::fill_n(row, children, 0.0);
          row[node.missing().child] = 1.0;
          break;
        case MissingRule::shares:
          std::copy_n(node.missing().shares.begin(), children, row);
          break;
        case MissingRule::stay:
        case MissingRule::own:
          break;
      }
    }
  }

  void try_surrogate(const Gate& surrogate, size_t children) {
    surrogate_rows_.clear();
    for (const uint32_t i : missing_) surrogate_rows_.push_back(gate_rows_[i]);
    surrogate_weights_.resize(missing_.size() * children);
    gate_weights(surrogate, table_, surrogate_rows_, surrogate_weights_);
    size_t left = 0;
    for (size_t m = 0; m < missing_.size(); ++m) {
      const double* const row = &surrogate_weights_[m * children];
      if (std::isnan(row[0])) {
        missing_[left++] = missing_[m];
      } else {
        std::copy_n(row, children, &weights_[missing_[m] * children]);
      }
    }
    missing_.resize(left);
  }

  void send(NodeIndex index, const Node& node, size_t children, std::span<const Share> here) {
    if (node.missing().rule == MissingRule::stay) {
      for (size_t i = 0; i < here.size(); ++i) {
        if (std::isnan(weights_[i * children])) land(here[i], index);
      }
    }
    for (size_t c = 0; c < children; ++c) {
      const size_t begin = next_count_;
      if (next_shares_.size() < begin + here.size()) {
        next_shares_.resize(2 * (begin + here.size()));
      }
      Share* const out = next_shares_.data();
      const double* const weights = weights_.data() + c;
      for (size_t i = 0; i < here.size(); ++i) {
        const double weight = here[i].weight * weights[i * children];
        // Written in any case and kept if it counts: no branch to guess wrong. A row that goes to
        // none of these children has no weight here, its weights are NaN or 0.
        out[next_count_] = {here[i].position, weight};
        next_count_ += weight > 0 ? 1 : 0;
      }
      add_stop(node.first_child + static_cast<NodeIndex>(c), begin);
    }
    if (node.missing().rule == MissingRule::own) {
      const size_t begin = next_count_;
      if (next_shares_.size() < begin + missing_.size())
        next_shares_.resize(2 * (begin + missing_.size()));
      for (const uint32_t i : missing_) next_shares_[next_count_++] = here[i];
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
  std::vector<RowIndex> gate_rows_, surrogate_rows_;
  std::vector<double> weights_, surrogate_weights_;
  std::vector<uint32_t> missing_;
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
    descent.run(rows.subspan(begin, std::min(block_rows, rows.size() - begin)), out);
  }
}

}  // namespace softwood
