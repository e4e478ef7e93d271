// What trainings on the same rows share.
#include "data/shared_work.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "stages/recipe.h"
#include "support/tables.h"

namespace softwood {
namespace {

const Table& table() {
  static const Table three = test::classes_table({test::numbers({3, 1, 2})}, {0, 1, 0});
  return three;
}

std::shared_ptr<int> piece(Derived& derived, const std::string& name,
                           const std::vector<RowIndex>& rows, int value) {
  return derived.shared_work().get<int>(name, rows, [&] { return std::make_shared<int>(value); });
}

TEST(SharedWork, IsMadeOnceForEachNameAndRows) {
  Derived derived(table()), other(table());
  const SharedWork::Keeper keeper(derived.shared_work());
  EXPECT_EQ(*piece(derived, "a", {0, 1}, 1), 1);
  EXPECT_EQ(*piece(derived, "a", {0, 1}, 2), 1);
  EXPECT_EQ(*piece(derived, "a", {0, 2}, 3), 3);
  EXPECT_EQ(*piece(derived, "a", {0, 1}, 4), 1);
  EXPECT_EQ(derived.shared_work().made(), 2U);
  EXPECT_EQ(*piece(derived, "b", {0, 1}, 5), 5);
  EXPECT_EQ(*piece(other, "a", {0, 1}, 6), 6);  // nobody keeps it
}

TEST(SharedWork, SaysWhatItSpared) {
  Derived derived(table());
  const SharedWork::Keeper keeper(derived.shared_work());
  const std::vector<RowIndex> rows = {0, 1};
  const auto slowly = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return std::make_shared<int>(1);
  };
  double first = 0, second = 0;
  derived.shared_work().get<int>("a", rows, slowly, &first);
  EXPECT_EQ(first, 0);
  derived.shared_work().get<int>("a", rows, slowly, &second);
  EXPECT_GT(second, 0);
}

TEST(SharedWork, KeepsNoMoreThanTwoPiecesAndNoneInTheEnd) {
  Derived derived(table());
  std::weak_ptr<int> last;
  {
    const SharedWork::Keeper keeper(derived.shared_work());
    for (RowIndex row = 0; row < 3; ++row) last = piece(derived, "a", {row}, 1);
    EXPECT_EQ(derived.shared_work().kept(), 2U);
    EXPECT_EQ(*piece(derived, "a", {2}, 2), 1);
    EXPECT_EQ(*piece(derived, "a", {0}, 3), 3);  // it was the oldest
    {
      const SharedWork::Keeper inner(derived.shared_work());
      EXPECT_EQ(*piece(derived, "a", {2}, 4), 1);
    }
    EXPECT_FALSE(last.expired());
  }
  EXPECT_TRUE(last.expired());
  EXPECT_EQ(*piece(derived, "a", {2}, 5), 5);
}

TEST(SharedWork, IsMadeByTheNextWhereOneFails) {
  Derived derived(table());
  const SharedWork::Keeper keeper(derived.shared_work());
  const auto failing = []() -> std::shared_ptr<int> { throw std::runtime_error("stopped"); };
  EXPECT_THROW(derived.shared_work().get<int>("a", std::vector<RowIndex>{0}, failing),
               std::runtime_error);
  EXPECT_EQ(*piece(derived, "a", {0}, 1), 1);
}

// A stage that tries recipes keeps what they share; a recipe by itself keeps nothing.
TEST(SharedWork, IsKeptByAStageThatTriesRecipes) {
  const auto kept_by = [](const std::string& recipe) {
    Derived derived(table());
    const std::vector<RowIndex> rows = all_rows(table());
    bool kept = false;
    Control control;
    control.progress = [&](const Progress&) {
      const std::shared_ptr<int> first = piece(derived, "a", {0}, 1);
      kept = first == piece(derived, "a", {0}, 2);
    };
    run_recipe(Recipe::parse(recipe), {derived, rows, {}, 1}, Parallel(1), control);
    const std::shared_ptr<int> after = piece(derived, "a", {0}, 3);
    EXPECT_EQ(*after, 3);
    return kept;
  };
  EXPECT_TRUE(kept_by("auto"));
  EXPECT_FALSE(kept_by("grow"));
}

// All want the same at once, and the making itself divides its work among the threads.
TEST(SharedWork, IsMadeOnceByManyThreads) {
  Derived derived(table());
  for (RowIndex round = 0; round < 100; ++round) {
    const SharedWork::Keeper keeper(derived.shared_work());
    const Parallel parallel(4);
    parallel.each(16, [&](size_t) {
      const auto made = derived.shared_work().get<int>("a", std::vector<RowIndex>{round}, [&] {
        std::atomic<int> sum = 0;
        parallel.each(16, [&](size_t i) { sum += static_cast<int>(i); });
        return std::make_shared<int>(sum);
      });
      EXPECT_EQ(*made, 120);
    });
    EXPECT_EQ(derived.shared_work().made(), 1U);
  }
}

}  // namespace
}  // namespace softwood
