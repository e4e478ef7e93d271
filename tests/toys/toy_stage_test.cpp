// A new stage works with everything that there is, from one file and one line of the table.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/program.h"
#include "softwood/error.h"
#include "study/cv.h"
#include "study/train.h"
#include "support/grow.h"
#include "support/iris.h"
#include "support/scratch.h"
#include "support/tables.h"
#include "support/trees.h"

namespace softwood {
namespace {

std::string fault(const std::string& recipe, bool on_tree = false) {
  try {
    Recipe::parse(recipe, {}, on_tree);
  } catch (const Error& error) {
    return error.text();
  }
  return "";
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

size_t depth_of(const Tree& tree) { return shape_of(tree).depth; }

TrainRequest request_of(const std::string& recipe, bool on_tree = false) {
  TrainRequest request;
  request.recipe = Recipe::parse(recipe, {}, on_tree);
  return request;
}

TEST(ToyStage, StandsInRecipesWithItsOptions) {
  EXPECT_EQ(Recipe::parse("grow | shave levels=2").text(), "grow | shave levels=2");
  EXPECT_EQ(Recipe::parse("grow | shave", {"shave.levels=3"}).text(), "grow | shave levels=3");
  EXPECT_TRUE(Recipe::parse("grow | shave").anytime());
  EXPECT_FALSE(Recipe::parse("grow | shave").resumes());
}

TEST(ToyStage, IsCheckedAsOthersAre) {
  expect_part(fault("shave"), "needs a tree");
  expect_part(fault("grow | shave levels=51"), "levels");
  expect_part(fault("grow | shave level=2"), "levels");
  expect_part(fault("grow | shave depth=2"), "it is called 'levels' here");
  expect_part(fault("grow | shav"), "shave");
  expect_part(fault("grow-soft | shave"), "'shave' shaves hard trees, and 'grow-soft' makes soft");
  EXPECT_EQ(fault("grow-soft | harden | shave"), "");
  EXPECT_EQ(fault("shave", true), "");
}

TEST(ToyStage, ChangesTheTreeAndIsRunAgainByThoseBehindIt) {
  const Table table = test::iris_table();
  const Tree grown = test::run(table, "grow");
  EXPECT_EQ(depth_of(test::run(table, "grow | shave levels=2")), depth_of(grown) - 2);
  EXPECT_EQ(depth_of(test::run(table, "grow | shave levels=50")), 0U);
  // Cross-validation of the pruning makes trees of other rows, which are shaved, too.
  const Tree pruned = test::run(table, "grow | shave | prune rule=min");
  EXPECT_LE(depth_of(pruned), depth_of(grown) - 1);
}

TEST(ToyStage, ReportsItsProgressUnderItsName) {
  const Table table = test::iris_table();
  std::vector<double> done;
  Control control;
  control.progress = [&](const Progress& progress) {
    if (progress.stage == "shave" && progress.activity == "shaving") {
      done.push_back(progress.done);
      EXPECT_EQ(progress.of, 3);
    }
  };
  const TrainOutcome outcome =
      train(table, request_of("grow | shave levels=3"), Parallel(1), control);
  EXPECT_EQ(done, (std::vector<double>{1, 2, 3}));
  ASSERT_EQ(outcome.seconds.size(), 2U);
  EXPECT_EQ(outcome.seconds[1].first, "shave");
}

TEST(ToyStage, KeepsItsTreeSoFarWhenItIsStopped) {
  const Table table = test::iris_table();
  bool stop = false;
  Control control;
  control.interrupt = [&] { return stop; };
  control.progress = [&](const Progress& progress) {
    stop = progress.stage == "shave" && progress.done >= 1;
  };
  const TrainOutcome outcome =
      train(table, request_of("grow | shave levels=3"), Parallel(1), control);
  EXPECT_EQ(outcome.stopped, Stopped::interrupt);
  EXPECT_EQ(outcome.model.provenance.stopped, "interrupt");
  EXPECT_EQ(depth_of(outcome.model.tree), depth_of(test::run(table, "grow | shave levels=1")));
}

TEST(ToyStage, ReworksFinishedModels) {
  const Table table = test::iris_table();
  const Model grown = train(table, request_of("grow"), Parallel(1), {}).model;
  const Model shaved =
      rework(grown, table, request_of("shave levels=2", true), Parallel(1), {}).model;
  EXPECT_EQ(shaved.provenance.recipe, "grow | shave levels=2");
  test::expect_same_tree(shaved.tree, test::run(table, "grow | shave levels=2"));
  const std::string text = model_to_text(shaved);
  EXPECT_EQ(model_to_text(model_from_text(text, "toy")), text);
}

TEST(ToyStage, IsCrossValidatedBesideOthers) {
  const Table table = test::iris_table();
  const std::vector<softwood::Run> runs = cross_validation_runs(table, 3, 1, 1);
  const CvOutcome outcome = cross_validate(
      table, runs, {{"", Recipe::parse("grow")}, {"", Recipe::parse("grow | shave levels=2")}}, 1,
      Parallel(1), {});
  ASSERT_EQ(outcome.candidates.size(), 2U);
  EXPECT_EQ(outcome.candidates[1].recipe, "grow | shave levels=2");
  for (size_t run = 0; run < runs.size(); ++run) {
    EXPECT_EQ(outcome.candidates[1].figure("depth")[run],
              outcome.candidates[0].figure("depth")[run] - 2);
  }
}

// What the program prints, and its exit code.
std::pair<std::string, int> printed(const std::vector<std::string>& arguments) {
  testing::internal::CaptureStdout();
  const int code = run_program(arguments);
  return {testing::internal::GetCapturedStdout(), code};
}

TEST(ToyStage, IsPartOfTheHelp) {
  const auto [all, all_code] = printed({"methods"});
  EXPECT_EQ(all_code, 0);
  expect_part(all, "takes the deepest leaves off");
  const auto [one, one_code] = printed({"methods", "shave"});
  EXPECT_EQ(one_code, 0);
  expect_part(one, "levels=1");
  expect_part(one, "levels of leaves that are taken off");
  expect_part(one, "from 1 to 50");
}

TEST(ToyStage, IsTrainedFromTheCommandLine) {
  const test::ScratchFolder folder;
  const std::string data = folder.file("rows.csv"), model = folder.file("tree.json");
  {
    std::ofstream rows(data);
    rows << "x,y\n";
    for (int i = 0; i < 40; ++i) rows << i << (i / 10 % 2 == 0 ? ",a\n" : ",b\n");
  }
  const auto [text, code] =
      printed({"train", data, "--recipe", "grow | shave", "-o", model, "--json", "--quiet"});
  EXPECT_EQ(code, 0);
  expect_part(text, "\"grow | shave\"");  // recipe
  expect_part(text, "\"shave\"");         // seconds
  EXPECT_TRUE(std::filesystem::exists(model));
}

}  // namespace
}  // namespace softwood
