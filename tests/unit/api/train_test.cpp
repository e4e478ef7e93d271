// Controls of training, and what it returns.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <limits>
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
  settings.controls.stop = [&] { return ++asked > 2000; };  // when there is a tree
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

TEST(Train, HasAllTheTimeOfAnInfiniteBudget) {
  for (const double seconds : {1e12, 1e300, std::numeric_limits<double>::infinity()}) {
    TrainSettings settings = recipe("evolve generations=2");
    settings.controls.budget = std::chrono::duration<double>(seconds);
    EXPECT_EQ(train(clouds(100), settings).stopped, Stopped::converged) << seconds;
  }
  TrainSettings settings = recipe("evolve generations=2");
  settings.controls.budget = std::chrono::duration<double>(std::nan(""));
  EXPECT_THROW(train(clouds(100), settings), Error);
}

TEST(Train, RefusesANegativeNumberOfThreads) {
  TrainSettings settings;
  settings.threads = -1;
  const DataSet data = clouds(50);
  EXPECT_THROW(train(data, settings), Error);
  EXPECT_THROW(train(data).model.predict(data, -1), Error);
  CvSettings cv;
  cv.threads = -2;
  EXPECT_THROW(cross_validate(data, cv), Error);
}

TEST(Train, RefusesAMethodBesideARecipe) {
  TrainSettings settings = recipe("grow");
  settings.method = "c45";
  EXPECT_THROW(train(clouds(50), settings), Error);
  settings.method.clear();
  EXPECT_EQ(train(clouds(50), settings).model.tree().origin.method, "");
  EXPECT_EQ(train(clouds(50)).model.tree().origin.method, "cart");
  settings.method = "cart";
  EXPECT_THROW(rework(train(clouds(50)).model, clouds(50), settings), Error);
  CvSettings both;
  both.candidates = {{"cart", "grow", {}}};
  EXPECT_THROW(cross_validate(clouds(50), both), Error);
}

TEST(Train, SaysWhichStagesABudgetDoesNotEnd) {
  TrainSettings settings = recipe("grow max-depth=2 | prune alpha=0 | soften by=anneal");
  settings.controls.budget = std::chrono::hours(1);
  const NoteList notes = train(clouds(100), settings).notes;
  ASSERT_FALSE(notes.empty());
  EXPECT_EQ(notes[0].message,
            "grow and prune do not stop early: the budget ends the other stages only");
}

TEST(Train, SaysWhenAModelIsPrunedAlready) {
  const DataSet data = clouds(200);
  const TreeModel model = train(data, recipe("grow | prune alpha=0.1")).model;
  const NoteList notes = rework(model, data, recipe("prune alpha=0.001")).notes;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].message.find("alpha=0.001 changes nothing: the model is already pruned at"),
            0U);
  EXPECT_TRUE(rework(model, data, recipe("prune alpha=0.9")).notes.empty());
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

TEST(Rework, RefusesSettingsThatItWouldNotHonour) {
  const DataSet data = clouds(100);
  const TreeModel grown = train(data, recipe("grow")).model;
  const auto refused = [&](const auto& change) {
    TrainSettings settings = recipe("prune");
    change(settings);
    try {
      rework(grown, data, settings);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const auto names = [](const std::string& text, const char* word) {
    return text.find(word) != std::string::npos;
  };
  EXPECT_PRED2(names, refused([](auto& s) { s.method = "cart"; }), "method");
  EXPECT_PRED2(names, refused([](auto& s) { s.checkpoint = "c.bin"; }), "checkpoint");
  EXPECT_PRED2(names, refused([](auto& s) { s.classes.weights["1"] = 2; }), "weights");
  EXPECT_PRED2(names, refused([](auto& s) { s.classes.priors["1"] = 1; }), "priors");
  EXPECT_PRED2(names, refused([](auto& s) { s.classes.costs["1"]["2"] = 2; }), "costs");
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

// The caller's folds are used as they are: one that trains and tests on the same rows prunes
// nothing that was grown.
TEST(Train, CrossValidatesByTheCallersSplits) {
  const DataSet data = clouds(60);
  std::vector<size_t> all(60), first(30), second(30);
  for (size_t i = 0; i < 60; ++i) all[i] = i;
  for (size_t i = 0; i < 30; ++i) {
    first[i] = i;
    second[i] = i + 30;
  }
  TrainSettings settings = recipe("grow | prune rule=min");
  settings.splits = {{all, all}};
  const TreeModel kept = train(data, settings).model;
  const LoweredComplexity& table = *kept.tree().complexity;
  EXPECT_EQ(table.chosen + 1, table.trees.size());
  EXPECT_DOUBLE_EQ(table.trees.back().cv_error, table.trees.back().error);
  settings.splits = {{first, second}, {second, first}};
  EXPECT_GT(train(data, settings).model.tree().complexity->trees.back().cv_error, 0);
  settings.splits = {{first, {60}}};
  EXPECT_THROW(train(data, settings), Error);
  settings.splits = {{first, {}}};
  EXPECT_THROW(train(data, settings), Error);
}

// A split of n of N rows that gains g per row of the node gains g * n / N per row of all.
TEST(Train, LeastDecreasePerRowOfAllGrowsWithDepth) {
  const DataSet data = clouds(300);
  const size_t all =
      train(data, recipe("grow min-decrease=0.05 decrease-per=all-rows")).model.nodes();
  const size_t own = train(data, recipe("grow min-decrease=0.05")).model.nodes();
  EXPECT_LT(all, own);
  EXPECT_GT(all, 1U);
  const size_t binned =
      train(data, recipe("grow search=binned bins=1000 min-decrease=0.05 decrease-per=all-rows"))
          .model.nodes();
  EXPECT_EQ(binned, all);
}

TEST(Train, PrunesByImpurityPerRow) {
  const DataSet data = clouds(300);
  const TreeModel model = train(data, recipe("grow | prune risk=gini alpha=0")).model;
  const LoweredComplexity& table = *model.tree().complexity;
  EXPECT_EQ(table.chosen + 1, table.trees.size());
  // The largest alpha leaves the root alone, and just below it does not.
  const double largest = table.trees[0].alpha * table.root_risk / table.root_weight;
  const auto nodes_at = [&](double alpha) {
    return train(data, recipe("grow | prune risk=gini alpha=" + std::to_string(alpha)))
        .model.nodes();
  };
  EXPECT_EQ(nodes_at(largest * 1.001), 1U);
  EXPECT_GT(nodes_at(largest * 0.999), 1U);
  EXPECT_THROW(train(data, recipe("grow | prune risk=gini")), Error);
  EXPECT_THROW(train(data, recipe("grow | prune risk=variance alpha=0.1")), Error);
}

TEST(TreeModel, NamesTheConditionsOfItsNodes) {
  const TreeModel model = train(clouds(100), recipe("grow max-depth=2")).model;
  const std::vector<std::string> texts = model.branch_texts();
  ASSERT_EQ(texts.size(), model.nodes());
  EXPECT_EQ(texts[0], "");
  EXPECT_NE(texts[1].find("<="), std::string::npos);
  EXPECT_EQ(model.path_conditions(1), std::vector<std::string>{texts[1]});
  EXPECT_TRUE(model.path_conditions(0).empty());
  EXPECT_THROW(model.path_conditions(1000), Error);
}

}  // namespace
}  // namespace softwood
