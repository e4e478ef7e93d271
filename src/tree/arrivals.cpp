// Arrivals by the general descent: which shares of which rows end where.
#include <algorithm>

#include "tree/compiled.h"

namespace softwood {

namespace {

// The rows of a soft tree may reach every leaf; their shares should still fit into the second-level
// cache.
constexpr size_t most_shares = size_t{1} << 15;
constexpr size_t least_block_rows = 1024;

struct Landing {
  uint32_t position;
  NodeIndex node;
  double weight;
};

struct Landings : DescentVisitor {
  std::vector<Landing> all;
  void end(NodeIndex node, const Share& share) {
    all.push_back({share.position, node, share.weight});
  }
};

class Arriving {
 public:
  Arriving(const Tree& tree, const Table& table) : descent_(tree, table, negligible_share) {}

  // Appends the arrivals of rows that begin at `top`.
  void run(NodeIndex top, std::span<const RowIndex> rows, std::vector<Arrival>& out) {
    landings_.all.clear();
    for (auto i = static_cast<uint32_t>(start_.size()); i < rows.size(); ++i) {
      start_.push_back({i, 1.0});
    }
    descent_.run(top, rows, std::span(start_).first(rows.size()), landings_);
    sort_landings(rows, out);
  }

 private:
  // Going down level by level is ascending already when the tree is in canonical order.
  static void sort_row(Arrival* begin, Arrival* end) {
    const auto before = [](const Arrival& a, const Arrival& b) { return a.node < b.node; };
    if (!std::is_sorted(begin, end, before)) std::sort(begin, end, before);
  }

  // By row; the landings of one row in ascending node order.
  void sort_landings(std::span<const RowIndex> rows, std::vector<Arrival>& out) {
    starts_.assign(rows.size() + 1, 0);
    for (const Landing& landing : landings_.all) ++starts_[landing.position + 1];
    for (size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
    const size_t base = out.size();
    out.resize(base + landings_.all.size());
    std::vector<size_t>& next = starts_;
    for (const Landing& landing : landings_.all) {
      out[base + next[landing.position]++] = {rows[landing.position], landing.node, landing.weight};
    }
    // next[i] is now the end of row i.
    size_t begin = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (next[i] - begin > 1) sort_row(out.data() + base + begin, out.data() + base + next[i]);
      begin = next[i];
    }
  }

  Descent descent_;
  std::vector<Share> start_;  // whole rows
  Landings landings_;
  std::vector<size_t> starts_;
};

}  // namespace

void Compiled::general_arrivals(const Table& table, std::span<const RowIndex> rows,
                                std::vector<Arrival>& out) const {
  Arriving arriving(tree_, table);
  const size_t spread = single_path_ ? 1 : tree_.size() / 2 + 1;
  const size_t block = std::clamp(most_shares / spread, least_block_rows, most_block_rows);
  for (size_t begin = 0; begin < rows.size(); begin += block) {
    arriving.run(0, rows.subspan(begin, std::min(block, rows.size() - begin)), out);
  }
}

std::vector<NodeIndex> end_nodes_below(const Tree& tree, NodeIndex top, const Table& table,
                                       std::span<const RowIndex> rows) {
  Arriving arriving(tree, table);
  std::vector<Arrival> arrivals;
  for (size_t begin = 0; begin < rows.size(); begin += most_block_rows) {
    arriving.run(top, rows.subspan(begin, std::min(most_block_rows, rows.size() - begin)),
                 arrivals);
  }
  std::vector<NodeIndex> nodes(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) nodes[i] = arrivals[i].node;
  return nodes;
}

}  // namespace softwood
