#include "cli/signals.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "cli/console.h"
#include "cli/output.h"
#include "data/readers/source.h"
#include "stages/recipe.h"
#include "support/tables.h"
#include "tree/recount.h"

namespace softwood {
namespace {

// A cut in the wrong place: refining moves it, and then looks whether to go on.
Trained refined_stump(const Control& control) {
  const Table table = test::numbers_table({test::numbers({1, 2, 3, 4, 5})}, {0, 1, 10, 11, 10});
  Tree stump(Task::regression, 0);
  stump.split(0, threshold_gate(0, 1.5), {});
  recount(stump, table, all_rows(table));
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  return run_recipe(Recipe::parse("refine", {}, true), {derived, rows, {}, 1}, Parallel(1), control,
                    std::move(stump));
}

TEST(Signals, EndTheProgramAtOnceAndRemoveWhatIsHalfWritten) {
  const std::string path = testing::TempDir() + "softwood-half-written";
  std::ofstream(path) << "half";
  EXPECT_EXIT(
      {
        catch_signals();
        const Unfinished unfinished(path);
        raise(SIGTERM);
      },
      testing::ExitedWithCode(128 + SIGTERM), "interrupted");
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Signals, AskAnytimeWorkToStopAndEndTheProgramTheSecondTime) {
  EXPECT_EXIT(
      {
        catch_signals();
        Control control;
        control.stoppable = stoppable_count();
        const StoppableWork work(control);
        raise(SIGINT);
        if (!interrupt_flag()->load()) _exit(9);
        raise(SIGINT);
      },
      testing::ExitedWithCode(128 + SIGINT), "interrupted");
}

// A stage that can stop early is interrupted after its first step.
TEST(Signals, DuringARefinementTheBestTreeSoFarIsTheResult) {
  EXPECT_EXIT(
      {
        catch_signals();
        Console console(true);
        Control control = console.control();
        control.progress = [](const Progress& progress) {
          if (progress.activity == "refining") raise(SIGTERM);
        };
        const Trained refined = refined_stump(control);
        _exit(refined.report.stopped == Stopped::interrupt && refined.tree.size() == 3 ? 0 : 9);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Signals, AFileThatGetsShorterWhileItIsReadIsAnErrorOfTheData) {
  const std::string path = testing::TempDir() + "softwood-shortened";
  std::ofstream(path) << std::string(1 << 20, '1');
  EXPECT_EXIT(
      {
        catch_signals();
        const Source source = Source::open(path, 1 << 30);
        std::filesystem::resize_file(path, 0);
        _exit(std::count(source.bytes().begin(), source.bytes().end(), '1') == 0 ? 8 : 9);
      },
      testing::ExitedWithCode(3), "became shorter");
  std::filesystem::remove(path);
}

TEST(Signals, DoNotSayThatNothingWasSavedWhenSomethingWas) {
  const std::string path = testing::TempDir() + "softwood-saved";
  EXPECT_EXIT(
      {
        catch_signals();
        Output output(path);
        output.write("whole");
        output.finish();
        raise(SIGHUP);
      },
      testing::ExitedWithCode(128 + SIGHUP), "interrupted; what was finished before is saved");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace softwood
