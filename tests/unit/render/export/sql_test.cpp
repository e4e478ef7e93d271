#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lower/lower.h"
#include "render/export/exporter.h"
#include "render/export/sql/dialect.h"
#include "render/export/sql/statement.h"
#include "softwood/error.h"
#include "support/sample_models.h"

namespace softwood::render {
namespace {

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

size_t count(const std::string& text, std::string_view part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// CASEs within CASEs, at most.
size_t nesting(const std::string& text) {
  size_t deepest = 0, open = 0;
  std::string word;
  for (const char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
      continue;
    }
    if (word == "CASE") deepest = std::max(deepest, ++open);
    if (word == "END") --open;
    word.clear();
  }
  EXPECT_EQ(open, 0U);
  return deepest;
}

LoweredNode leaf(std::vector<double> answer) {
  LoweredNode node;
  node.answer = std::move(answer);
  return node;
}

LoweredScore threshold(uint32_t input, double cut) {
  LoweredScore score;
  score.terms.resize(1);
  score.terms[0].input = input;
  score.cut = cut;
  return score;
}

// x0 <= 0, x0 <= 1, ...: every left child is a leaf.
LoweredTree chain(size_t depth) {
  LoweredTree tree;
  tree.inputs.resize(1);
  tree.inputs[0].name = "x";
  tree.target = {"y", {}, 1};
  for (size_t i = 0; i < depth; ++i) {
    LoweredNode inner = leaf({0});
    inner.split.emplace();
    inner.split->condition = threshold(0, static_cast<double>(i));
    inner.split->first_child = static_cast<uint32_t>(2 * i + 1);
    inner.split->children = 2;
    if (i == 0) tree.nodes.push_back(inner);
    if (i > 0) tree.nodes.back() = inner;
    tree.nodes.push_back(leaf({static_cast<double>(i)}));
    tree.nodes.push_back(leaf({-1}));
  }
  return tree;
}

ExportOptions options_for(const std::string& dialect) {
  ExportOptions options;
  options.dialect = dialect;
  return options;
}

std::string sqlite_number(double value) { return find_sql_dialect("sqlite").literal(value); }

TEST(SqlExport, NamesAndTextsAreQuoted) {
  EXPECT_EQ(sql_identifier("say \"hi\""), R"("say ""hi""")");
  EXPECT_EQ(sql_string("it's"), "'it''s'");
  EXPECT_EQ(sql_table("data"), R"("data")");
  EXPECT_EQ(sql_table("main.data"), R"("main"."data")");
  EXPECT_EQ(sql_table(R"("a.b")"), R"("a.b")");
  EXPECT_EQ(sql_table(R"(we"ird)"), R"("we""ird")");
}

TEST(SqlExport, LiteralsOfSqliteAreReadExactly) {
  EXPECT_EQ(sqlite_number(2.45), "2.45");
  EXPECT_EQ(sqlite_number(-3), "-3.0");
  EXPECT_EQ(sqlite_number(0), "0.0");
  // 17 digits are more than the 53 bits that SQLite divides exactly.
  EXPECT_EQ(sqlite_number(0.1 + 0.2), "(1351079888211149.0 / 4503599627370496.0)");
  // 2^-1074 in parts that are read exactly.
  EXPECT_EQ(count(sqlite_number(std::numeric_limits<double>::denorm_min()), " / "), 18U);
  EXPECT_EQ(count(sqlite_number(std::numeric_limits<double>::max()), " * "), 16U);
}

TEST(SqlExport, LiteralsAreDoubles) {
  EXPECT_EQ(find_sql_dialect("duckdb").literal(0.1), "0.1e0");
  EXPECT_EQ(find_sql_dialect("duckdb").literal(1e-20), "1e-20");
  EXPECT_EQ(find_sql_dialect("postgresql").literal(0.1), "0.1::float8");
  EXPECT_EQ(find_sql_dialect("postgresql").literal(-0.1), "(-0.1::float8)");
}

TEST(SqlExport, ALeafIsABranchOfAFlatCase) {
  for (const std::string dialect : {"sqlite", "duckdb", "postgresql"}) {
    const std::string text = sql_export(chain(3), options_for(dialect));
    EXPECT_EQ(count(text, "WHEN \"x\" > "), 0U) << text;
    EXPECT_EQ(count(text, " THEN 1\n"), 1U) << text;
    EXPECT_TRUE(holds(text, "ELSE 6\n")) << text;
  }
}

TEST(SqlExport, NestingDoesNotGrowWithDepth) {
  const std::string deep = sql_export(chain(3000), options_for("sqlite"));
  EXPECT_LE(nesting(deep), 5U);
  // Neither does the number of conditions per leaf.
  EXPECT_LT(deep.size(), 3000U * 200);
}

TEST(SqlExport, RowsWithoutAValueGoWhereTheRuleSays) {
  LoweredTree tree = chain(1);
  tree.nodes[0].split->missing.child = 0;
  EXPECT_TRUE(holds(sql_export(tree, options_for("duckdb")), R"(COALESCE("x" <= 0e0, TRUE))"));
  tree.nodes[0].split->missing.child = 1;
  EXPECT_TRUE(holds(sql_export(tree, options_for("duckdb")), R"(WHEN "x" <= 0e0 THEN 1)"));
  tree.nodes[0].split->missing.action = MissingAction::stay;
  EXPECT_TRUE(
      holds(sql_export(tree, options_for("duckdb")), R"(WHEN ("x" <= 0e0) IS NULL THEN 0)"));
  tree.nodes[0].split->missing.action = MissingAction::shares;
  tree.nodes[0].split->missing.shares = {0.25, 0.75};
  EXPECT_TRUE(holds(sql_export(tree, options_for("duckdb")),
                    "WHEN sw_go0 IS NULL THEN sw_share0 * 0.25e0"));
}

TEST(SqlExport, ColumnsOfTheUserStayApart) {
  LoweredTree tree = chain(1);
  tree.inputs[0].name = "SW_node";
  ExportOptions options = options_for("sqlite");
  EXPECT_TRUE(holds(sql_export(tree, options), "AS sw__node"));
  options.keep = {"id"};
  EXPECT_TRUE(holds(sql_export(tree, options), "sw__keep0 AS \"id\""));
  options.keep = {"Prediction"};
  EXPECT_THROW(sql_export(tree, options), Error);
}

// SQLite takes a quoted name that is no column for text.
TEST(SqlExport, ColumnsAreNamedWithTheirTable) {
  EXPECT_TRUE(holds(sql_export(chain(1), options_for("sqlite")), "CAST(sw_rows.\"x\" AS REAL)"));
}

TEST(SqlExport, ProbabilitiesHaveTheNamesOfPredict) {
  const LoweredTree tree = exported_tree(lower(testing::iris_model()));
  const std::string text = sql_export(tree, options_for("sqlite"));
  EXPECT_TRUE(holds(text, "AS \"prediction\""));
  for (const std::string& name : tree.target.classes) {
    EXPECT_TRUE(holds(text, "AS " + sql_identifier("proba_" + name))) << name;
  }
}

TEST(SqlCases, ManyKeysAreToldApartByRanges) {
  std::vector<SqlCase> keys;
  for (uint32_t i = 0; i < 5000; ++i) keys.push_back({2 * i, std::to_string(i)});
  const std::string text = sql_value_of("n", keys);
  EXPECT_LE(nesting(text), 3U);
  EXPECT_EQ(count(text, "\n"), count(text, "WHEN") + count(text, "ELSE") + count(text, "END"));
  // Equal values of neighbours are one branch.
  for (SqlCase& one : keys) one.value = one.key < 4000 ? "0" : "1";
  EXPECT_EQ(count(sql_value_of("n", keys), "WHEN"), 1U);
}

}  // namespace
}  // namespace softwood::render
