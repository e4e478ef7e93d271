// The layout of rpart's print, character by character, as recorded by `make peers`.
#include <gtest/gtest.h>

#include "base/text.h"
#include "support/grow.h"
#include "support/names.h"
#include "support/records.h"
#include "support/views.h"

namespace softwood {
namespace {

const std::string rpart_recipe =
    "grow nominal=prefix min-split=20 min-leaf=7 max-depth=30 | prune alpha=0.01 sequence=rpart";

std::string recorded_print(const nlohmann::json& record) {
  std::string text;
  for (const auto& line : record["print"]) text += line.get<std::string>() + '\n';
  return text;
}

class RpartPrint : public testing::TestWithParam<std::string> {};

TEST_P(RpartPrint, IsTheSame) {
  const nlohmann::json record = test::read_record("print", GetParam());
  if (!test::has_data(GetParam())) GTEST_SKIP() << "this large set is not here";
  const Table table = test::whole_set(record);
  const Model model{table.schema(), test::run(table, rpart_recipe), {}, {}};
  EXPECT_EQ(test::show_tree_rpart(model), recorded_print(record));
}

class RpartLossPrint : public testing::TestWithParam<std::string> {};

TEST_P(RpartLossPrint, IsTheSame) {
  const nlohmann::json record = test::read_record("lossprint", GetParam());
  if (!test::has_data(GetParam())) GTEST_SKIP() << "this large set is not here";
  const Table table = test::whole_set(record);
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  const Training training{derived, rows,  {},
                          1,       false, test::recorded_losses(table.schema().classes())};
  const Model model{table.schema(),
                    run_recipe(Recipe::parse(rpart_recipe), training, Parallel(1), {}).tree,
                    {},
                    {}};
  EXPECT_EQ(test::show_tree_rpart(model), recorded_print(record));
}

INSTANTIATE_TEST_SUITE_P(Sets, RpartLossPrint, testing::ValuesIn(test::recorded_sets("lossprint")),
                         test::ByText());
INSTANTIATE_TEST_SUITE_P(Sets, RpartPrint, testing::ValuesIn(test::recorded_sets("print")),
                         test::ByText());

}  // namespace
}  // namespace softwood
