// Shapley values of the shap package, as recorded by `make peers`.
#include <gtest/gtest.h>

#include "explain/shapley.h"
#include "lower/lower.h"
#include "support/records.h"

namespace softwood {
namespace {

using nlohmann::json;

// The same tree in our form; nodes of the record are in depth-first order.
Model model_of(const json& record) {
  const bool classify = record["name"] != "regression";
  const size_t outputs = record["value"][0].size();
  Schema schema;
  for (size_t f = 0; f < record["explained"][0].size(); ++f) {
    schema.features.push_back({"x" + std::to_string(f), Kind::numeric, {}});
  }
  schema.target = {"y", classify ? Kind::nominal : Kind::numeric, {}};
  for (size_t k = 0; classify && k < outputs; ++k) {
    schema.target.levels.push_back(std::to_string(k));
  }
  Tree tree(schema.task(), schema.classes());
  const std::function<void(NodeIndex, size_t)> fill = [&](NodeIndex node, size_t from) {
    const double count = record["n_node_samples"][from];
    const json& value = record["value"][from];
    for (size_t k = 0; classify && k < outputs; ++k) {
      tree.sums(node)[k] = std::round(value[k].get<double>() * count);
    }
    if (!classify) {
      tree.sums(node)[0] = count;
      tree.sums(node)[1] = value[0];
    }
    if (record["left"][from].get<int>() < 0) return;
    const NodeIndex first = tree.split(
        node, threshold_gate(record["feature"][from].get<uint32_t>(), record["threshold"][from]),
        {});
    fill(first, record["left"][from]);
    fill(first + 1, record["right"][from]);
  };
  fill(0, 0);
  tree.canonicalise();
  return {schema, std::move(tree), {}, {}};
}

Table table_of(const Schema& schema, const json& rows) {
  std::vector<Column> columns;
  for (size_t f = 0; f < schema.features.size(); ++f) {
    ColumnDraft column(Kind::numeric);
    for (const json& row : rows) column.numbers.push_back(row[f]);
    columns.push_back(std::move(column));
  }
  return {schema, rows.size(), std::move(columns), Column{schema.target.kind, {}, {}, 0}, {}};
}

// Interventional values of shap are made of numbers of single precision: they sum to the difference
// to about 1e-8 only. Of two classes we explain the positive one, the second.
void expect_same(const Explanation& ours, const json& theirs, double tolerance) {
  const size_t outputs = ours.outputs.size();
  const size_t skipped = theirs["base_values"].size() - outputs;
  for (size_t o = 0; o < outputs; ++o) {
    EXPECT_NEAR(ours.base_values[o], theirs["base_values"][o + skipped].get<double>(), tolerance);
  }
  for (size_t row = 0; row < ours.rows; ++row) {
    for (size_t f = 0; f < ours.feature_names.size(); ++f) {
      for (size_t o = 0; o < outputs; ++o) {
        EXPECT_NEAR(ours.value(row, f, o), theirs["values"][row][f][o + skipped].get<double>(),
                    tolerance)
            << "row " << row << " input " << f << " output " << o;
      }
    }
  }
}

TEST(Shap, TreeExplainerSaysTheSame) {
  const json all = test::read_record("shap", "drawn");
  ASSERT_EQ(all["trees"].size(), 3U);
  for (const json& record : all["trees"]) {
    SCOPED_TRACE(record["name"].get<std::string>());
    const Model model = model_of(record);
    const LoweredTree lowered = lower(model);
    const Predictor predictor(model.tree);
    const Table table = table_of(model.schema, record["explained"]);
    const Table background = table_of(model.schema, record["background"]);
    expect_same(
        explain_rows({lowered, predictor}, table, all_rows(table), nullptr, {}, Parallel(1)),
        record["path_dependent"], 1e-9);
    expect_same(
        explain_rows({lowered, predictor}, table, all_rows(table), &background, {}, Parallel(1)),
        record["interventional"], 1e-7);
  }
}

}  // namespace
}  // namespace softwood
