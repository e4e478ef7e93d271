// Controls of training, and what it returns.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <thread>

#include "api/border.h"
#include "softwood/softwood.h"

namespace softwood {
namespace {

DataSet clouds(size_t rows) {
  return DataSet::from(generate("twonorm", {{"rows", std::to_string(rows)}}));
}

TrainSettings recipe(const std::string& text) {
  TrainSettings settings;
  settings.recipe = text;
  return settings;
}

TEST(Train, SaysWhereItStands) {
  TrainSettings settings = recipe("grow | prune");
  std::set<std::string> stages;
  settings.controls.progress = [&](const Progress& progress) {
    stages.emplace(progress.stage);
    EXPECT_GE(progress.share(), 0);
    EXPECT_LE(progress.share(), 1);
  };
  const TrainResult result = train(clouds(300), settings);
  EXPECT_TRUE(stages.contains("prune"));
  ASSERT_EQ(result.seconds.size(), 2U);
  EXPECT_EQ(result.seconds[0].first, "grow");
  EXPECT_EQ(result.stopped, Stopped::converged);
}

TEST(Train, ReturnsTheBestTreeSoFarWhenItIsStopped) {
  TrainSettings settings = recipe("evolve generations=100000 patience=100000");
  std::atomic<bool> stop = false;
  settings.controls.stop_flag = &stop;
  settings.controls.progress = [&](const Progress& progress) {
    if (progress.best) stop = true;
  };
  const TrainResult result = train(clouds(200), settings);
  EXPECT_EQ(result.stopped, Stopped::interrupt);
  EXPECT_GT(result.model.nodes(), 1U);
}

TEST(Train, AsksTheCallerWhetherToStop) {
  TrainSettings settings = recipe("evolve generations=100000 patience=100000");
  std::atomic<int> asked = 0;
  settings.controls.stop = [&] { return ++asked > 200; };
  EXPECT_EQ(train(clouds(200), settings).stopped, Stopped::interrupt);
}

TEST(Train, OfAStageWithoutATreeSoFarIsAnErrorWhenItIsStopped) {
  TrainSettings settings = recipe("grow | prune");
  const std::atomic<bool> stop = true;
  settings.controls.stop_flag = &stop;
  try {
    train(clouds(200), settings);
    FAIL() << "was not stopped";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::interrupted);
  }
}

TEST(Train, EndsWithItsBudget) {
  TrainSettings settings = recipe("evolve generations=1000000 patience=1000000");
  settings.controls.budget = std::chrono::milliseconds(300);
  EXPECT_EQ(train(clouds(200), settings).stopped, Stopped::budget);
}

TEST(Train, KeepsItsNotes) {
  TrainSettings settings = recipe("grow");
  settings.controls.budget = std::chrono::hours(1);
  size_t heard = 0;
  settings.controls.note = [&](const Note&) { ++heard; };
  const TrainResult result = train(clouds(100), settings);
  EXPECT_EQ(result.notes.size(), 1U);  // the budget changes nothing
  EXPECT_EQ(heard, 1U);
}

TEST(Train, GoesOnFromItsCheckpoint) {
  const std::string path =
      (std::filesystem::temp_directory_path() / "softwood-api.checkpoint").string();
  std::filesystem::remove(path);
  TrainSettings settings = recipe("evolve generations=30 patience=30");
  const std::string whole = train(clouds(150), settings).model.text();
  settings.checkpoint = path;
  EXPECT_EQ(train(clouds(150), settings).model.text(), whole);
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_EQ(train(clouds(150), settings).model.text(), whole);
  settings.seed = 2;
  EXPECT_THROW(train(clouds(150), settings), Error);
  std::filesystem::remove(path);
}

TEST(Train, GivesTheSameModelFromSeveralThreads) {
  const DataSet data = clouds(400);
  std::vector<std::string> texts(4);
  std::vector<std::thread> threads;
  for (std::string& text : texts) {
    threads.emplace_back([&] { text = train(data, recipe("grow | prune")).model.text(); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : texts) EXPECT_EQ(text, texts[0]);
}

TEST(Rework, RunsMoreStagesOnAModel) {
  const DataSet data = clouds(300);
  const TreeModel grown = train(data, recipe("grow")).model;
  const TrainResult pruned = rework(grown, data, recipe("prune alpha=0.02"));
  EXPECT_LT(pruned.model.nodes(), grown.nodes());
  EXPECT_THROW(rework(grown, data, {}), Error);  // no recipe
}

TEST(CrossValidate, ComparesOnTheSameFolds) {
  CvSettings settings;
  settings.candidates = {{"cart", "", {}}, {"", "grow max-depth=1", {}}};
  settings.folds = 4;
  const CvResult result = cross_validate(clouds(300), settings);
  ASSERT_EQ(result.candidates.size(), 2U);
  EXPECT_EQ(result.candidates[0].figures.at("error").size(), 4U);
  EXPECT_EQ(result.candidates[1].figures.at("depth"), (std::vector<double>{1, 1, 1, 1}));
  ASSERT_EQ(result.comparisons.size(), 1U);
  EXPECT_LT(result.comparisons[0].difference, 0);
}

TEST(CrossValidate, TakesTestRows) {
  CvSettings settings;
  settings.test_rows = {{0, 1, 2, 3}, {4, 5, 6, 7}};
  EXPECT_EQ(cross_validate(clouds(100), settings).candidates[0].figures.at("error").size(), 2U);
  settings.test_rows = {{100}};
  EXPECT_THROW(cross_validate(clouds(100), settings), Error);
}

TEST(Tables, SayWhatThereIs) {
  const std::vector<StageInfo> stages = stage_table();
  EXPECT_EQ(stages.at(0).name, "grow");
  EXPECT_FALSE(stages.at(0).options.empty());
  for (const MethodInfo& method : method_table()) {
    EXPECT_FALSE(method.recipe.empty()) << method.name;
    EXPECT_FALSE(method.stages.empty()) << method.name;
  }
  EXPECT_EQ(method_table().at(0).stages.at(0).options.at("criterion"), "auto");
  for (const OptionInfo& option : stages.at(0).options) {
    EXPECT_EQ(option.python_name.find('-'), std::string::npos) << option.name;
    if (option.name != "min-leaf") continue;
    EXPECT_EQ(option.kind, OptionKind::real);
    EXPECT_EQ(option.python_name, "min_samples_leaf");
  }
  for (const GeneratorInfo& generator : generator_table()) {
    EXPECT_GT(generate(generator.name).rows(), 0U) << generator.name;
  }
  EXPECT_THROW(generate("no such generator"), Error);
}

TEST(Border, LetsNothingButErrorsThrough) {
  const auto kind_of = [](const auto& body) {
    try {
      at_border(body);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(kind_of([] { throw std::logic_error("logic"); }), "logic");
  EXPECT_EQ(kind_of([] { throw std::bad_alloc(); }), "there is not enough memory");
  EXPECT_EQ(kind_of([] { throw 7; }), "an exception of unknown kind");
  EXPECT_EQ(kind_of([] { throw Error(ErrorKind::data, "data"); }), "data");
  EXPECT_EQ(kind_of([] {}), "nothing");
}

TEST(Border, TurnsWhatCallbacksThrowIntoErrors) {
  TrainSettings settings = recipe("grow | prune");
  settings.controls.progress = [](const Progress&) { throw std::runtime_error("mine"); };
  EXPECT_THROW(train(clouds(100), settings), Error);
}

}  // namespace
}  // namespace softwood
