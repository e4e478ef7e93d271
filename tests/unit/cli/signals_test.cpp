#include "cli/signals.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "cli/console.h"
#include "cli/output.h"
#include "cli/program.h"
#include "data/readers/source.h"
#include "softwood/error.h"
#include "stages/recipe.h"
#include "study/unfinished.h"
#include "support/mixed_table.h"
#include "support/scratch.h"
#include "support/tables.h"
#include "tree/recount.h"

namespace softwood {
namespace {

// Each death test runs in a process of its own from its start on, so what other tests have written
// there does not count.
class Signals : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

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

TEST_F(Signals, EndTheProgramAtOnceAndRemoveWhatIsHalfWritten) {
  const test::ScratchFolder folder{test::ScratchFolder::Inherited()};
  const std::string path = folder.file("half-written");
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

// A checkpoint, too, is written beside its place.
TEST_F(Signals, RemoveWhatTheLibraryHasHalfWritten) {
  const test::ScratchFolder folder{test::ScratchFolder::Inherited()};
  EXPECT_EXIT(
      {
        catch_signals();
        FileOutput output(folder.file("state"));
        output.write("half");
        raise(SIGTERM);
      },
      testing::ExitedWithCode(128 + SIGTERM), "interrupted");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(Signals, AskStoppableWorkToStopAndEndTheProgramTheSecondTime) {
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
TEST_F(Signals, DuringARefinementTheBestTreeSoFarIsTheResult) {
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

// Growing has no tree before its end.
TEST_F(Signals, DuringGrowingEndTheProgramWithoutAResult) {
  EXPECT_EXIT(
      {
        catch_signals();
        Console console(true);
        Control control = console.control();
        control.progress = [](const Progress& progress) {
          if (progress.activity == "growing") raise(SIGTERM);
        };
        const Table table = test::mixed_table(3, 4, false);
        Derived derived(table);
        const std::vector<RowIndex> rows = all_rows(table);
        try {
          run_recipe(Recipe::parse("grow | prune"), {derived, rows, {}, 1}, Parallel(1), control);
        } catch (const Error& error) {
          _exit(error.kind() == ErrorKind::interrupted ? interrupted_code() : 9);
        }
        _exit(8);
      },
      testing::ExitedWithCode(128 + SIGTERM), "");
}

// As if the signal had come while rows were prepared.
void interrupt_preparing() {
  catch_signals();
  Control control;
  control.stoppable = stoppable_count();
  const StoppableWork work(control);
  raise(SIGINT);
}

TEST_F(Signals, BeforeThereIsATreeAreToldAndGiveTheirExitCode) {
  const test::ScratchFolder folder{test::ScratchFolder::Inherited()};
  const std::string data = folder.file("interrupted.csv");
  std::ofstream(data) << "x,class\n1,a\n2,b\n3,a\n4,b\n";
  EXPECT_EXIT(
      {
        interrupt_preparing();
        _exit(run_program({"train", data, "-o", data + ".json"}));
      },
      testing::ExitedWithCode(128 + SIGINT), "softwood: interrupted, nothing was saved");
  EXPECT_FALSE(std::filesystem::exists(data + ".json"));
}

// Where there was nothing to save, nothing is said of it.
TEST_F(Signals, OfVerbsThatSaveNothingSaySo) {
  const test::ScratchFolder folder{test::ScratchFolder::Inherited()};
  const std::string data = folder.file("compared.csv");
  std::ofstream(data) << "x,class\n1,a\n2,b\n3,a\n4,b\n";
  EXPECT_EXIT(
      {
        interrupt_preparing();
        _exit(run_program({"cv", data, "--folds", "2"}));
      },
      testing::ExitedWithCode(128 + SIGINT), "softwood: interrupted\n");
}

TEST_F(Signals, AFileThatGetsShorterAfterItWasOpenedHurtsNobody) {
  const test::ScratchFolder folder{test::ScratchFolder::Inherited()};
  const std::string path = folder.file("shortened");
  constexpr size_t size = 1 << 20;
  std::ofstream(path) << std::string(size, '1');
  const Source source = Source::open(path, 1 << 30);
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ(source.bytes(), std::string(size, '1'));
}

TEST_F(Signals, AClosedPipeIsAnErrorOfWriting) {
  EXPECT_EXIT(
      {
        int ends[2];
        if (pipe(ends) != 0) _exit(9);
        close(ends[0]);
        dup2(ends[1], STDOUT_FILENO);
        const std::vector<std::string> words = {"methods"};
        _exit(run_program(words));
      },
      testing::ExitedWithCode(1), "standard output: can't be written: Broken pipe");
}

TEST_F(Signals, DoNotSayThatNothingWasSavedWhenSomethingWas) {
  const test::ScratchFolder folder{test::ScratchFolder::Inherited()};
  const std::string path = folder.file("saved");
  EXPECT_EXIT(
      {
        catch_signals();
        Output output(path);
        output.write("whole");
        output.finish();
        raise(SIGHUP);
      },
      testing::ExitedWithCode(128 + SIGHUP), "interrupted; what was finished before is saved");
}

}  // namespace
}  // namespace softwood
