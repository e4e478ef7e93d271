// The layout of rpart's print, character by character, as recorded by `make peers`.
#include <gtest/gtest.h>

#include "base/text.h"
#include "support/grow.h"
#include "support/records.h"
#include "tree/show.h"

namespace softwood {
namespace {

class RpartPrint : public testing::TestWithParam<std::string> {};

TEST_P(RpartPrint, IsTheSame) {
  const nlohmann::json record = test::read_record("print", GetParam());
  if (!std::filesystem::exists(test::data_file(record["data"].get<std::string>()))) {
    GTEST_SKIP() << "the data sets are not here";
  }
  const Table table = test::whole_set(record);
  const std::string recipe =
      "grow min-split=20 min-leaf=7 max-depth=30 | prune alpha=0.01 sequence=rpart";
  const Model model{table.schema(), test::run(table, recipe), {}, {}};
  std::string theirs;
  for (const auto& line : record["print"]) theirs += line.get<std::string>() + '\n';
  EXPECT_EQ(show_tree_rpart(model), theirs);
}

INSTANTIATE_TEST_SUITE_P(Sets, RpartPrint, testing::ValuesIn(test::recorded_sets("print")));

}  // namespace
}  // namespace softwood
