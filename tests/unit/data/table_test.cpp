#include "data/table.h"

#include <gtest/gtest.h>

#include "softwood/error.h"

namespace softwood {
namespace {

Column numbers(std::vector<double> cells) { return {Kind::numeric, std::move(cells), {}, 0}; }
Column codes(std::vector<int32_t> cells) { return {Kind::nominal, {}, std::move(cells), 0}; }

Schema schema() {
  return {{{"a", Kind::numeric, {}}, {"b", Kind::nominal, {"x", "y"}}},
          {"t", Kind::nominal, {"u", "v"}},
          ""};
}

Table table(std::vector<double> a = {1, missing_number}, std::vector<int32_t> b = {0, -1},
            std::vector<int32_t> t = {1, 0}, std::vector<double> weights = {}) {
  return Table(schema(), 2, {numbers(std::move(a)), codes(std::move(b))}, codes(std::move(t)),
               std::move(weights));
}

TEST(Table, CountsMissingCells) {
  EXPECT_EQ(table().input(0).missing, 1U);
  EXPECT_EQ(table().input(1).missing, 1U);
  EXPECT_EQ(table().target().missing, 0U);
  EXPECT_TRUE(table().has_target());
  EXPECT_FALSE(table({1, 2}, {0, 0}, {}).has_target());
  EXPECT_EQ(table().weight(1), 1.0);
  EXPECT_EQ(all_rows(table()), (std::vector<RowIndex>{0, 1}));
}

TEST(Table, RefusesWhatDoesNotFit) {
  EXPECT_THROW(table({1}), Error);
  EXPECT_THROW(table({1, INFINITY}), Error);
  EXPECT_THROW(table({1, 2}, {0, 2}), Error);
  EXPECT_THROW(table({1, 2}, {0, -2}), Error);
  EXPECT_THROW(table({1, 2}, {0, 1}, {2, 0}), Error);
  EXPECT_THROW(table({1, 2}, {0, 1}, {1}), Error);
  EXPECT_THROW(table({1, 2}, {0, 1}, {1, 0}, {1}), Error);
  EXPECT_THROW(table({1, 2}, {0, 1}, {1, 0}, {1, -1}), Error);
  EXPECT_THROW(table({1, 2}, {0, 1}, {1, 0}, {1, NAN}), Error);
  EXPECT_THROW(Table(schema(), 2, {numbers({1, 2})}, codes({0, 1}), {}), Error);
  EXPECT_THROW(Table(schema(), 2, {codes({0, 1}), codes({0, 1})}, codes({0, 1}), {}), Error);
}

TEST(Table, TheFingerprintIsThatOfTheData) {
  const std::string original = table().fingerprint();
  EXPECT_EQ(original, "69ee8d8a4060a9d2");  // the same on every machine
  EXPECT_EQ(original, table().fingerprint());
  EXPECT_EQ(original, table({1, -std::nan("1")}).fingerprint());
  EXPECT_NE(original, table({2, missing_number}).fingerprint());
  EXPECT_NE(original, table({missing_number, 1}).fingerprint());
  EXPECT_NE(original, table({1, missing_number}, {1, -1}).fingerprint());
  EXPECT_NE(original, table({1, missing_number}, {0, -1}, {0, 1}).fingerprint());
  EXPECT_EQ(original, table({1, missing_number}, {0, -1}, {1, 0}, {1, 1}).fingerprint());
  EXPECT_NE(original, table({1, missing_number}, {0, -1}, {1, 0}, {1, 2}).fingerprint());
  Schema renamed = schema();
  renamed.features[1].levels[1] = "z";
  EXPECT_NE(original,
            Table(renamed, 2, {numbers({1, missing_number}), codes({0, -1})}, codes({1, 0}), {})
                .fingerprint());
}

TEST(Table, TheFingerprintIsThatOfTheRowsInAnyOrder) {
  const auto rows = [](std::vector<double> a, std::vector<double> weights = {}) {
    const size_t count = a.size();
    return Table(schema(), count, {numbers(std::move(a)), codes(std::vector<int32_t>(count, 1))},
                 codes(std::vector<int32_t>(count, 0)), std::move(weights))
        .fingerprint();
  };
  const std::string original = rows({1, 2, 2});
  EXPECT_EQ(original, rows({2, 1, 2}));
  EXPECT_EQ(original, rows({1, 2}, {1, 2}));
  EXPECT_EQ(original, rows({2, 1, 2, 3}, {0.75, 1, 1.25, 0}));
  const double tiny = 0x1p-1000;
  EXPECT_EQ(rows({1, 2}, {tiny, 3 * tiny}), rows({2, 1, 2}, {tiny, tiny, 2 * tiny}));
  EXPECT_NE(rows({1, 2}, {tiny, 3 * tiny}), rows({1, 2}, {3 * tiny, tiny}));
  EXPECT_NE(original, rows({1, 2}));
  EXPECT_NE(original, rows({1, 1, 2}));
  EXPECT_EQ(rows({0, 1}), rows({1, -0.0}));
}

TEST(Schema, Lookups) {
  EXPECT_EQ(schema().feature_index("b"), 1U);
  EXPECT_EQ(schema().feature_index("c"), std::nullopt);
  EXPECT_EQ(schema().features[1].level_code("y"), 1);
  EXPECT_EQ(schema().features[1].level_code("z"), -1);
  EXPECT_EQ(kind_name(Kind::ordinal), "ordinal");
  EXPECT_EQ(task_name(Task::regression), "regression");
}

}  // namespace
}  // namespace softwood
