// Conditional inference trees of partykit, as recorded by `make peers`.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "stages/grow/inference/association.h"
#include "stages/grow/inference/chi_square.h"
#include "stages/grow/split.h"
#include "support/grow.h"
#include "support/names.h"
#include "support/records.h"

namespace softwood {
namespace {

using nlohmann::json;

bool is_near(double ours, double theirs, double relative) {
  return std::abs(ours - theirs) <= relative * std::abs(theirs);
}

// Case weights as the record describes them.
Table with_weights(const Table& table) {
  std::vector<Column> inputs;
  for (size_t f = 0; f < table.features(); ++f) inputs.push_back(table.input(f));
  std::vector<double> weights;
  for (size_t row = 0; row < table.rows(); ++row)
    weights.push_back(static_cast<double>(row % 3 + 1));
  return {table.schema(), table.rows(), std::move(inputs), table.target(), std::move(weights)};
}

Table table_of(const json& record, const json& theirs) {
  const Table table = test::whole_set(record);
  return theirs["weights"].is_null() ? table : with_weights(table);
}

std::string recipe_of(const json& theirs) {
  return fmt::format(
      "grow split=conditional-inference significance={} min-split={} min-leaf={} min-share=0.01 "
      "cut-at=node-value",
      1 - theirs["mincriterion"].get<double>(), theirs["minsplit"].get<int>(),
      theirs["minbucket"].get<int>());
}

// Compares two trees node by node from the root: the tests of all inputs, the input chosen, its
// p-value and its cut. Equally good inputs and cuts are ties, which the peer settles by the
// rounding of its sums; nothing is compared below one.
class Comparison {
 public:
  Comparison(const Tree& tree, const Table& table, const json& record, const json& nodes)
      : tree_(tree),
        table_(table),
        record_(record),
        nodes_(nodes),
        target_(grow::make_target(table, all_rows(table))) {
    compare(0, 0, all_rows(table));
  }

  size_t splits() const { return splits_; }
  size_t ties() const { return ties_; }
  const std::vector<std::string>& differences() const { return differences_; }

 private:
  void compare(NodeIndex ours, size_t theirs, const std::vector<RowIndex>& rows) {
    const json& node = nodes_[theirs];
    const bool is_leaf = node["var"].get<int>() < 0;
    if (tree_.weight(ours) != node["n"].get<double>()) return differ(theirs, "other rows");
    compare_tests(theirs, rows);
    if (tree_.node(ours).is_leaf() != is_leaf) return differ(theirs, "a leaf in one tree alone");
    if (is_leaf) return;
    ++splits_;
    const Notes& notes = tree_.node(ours).notes();
    const auto their_feature = node["var"].get<uint32_t>();
    const uint32_t feature = gate_features(tree_.node(ours).gate())[0];
    if (feature != their_feature) {
      const double one = associate(table_.input(feature), rows).statistic;
      const double other = associate(table_.input(their_feature), rows).statistic;
      if (is_near(one, other, 1e-10)) return void(++ties_);
      return differ(theirs, fmt::format("input {} instead of {}", feature, their_feature));
    }
    // Where the input with the smallest p-value can't be cut, the second best was taken.
    if (node["best"] == node["var"] && !is_near(notes.log_p, node["log_p"].get<double>(), 1e-6)) {
      differ(theirs, fmt::format("log p {} against {}", notes.log_p, node["log_p"].get<double>()));
    }
    compare_children(ours, theirs, rows);
  }

  void compare_children(NodeIndex ours, size_t theirs, const std::vector<RowIndex>& rows) {
    const json& node = nodes_[theirs];
    const Column sides = their_sides(node, rows);
    ColumnDraft our_sides(sides);
    std::vector<RowIndex> left, right;
    std::vector<double> weights(2 * rows.size());
    gate_weights(tree_.node(ours).gate(), table_, rows, weights);
    bool same = true, mirrored = true;
    for (size_t i = 0; i < rows.size(); ++i) {
      our_sides.codes[rows[i]] = weights[2 * i] == 1 ? 0 : 1;
      (sides.codes[rows[i]] == 0 ? left : right).push_back(rows[i]);
      (our_sides.codes[rows[i]] == sides.codes[rows[i]] ? mirrored : same) = false;
    }
    if (!same && !mirrored) {
      const double one = associate(std::move(our_sides), rows).statistic;
      if (is_near(one, associate(sides, rows).statistic, 1e-10)) return void(++ties_);
      return differ(theirs, "another cut");
    }
    const auto* score = linear_form(tree_.node(ours).gate());
    if (score != nullptr && !is_near(score->cut, node["cut"].get<double>(), 1e-12)) {
      differ(theirs, "another split point");
    }
    const NodeIndex first = tree_.node(ours).first_child;
    compare(first + (same ? 0 : 1), theirs + 1, left);
    compare(first + (same ? 1 : 0), node["right"].get<size_t>(), right);
  }

  // 0 for the rows that go left in their tree, 1 for those that go right.
  Column their_sides(const json& node, const std::vector<RowIndex>& rows) const {
    ColumnDraft sides(Kind::nominal);
    sides.codes.assign(table_.rows(), 0);
    const auto feature = node["var"].get<uint32_t>();
    const Column& input = table_.input(feature);
    for (const RowIndex row : rows) {
      if (node.contains("cut")) {
        // R reads some numbers one unit in the last place off.
        const double cut = node["cut"], margin = 1e-12 * std::abs(cut);
        sides.codes[row] = input.numbers[row] <= cut + margin ? 0 : 1;
      } else {
        const std::string& level =
            table_.schema().features[feature].levels[static_cast<size_t>(input.codes[row])];
        const json& levels = record_["levels"][feature];
        const auto place = std::find(levels.begin(), levels.end(), level) - levels.begin();
        sides.codes[row] = node["levels"][static_cast<size_t>(place)].get<int>() - 1;
      }
    }
    return sides;
  }

  void compare_tests(size_t theirs, const std::vector<RowIndex>& rows) {
    const json& node = nodes_[theirs];
    if (!node.contains("each_statistic")) return;
    for (size_t f = 0; f < table_.features(); ++f) {
      const grow::Association ours = associate(table_.input(f), rows);
      const json& statistic = node["each_statistic"][f];
      if ((ours.degrees > 0) == statistic.is_null()) differ(theirs, fmt::format("test of {}", f));
      if (!(ours.degrees > 0) || statistic.is_null()) continue;
      const double log_p = grow::chi_square_log_tails(ours.statistic, ours.degrees).upper;
      // A p-value of nearly 1 has a logarithm of nearly 0, where the peer's sums leave few digits.
      if (std::abs(log_p - node["each_log_p"][f].get<double>()) > 1e-6 * std::abs(log_p) + 1e-9) {
        differ(theirs, fmt::format("log p of input {}: {} against {}", f, log_p,
                                   node["each_log_p"][f].get<double>()));
      }
    }
  }

  grow::Association associate(const Column& input, const std::vector<RowIndex>& rows) {
    size_t levels = 0;
    for (const int32_t code : input.codes) levels = std::max(levels, static_cast<size_t>(code) + 1);
    // Slots are rows here: the target was made for all of them in order.
    return grow::associate(input, levels, target_, all_rows(table_), rows, scratch_);
  }

  void differ(size_t theirs, const std::string& how) {
    differences_.push_back(fmt::format("node {}: {}", theirs + 1, how));
  }

  const Tree& tree_;
  const Table& table_;
  const json& record_;
  const json& nodes_;
  const grow::Target target_;
  grow::Scratch scratch_;
  size_t splits_ = 0, ties_ = 0;
  std::vector<std::string> differences_;
};

class PartykitTree : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    record_ = test::read_record("partykit", GetParam());
    if (!test::has_data(GetParam())) GTEST_SKIP() << "this large set is not here";
  }
  json record_;
};

TEST_P(PartykitTree, HasTheSameTestsSplitsAndPValues) {
  for (const json& theirs : record_["trees"]) {
    const Table table = table_of(record_, theirs);
    const Tree tree = test::run(table, recipe_of(theirs));
    const Comparison comparison(tree, table, record_, theirs["nodes"]);
    for (const std::string& difference : comparison.differences()) {
      ADD_FAILURE() << theirs["call"] << ", " << difference;
    }
    EXPECT_LE(comparison.ties(), 4U);
  }
}

// Guards against comparing nothing: few sets have ties at all.
TEST(PartykitTrees, OfMostSetsAreTheSameToTheLastLeaf) {
  size_t same = 0, splits = 0;
  const test::PresentSets sets = test::present_sets("partykit");
  for (const std::string& set : sets.names) {
    const json record = test::read_record("partykit", set);
    const json& theirs = record["trees"][0];
    const Table table = table_of(record, theirs);
    const Tree tree = test::run(table, recipe_of(theirs));
    const Comparison comparison(tree, table, record, theirs["nodes"]);
    splits += comparison.splits();
    if (comparison.ties() > 0) continue;
    EXPECT_EQ(tree.size(), theirs["nodes"].size()) << set;
    ++same;
  }
  EXPECT_GE(same, sets.all ? 30U : 3U);
  EXPECT_GE(splits, sets.all ? 2000U : 15U);
}

INSTANTIATE_TEST_SUITE_P(Sets, PartykitTree, testing::ValuesIn(test::recorded_sets("partykit")),
                         test::ByText());

}  // namespace
}  // namespace softwood
