// The folder of the trees of a frontier.
#include "cli/frontier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/scratch.h"
#include "support/tables.h"

namespace softwood {
namespace {
namespace fs = std::filesystem;

TEST(FrontierFile, HasANameThatNoModelMayHave) {
  EXPECT_TRUE(is_frontier_file("frontier.json"));
  EXPECT_TRUE(is_frontier_file("tree-01.json"));
  EXPECT_TRUE(is_frontier_file("tree-123.json"));
  EXPECT_FALSE(is_frontier_file("tree-mine.json"));
  EXPECT_FALSE(is_frontier_file("tree-.json"));
  EXPECT_FALSE(is_frontier_file("tree-01.json.gz"));
}

// The second recipe is for classes: whatever the reason, the other trees and the list are saved.
TEST(FrontierFolder, LeavesOutATreeThatCantBeFitted) {
  const test::ScratchFolder scratch;
  const std::string path = scratch.file("frontier");
  const Table table = test::numbers_table({test::numbers({1, 2, 3, 4, 5, 6})}, {0, 0, 0, 1, 1, 1});
  TrainRequest request;
  request.recipe = Recipe::parse("auto");
  const Parallel parallel(1);
  TrainRequest grown = request;
  grown.recipe = Recipe::parse("grow max-leaves=2");
  TrainOutcome outcome = train(table, grown, parallel, {});
  Frontier frontier;
  for (const char* recipe :
       {"grow max-leaves=1", "grow leaf=naive-bayes max-leaves=2", "grow max-leaves=2"}) {
    FrontierPoint point;
    point.recipe = recipe;
    frontier.points.push_back(point);
  }
  frontier.chosen = 2;
  outcome.model.frontier = frontier;
  std::vector<std::string> notes;
  Control control;
  control.note = [&](const Note& note) { notes.push_back(note.text()); };
  const FrontierFolder folder(path, request.recipe);
  folder.save(table, request, outcome, parallel, control);
  EXPECT_TRUE(fs::exists(path + "/tree-01.json"));
  EXPECT_FALSE(fs::exists(path + "/tree-02.json"));
  EXPECT_TRUE(fs::exists(path + "/tree-03.json"));
  std::ifstream list(path + "/frontier.json");
  const Json object = Json::parse(list);
  EXPECT_TRUE(object["points"][1]["file"].is_null());
  EXPECT_EQ(object["points"][2]["file"], "tree-03.json");
  const auto says_why = [](const std::string& note) {
    return note.find("'grow leaf=naive-bayes max-leaves=2' of the frontier can't be fitted") !=
           std::string::npos;
  };
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), says_why));
}

}  // namespace
}  // namespace softwood
