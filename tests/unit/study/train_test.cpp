#include "study/train.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <utility>

#include "base/random.h"
#include "softwood/error.h"
#include "support/iris.h"
#include "support/tables.h"
#include "support/trees.h"
#include "tree/model.h"

namespace softwood {
namespace {

TrainRequest request(const std::string& recipe, bool on_tree = false) {
  return {"", Recipe::parse(recipe, {}, on_tree), 1, nullptr};
}

TEST(Train, RecordsWhereTheModelCameFrom) {
  const Table table = test::iris_table();
  TrainRequest asked = request("grow min-leaf=2 | prune");
  asked.method = "cart";
  asked.seed = 17;
  const TrainOutcome outcome = train(table, asked, Parallel(1), {});
  const Provenance& provenance = outcome.model.provenance;
  EXPECT_EQ(provenance.method, "cart");
  EXPECT_EQ(provenance.recipe, "grow min-leaf=2 | prune");
  EXPECT_EQ(provenance.seed, 17U);
  EXPECT_EQ(provenance.rows, 150U);
  EXPECT_EQ(provenance.fingerprint, table.fingerprint());
  EXPECT_EQ(outcome.stopped, Stopped::converged);
  EXPECT_TRUE(outcome.model.complexity);
  EXPECT_EQ(outcome.model.schema.features, table.schema().features);
}

// Numbers whose sums are rounded, in any order; and copies of a row instead of its weight.
TEST(Train, GrowsTheSameTreeFromNumbersInAnyOrder) {
  Random random(5, "numbers");
  std::vector<double> x0, x1, y, weights;
  std::vector<int32_t> level;
  for (int i = 0; i < 900; ++i) {
    x0.push_back(std::round(20 * random.uniform()));
    x1.push_back(random.uniform());
    level.push_back(static_cast<int32_t>(5 * random.uniform()));
    y.push_back(1e3 + 0.1 * x0.back() + random.uniform() * x1.back() + 1e-3 * level.back());
    weights.push_back(1 + i % 3);
  }
  const Table weighted =
      test::numbers_table({test::numbers(x0), test::numbers(x1), test::codes(level)}, y, weights);
  std::vector<RowIndex> copies;
  for (RowIndex row = 0; row < weighted.rows(); ++row)
    copies.insert(copies.end(), 1 + row % 3, row);
  for (const char* recipe : {"grow", "grow search=binned bins=16", "grow criterion=poisson",
                             "grow monotone=x0:+", "grow nominal=multiway max-leaves=40"}) {
    const auto text_of = [&](const Table& table) {
      Model model = train(table, request(recipe), Parallel(1), {}).model;
      model.provenance.rows = 0;
      return model_to_text(model);
    };
    const std::string text = text_of(weighted);
    for (int i = 0; i < 5; ++i) {
      random.shuffle(copies);
      EXPECT_EQ(text_of(test::with_weights(test::part_of(weighted, copies), {})), text) << recipe;
    }
  }
}

// A tree that the clock or a signal ended is not what its recipe gives; the model says so, also
// when other stages follow.
TEST(Train, RecordsThatAModelWasStopped) {
  const Table table = test::iris_table();
  std::atomic<bool> interrupt = false;
  Control control;
  control.interrupt = [&] { return interrupt.load(); };
  control.progress = [&](const Progress& progress) {
    if (progress.stage == "grow" && progress.share() == 1) interrupt = true;
  };
  const Model stopped =
      train(table, request("grow | soften by=gradient"), Parallel(1), control).model;
  EXPECT_EQ(stopped.provenance.stopped, "interrupt");
  EXPECT_EQ(
      rework(stopped, table, request("harden", true), Parallel(1), {}).model.provenance.stopped,
      "interrupt");
  EXPECT_EQ(train(table, request("grow"), Parallel(1), {}).model.provenance.stopped, "");
}

// A stop before there is a tree with a split that was fitted to all rows leaves nothing.
TEST(Train, StoppedBeforeATreeIsUsableGivesNone) {
  const Table table = test::iris_table();
  for (const char* recipe :
       {"evolve generations=5 population=10", "grow-soft shape=full depth=2", "grow-soft"}) {
    Control at_once;
    at_once.interrupt = [] { return true; };
    Control no_time;
    no_time.deadline = Control::Clock::now();
    for (const auto& [control, kind] :
         {std::pair{&at_once, ErrorKind::interrupted}, std::pair{&no_time, ErrorKind::failure}}) {
      try {
        const TrainOutcome outcome = train(table, request(recipe), Parallel(1), *control);
        FAIL() << recipe << " gave a tree of " << outcome.model.tree.size() << " nodes";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << recipe << ": " << error.what();
      }
    }
  }
}

// A soft tree of a full shape is chosen by parts of the rows; only its last fit sees all.
TEST(Train, StoppedAfterPartsOfTheRowsWereFittedGivesNone) {
  const Table table = test::iris_table();
  std::atomic<bool> interrupt = false;
  Control control;
  control.interrupt = [&] { return interrupt.load(); };
  control.progress = [&](const Progress& progress) {
    if (progress.share() > 0.5 && progress.share() < 1) interrupt = true;
  };
  EXPECT_THROW(
      train(table, request("grow-soft shape=full depth=2 members=3"), Parallel(1), control), Error);
  EXPECT_TRUE(interrupt);
}

TEST(Train, UsesValidationRows) {
  // The training rows suggest a split, the validation rows contradict it.
  const Table table = test::classes_table({test::numbers({1, 2, 3})}, {0, 0, 1});
  const Table validation = test::classes_table({test::numbers({1, 3, 3})}, {0, 0, 0});
  TrainRequest asked = request("grow | prune rule=min");
  asked.validation = &validation;
  EXPECT_EQ(train(table, asked, Parallel(1), {}).model.tree.size(), 1U);
}

TEST(Rework, GivesTheModelOfTheWholeRecipe) {
  const Table table = test::iris_table();
  const Model grown = train(table, request("grow min-leaf=2"), Parallel(1), {}).model;
  const Model loaded = model_from_text(model_to_text(grown), "test");
  const Model pruned =
      rework(loaded, table, request("prune rule=min", true), Parallel(1), {}).model;
  const Model whole =
      train(table, request("grow min-leaf=2 | prune rule=min"), Parallel(1), {}).model;
  EXPECT_EQ(model_to_text(pruned), model_to_text(whole));
  EXPECT_EQ(pruned.provenance.recipe, "grow min-leaf=2 | prune rule=min");
}

TEST(Rework, CanBeRepeated) {
  const Table table = test::iris_table();
  const Model grown = train(table, request("grow"), Parallel(1), {}).model;
  const Model once = rework(grown, table, request("prune alpha=0.01", true), Parallel(1), {}).model;
  const Model twice = rework(once, table, request("prune alpha=0.1", true), Parallel(1), {}).model;
  EXPECT_EQ(twice.provenance.recipe, "grow | prune alpha=0.01 | prune alpha=0.1");
  test::expect_same_tree(
      twice.tree, train(table, request("grow | prune alpha=0.1"), Parallel(1), {}).model.tree);
}

std::vector<RowIndex> even_rows(const Table& table) {
  std::vector<RowIndex> even;
  for (RowIndex row = 0; row < table.rows(); row += 2) even.push_back(row);
  return even;
}

struct Messages {
  std::vector<std::string> warnings;
  Control control;
  Messages() {
    control.warning = [this](const Note& said) { warnings.push_back(said.text()); };
  }
};

TEST(Rework, PrunesByRowsThatTheTreeHasNotSeen) {
  const Table table = test::classes_table({test::numbers({1, 2, 3, 4})}, {0, 0, 1, 1});
  const Model grown = train(table, request("grow"), Parallel(1), {}).model;
  ASSERT_EQ(grown.tree.size(), 3U);
  // The same split, and one that these rows contradict.
  const Table agreeing = test::classes_table({test::numbers({2, 3})}, {0, 1});
  const Table contrary = test::classes_table({test::numbers({1, 4, 4})}, {0, 0, 0});
  for (const char* const way : {"prune by=reduced-error", "prune rule=min"}) {
    Messages messages;
    const TrainOutcome kept =
        rework(grown, agreeing, request(way, true), Parallel(1), messages.control);
    EXPECT_EQ(kept.model.tree.size(), 3U) << way;
    EXPECT_TRUE(kept.other_rows);
    EXPECT_TRUE(messages.warnings.empty()) << way;
    // The tree and its numbers are still those of its own training rows.
    EXPECT_EQ(kept.model.tree.sums(0)[0], 2) << way;
    EXPECT_EQ(kept.model.provenance.fingerprint, table.fingerprint()) << way;
    EXPECT_EQ(kept.model.provenance.rows, 4U) << way;
    const TrainOutcome cut = rework(grown, contrary, request(way, true), Parallel(1), {});
    EXPECT_EQ(cut.model.tree.size(), 1U) << way;
  }
}

TEST(Rework, WarnsOfAnotherTreeAndOfOtherRows) {
  const Table table = test::iris_table();
  const Table half = test::part_of(table, even_rows(table));
  const Model grown = train(table, request("grow"), Parallel(1), {}).model;
  const auto warnings = [&](const Table& rows, const char* recipe) {
    Messages messages;
    rework(grown, rows, request(recipe, true), Parallel(1), messages.control);
    return messages.warnings;
  };
  EXPECT_TRUE(warnings(table, "prune").empty());
  ASSERT_EQ(warnings(table, "prune by=reduced-error").size(), 1U);
  EXPECT_NE(warnings(table, "prune by=reduced-error")[0].find("grown again"), std::string::npos);
  ASSERT_EQ(warnings(half, "prune alpha=0").size(), 1U);
  EXPECT_NE(warnings(half, "prune alpha=0")[0].find("not the rows"), std::string::npos);
  EXPECT_EQ(warnings(half, "prune | prune by=reduced-error").size(), 2U);
}

TEST(Rework, GoesOnWithRowsThatItPrunedBy) {
  const Table table = test::iris_table();
  const Table half = test::part_of(table, even_rows(table));
  const Model grown = train(table, request("grow"), Parallel(1), {}).model;
  const TrainOutcome outcome =
      rework(grown, half, request("prune rule=min | prune alpha=1000", true), Parallel(1), {});
  EXPECT_EQ(outcome.model.tree.size(), 1U);
  EXPECT_EQ(outcome.model.provenance.recipe, "grow | prune rule=min | prune alpha=1000");
  EXPECT_EQ(outcome.model.provenance.rows, 75U);
  EXPECT_EQ(outcome.seconds.size(), 1U);
}

}  // namespace
}  // namespace softwood
