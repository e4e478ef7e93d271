// Surrogate splits of rpart, as recorded by `make peers`.
#include <gtest/gtest.h>

#include "support/grow.h"
#include "support/records.h"
#include "support/rpart_frame.h"
#include "use/predict.h"

namespace softwood {
namespace {

using nlohmann::json;

// The cells that the record of this kind has emptied.
Table with_holes(const Table& table) {
  std::vector<Column> inputs;
  for (size_t j = 0; j < table.features(); ++j) {
    ColumnDraft column(table.input(j));
    for (size_t i = 0; i < table.rows(); ++i) {
      if ((7 * i + 13 * j) % 10 != 0) continue;
      if (column.kind == Kind::numeric) {
        column.numbers[i] = missing_number;
      } else {
        column.codes[i] = missing_code;
      }
    }
    inputs.push_back(std::move(column));
  }
  return {table.schema(), table.rows(), std::move(inputs), table.target(), {}};
}

// Compares the surrogates of nodes with the same split and the same rows.
//
// rpart asks of a nominal surrogate at least two rows that it sends *unlike* the split (a slip: the
// comment beside it in choose_surg.c says two rows each way), so it has no nominal surrogate that
// is perfect. Softwood asks for two rows each way of all surrogates. What only one of them accepts
// for this reason is left out.
class Comparison {
 public:
  Comparison(const Tree& tree, const Table& table, const json& frame)
      : tree_(tree), table_(table), frame_(frame), rows_(tree.size()) {
    const std::vector<NodeIndex> parents = parents_of(tree);
    const std::vector<NodeIndex> ends = predict_nodes(tree, table, all_rows(table), Parallel(1));
    for (RowIndex row = 0; row < ends.size(); ++row) {
      for (NodeIndex node = ends[row]; node != 0; node = parents[node]) rows_[node].push_back(row);
      rows_[0].push_back(row);
    }
  }

  void compare(NodeIndex node, size_t i) {
    std::vector<const Surrogate*> ours;
    bool left_out = false;
    for (const Surrogate& one : tree_.node(node).missing().surrogates) {
      if (alike_and_unlike(node, one.gate).second >= 2 || !is_nominal(one)) {
        ours.push_back(&one);
      } else {
        left_out = true;
      }
    }
    std::vector<size_t> theirs;
    for (size_t s = 0; s < frame_["surrogate_var"][i].size(); ++s) {
      const auto feature = frame_["surrogate_var"][i][s].get<uint32_t>();
      const bool have = std::any_of(ours.begin(), ours.end(), [&](const Surrogate* one) {
        return gate_features(one->gate)[0] == feature;
      });
      // A nominal one that sends fewer than two rows to a side agrees with the split in hardly more
      // rows than the majority does.
      if (!have && table_.input(feature).kind == Kind::nominal && is_weak(i, s)) {
        left_out = true;
      } else {
        theirs.push_back(s);
      }
    }
    if (left_out) {
      ++unequal_rules_;
    } else {
      EXPECT_EQ(ours.size(), theirs.size()) << "node " << frame_["node"][i];
    }
    for (size_t s = 0; s < std::min(ours.size(), theirs.size()); ++s) {
      const size_t t = theirs[s];
      EXPECT_EQ(gate_features(ours[s]->gate)[0], frame_["surrogate_var"][i][t].get<uint32_t>())
          << "surrogate " << s << " of node " << frame_["node"][i];
      EXPECT_NEAR(ours[s]->agreement, frame_["surrogate_agree"][i][t].get<double>(), 1e-12);
      EXPECT_NEAR(ours[s]->adjusted, frame_["surrogate_adj"][i][t].get<double>(), 1e-12);
      compare_cut(ours[s]->gate, i, t);
      ++compared_;
    }
  }

  // Of a number: the cut, and where the node's own split is by a number the direction: rpart's ncat
  // is -1 when smaller values go left, 1 when they go right.
  void compare_cut(const Gate& gate, size_t i, size_t s) {
    const auto* score = linear_form(gate);
    if (score == nullptr) return;
    const double coefficient = score->terms[0].coefficient;
    EXPECT_NEAR(score->cut / coefficient, frame_["surrogate_index"][i][s].get<double>(), 1e-9)
        << "surrogate " << s << " of node " << frame_["node"][i];
    const int own = frame_["ncat"][i];
    if (std::abs(own) != 1) return;
    EXPECT_EQ(coefficient > 0, frame_["surrogate_ncat"][i][s] == own)
        << "surrogate " << s << " of node " << frame_["node"][i];
    ++directions_;
  }

  size_t compared() const { return compared_; }
  size_t directions() const { return directions_; }
  size_t unequal_rules() const { return unequal_rules_; }

 private:
  bool is_nominal(const Surrogate& one) const { return level_map(one.gate) != nullptr; }
  bool is_weak(size_t i, size_t s) const {
    const double agree = frame_["surrogate_agree"][i][s], adj = frame_["surrogate_adj"][i][s];
    const double majority = (agree - adj) / (1 - adj);
    return (agree - majority) * frame_["n"][i].get<double>() < 2;
  }

  // Number of the node's rows with both values that go alike, and of those that do not.
  std::pair<size_t, size_t> alike_and_unlike(NodeIndex node, const Gate& gate) const {
    const std::vector<RowIndex>& rows = rows_[node];
    std::vector<double> own(2 * rows.size()), other(2 * rows.size());
    gate_weights(tree_.node(node).gate(), table_, rows, own);
    gate_weights(gate, table_, rows, other);
    size_t alike = 0, unlike = 0;
    for (size_t r = 0; r < rows.size(); ++r) {
      if (std::isnan(own[2 * r]) || std::isnan(other[2 * r])) continue;
      ++(own[2 * r] == other[2 * r] ? alike : unlike);
    }
    return {alike, unlike};
  }

  const Tree& tree_;
  const Table& table_;
  const json& frame_;
  std::vector<std::vector<RowIndex>> rows_;
  size_t compared_ = 0, directions_ = 0, unequal_rules_ = 0;
};

struct Counts {
  size_t compared = 0, directions = 0, ties = 0, unequal_rules = 0;
};

Counts compare(const std::string& variant, const std::string& set) {
  const json record = test::read_record(variant, set);
  Table table = test::whole_set(record);
  if (variant == "holes") table = with_holes(table);
  const Tree tree = test::run(
      table, "grow missing=surrogate nominal=prefix min-split=20 min-leaf=7 max-depth=30");
  Comparison comparison(tree, table, record["frame"]);
  const size_t ties = test::count_ties(
      tree, record["frame"], {}, [&](NodeIndex node, size_t i) { comparison.compare(node, i); });
  return {comparison.compared(), comparison.directions(), ties, comparison.unequal_rules()};
}

TEST(RpartSurrogates, AreTheSame) {
  Counts all, small;  // small: those of the repository
  bool all_sets = true;
  for (const char* variant : {"surrogates", "holes"}) {
    const test::PresentSets sets = test::present_sets(variant);
    all_sets = all_sets && sets.all;
    for (const std::string& set : sets.names) {
      SCOPED_TRACE(set);
      const Counts counts = compare(variant, set);
      Counts& sum = test::is_small_set(set) ? small : all;
      sum.compared += counts.compared;
      sum.directions += counts.directions;
      sum.ties += counts.ties;
      sum.unequal_rules += counts.unequal_rules;
    }
  }
  RecordProperty("compared", static_cast<int>(all.compared));
  RecordProperty("unequal_rules", static_cast<int>(all.unequal_rules));
  // Nodes with a nominal surrogate that only one of the two takes (docs/reference/methods/cart.md).
  EXPECT_LE(all.unequal_rules, 13U);
  EXPECT_LE(small.unequal_rules, 2U);
  // Guards against comparing nothing.
  if (all_sets) {
    EXPECT_GE(all.compared, 1000U);
    EXPECT_GE(all.directions, 500U);
  }
  EXPECT_GE(small.compared, 20U);
  EXPECT_GE(small.directions, 10U);
  EXPECT_LE(all.ties, 1U);
  // Two equal improvements, or one and a node of harvest: rain is asked there, and rows without it
  // go by slope, a nominal surrogate that sends fewer than two rows unlike the split, which rpart
  // does not take. They go to the other side there, by age.
  EXPECT_LE(small.ties, 2U);
}

}  // namespace
}  // namespace softwood
