#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace softwood {
namespace {

class EveryThreadCount : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, EveryThreadCount, testing::Values(1, 2, 5),
                         testing::PrintToStringParamName());

TEST_P(EveryThreadCount, RunsEachTaskOnce) {
  const Parallel parallel(GetParam());
  EXPECT_GE(parallel.threads(), 1);
  EXPECT_LE(parallel.threads(), GetParam());
  std::vector<std::atomic<int>> runs(1000);
  parallel.each(runs.size(), [&](size_t task) { ++runs[task]; });
  for (const auto& count : runs) EXPECT_EQ(count, 1);
  parallel.each(0, [](size_t) { FAIL() << "there is no task"; });
}

TEST_P(EveryThreadCount, PassesAnExceptionOn) {
  const Parallel parallel(GetParam());
  EXPECT_THROW(parallel.each(100,
                             [](size_t task) {
                               if (task == 40) throw std::range_error("task 40");
                             }),
               std::range_error);
}

TEST_P(EveryThreadCount, GivesWorkersMemoryOfTheirOwn) {
  const Parallel parallel(GetParam());
  std::vector<std::atomic<bool>> busy(static_cast<size_t>(GetParam()));
  parallel.each(500, [&](size_t) {
    const size_t worker = parallel.worker();
    ASSERT_LT(worker, busy.size());
    EXPECT_FALSE(busy[worker].exchange(true)) << "two tasks at a time";
    std::this_thread::yield();
    busy[worker] = false;
  });
}

TEST_P(EveryThreadCount, RunsTasksWithinTasks) {
  const Parallel parallel(GetParam());
  std::atomic<size_t> sum = 0;
  parallel.each(
      20, [&](size_t outer) { parallel.each(30, [&](size_t inner) { sum += outer * inner; }); });
  EXPECT_EQ(sum, size_t{190} * 435);
}

TEST(Parallel, TakesWhatTheMachineOffersWhenNotTold) { EXPECT_GE(Parallel(0).threads(), 1); }

TEST(Blocks, CoverTheItemsWithoutGapsAndDependOnThemAlone) {
  for (const size_t count : {0, 1, 9, 10, 11, 20}) {
    const Blocks blocks{count, 10};
    size_t next = 0;
    for (size_t b = 0; b < blocks.blocks(); ++b) {
      EXPECT_EQ(blocks.begin(b), next);
      EXPECT_GT(blocks.end(b), next);
      next = blocks.end(b);
    }
    EXPECT_EQ(next, count);
  }
}

}  // namespace
}  // namespace softwood
