#include "data/cells.h"

#include <gtest/gtest.h>

#include "data/convert.h"
#include "data/table.h"

namespace softwood {
namespace {

TEST(Cells, ShareWhatTheyHold) {
  const Cells<double> cells(std::vector<double>{1, 2, 3});
  const Cells<double> copy = cells;
  EXPECT_EQ(copy.data(), cells.data());
  EXPECT_EQ(copy, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(copy.back(), 3);
}

TEST(Cells, KeepTheOwnerOfBorrowedMemory) {
  auto owner = std::make_shared<std::vector<int32_t>>(std::vector<int32_t>{4, 5});
  const std::weak_ptr<const void> watched = owner;
  Cells<int32_t> cells(owner->data(), owner->size(), owner);
  owner.reset();
  EXPECT_FALSE(watched.expired());
  EXPECT_EQ(cells[1], 5);
  cells = {};
  EXPECT_TRUE(watched.expired());
}

TEST(Cells, AreTakenWithoutACopyByTheOnlyHolder) {
  Cells<double> cells(std::vector<double>{1, 2});
  const double* const place = cells.data();
  Cells<double> copy = cells;
  std::vector<double> taken = std::move(copy).take();
  EXPECT_NE(taken.data(), place);  // shared: copied
  taken = std::move(cells).take();
  EXPECT_EQ(taken.data(), place);
  EXPECT_TRUE(cells.empty());  // NOLINT(bugprone-use-after-move): what is left is what is tested
}

TEST(Cells, OfALenderAreCopiedBeforeTheyAreWritten) {
  std::vector<double> lender = {1, 2};
  ColumnDraft draft(Column{Kind::numeric, {lender.data(), lender.size(), nullptr}, {}, 0});
  draft.numbers[0] = 9;
  EXPECT_EQ(lender[0], 1);
}

TEST(Cells, OfATableAreThoseItWasMadeOf) {
  const std::vector<double> lender = {1, missing_number};
  Schema schema;
  schema.features = {{"x", Kind::numeric, {}}};
  const Table table(schema, 2, {{Kind::numeric, {lender.data(), 2, nullptr}, {}, 0}}, {}, {});
  EXPECT_EQ(table.input(0).numbers.data(), lender.data());
  EXPECT_EQ(table.input(0).missing, 1U);
}

TEST(ColumnWithLevels, ReadsCodesWhereTheyAreWhenLevelsHaveTheSameOrder) {
  const FrameColumn column{"c", {Kind::nominal, {}, std::vector<int32_t>{1, 0, -1}, 1}, {"a", "b"}};
  const auto unknown = [](size_t) {};
  const Column same = column_with_levels(column, {"a", "b", "z"}, Kind::nominal, unknown);
  EXPECT_EQ(same.codes.data(), column.cells.codes.data());
  const Column other = column_with_levels(column, {"b", "a"}, Kind::nominal, unknown);
  EXPECT_EQ(other.codes, (std::vector<int32_t>{0, 1, -1}));
}

}  // namespace
}  // namespace softwood
