// What must hold for every method, on every toy data set: it trains, and the model can be saved,
// loaded and used for any row.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

#include "conformance/toys.h"
#include "fit/leaf_learners.h"
#include "softwood/error.h"
#include "stages/grow/missing_values.h"
#include "stats/split_search.h"
#include "study/lowered.h"
#include "study/train.h"
#include "support/names.h"
#include "support/same_answers.h"
#include "support/tables.h"
#include "support/toy_renderer.h"
#include "tree/compiled.h"
#include "use/predict.h"

namespace softwood {
namespace {

const std::vector<test::Toy>& all_toys(const std::string& method) {
  static const std::vector<test::Toy> table = test::toys(), fewer = test::toys(30);
  // A choice among some fifty trees: as many levels and classes as its candidates treat as many.
  return method == "auto" ? fewer : table;
}

struct Case {
  Case(std::string called, std::string made, std::optional<Task> task = {})
      : name(std::move(called)), recipe(std::move(made)), only(task) {}
  std::string name, recipe;
  std::optional<Task> only;  // none: for both
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

// The task of a recipe whose criterion is for one alone.
std::optional<Task> task_of(const std::string& recipe) {
  const Recipe parsed = Recipe::parse(recipe);
  const Step& first = parsed.steps()[0];
  if (first.stage->name != "grow") return {};
  for (const stats::Criterion& criterion : stats::criteria()) {
    if (criterion.name == first.options.text("criterion")) return criterion.task;
  }
  return {};
}

// Every method, and the ways of growing that no method has as its default.
std::vector<Case> all_recipes() {
  std::vector<Case> recipes;
  for (const Method& method : methods()) {
    recipes.emplace_back(method.name, method.recipe, task_of(method.recipe));
  }
  recipes.emplace_back("grow", "grow");
  for (const std::string& rule : names_of(grow::missing_choices)) {
    recipes.emplace_back("missing_" + rule, "grow missing=" + rule);
  }
  recipes.emplace_back("multiway", "grow nominal=multiway");
  recipes.emplace_back("binned", "grow search=binned | prune");
  recipes.emplace_back("binned_multiway", "grow search=binned nominal=multiway bins=4");
  recipes.emplace_back("best_first", "grow max-leaves=5 min-leaf=2");
  recipes.emplace_back("rpart", "grow | prune sequence=rpart rule=min folds=3");
  recipes.emplace_back("reduced_error", "grow | prune by=reduced-error");
  recipes.emplace_back("pessimistic", "grow | prune by=pessimistic", Task::classification);
  recipes.emplace_back("data_points", "grow cut-at=data-point");
  recipes.emplace_back("every_level", "grow nominal=every-level missing=fractional");
  recipes.emplace_back("simplify", "grow | prune by=simplify");
  recipes.emplace_back("impurity_merge", "grow | prune by=impurity-merge");
  recipes.emplace_back("refine", "grow max-depth=3 | refine | prune");
  recipes.emplace_back("refine_gradient", "grow max-depth=3 | refine by=gradient steps=60");
  recipes.emplace_back("refine_hyperplanes", "grow max-depth=2 | refine gates=hyperplanes");
  recipes.emplace_back("soften", "grow max-depth=4 | soften");
  recipes.emplace_back("soften_fractional", "grow missing=fractional max-depth=3 | soften");
  recipes.emplace_back("soften_surrogates", "grow missing=surrogate max-depth=3 | soften");
  recipes.emplace_back("soften_gradient", "grow max-depth=3 | soften by=gradient steps=60");
  recipes.emplace_back("soften_interval", "grow | soften by=interval rule=c50",
                       Task::classification);
  recipes.emplace_back("harden", "grow max-depth=4 | soften | harden");
  recipes.emplace_back("evolve_oblique", "evolve split=oblique directions=20 generations=20");
  for (const std::string& form : fit::leaf_choices()) {
    for (const Task task : {Task::classification, Task::regression}) {
      if (form == "distribution" || !fit::leaf_choice_fits(form, task)) continue;
      recipes.emplace_back("leaf_" + form, "grow max-depth=2 leaf=" + form, task);
    }
  }
  return recipes;
}

class EveryMethod : public testing::TestWithParam<Case> {
 protected:
  static std::vector<test::Toy> toys() {
    std::vector<test::Toy> fitting;
    for (const test::Toy& toy : all_toys(GetParam().name)) {
      if (GetParam().only.value_or(toy.table.schema().task()) == toy.table.schema().task()) {
        fitting.push_back(toy);
      }
    }
    return fitting;
  }
  static Model model(const Table& table, int threads) {
    return train(table, {GetParam().name, Recipe::parse(GetParam().recipe), 3, nullptr},
                 Parallel(threads), {})
        .model;
  }
};

INSTANTIATE_TEST_SUITE_P(Toys, EveryMethod, testing::ValuesIn(all_recipes()), test::ByText());

// Rows as nasty as the schema allows: all missing, every level, values far outside.
Table strange_rows(const Schema& schema) {
  size_t rows = 4;
  for (const Feature& feature : schema.features) rows = std::max(rows, feature.levels.size() + 1);
  std::vector<Column> inputs;
  const double values[] = {missing_number, -1e308, 1e308, 0.0};
  for (const Feature& feature : schema.features) {
    ColumnDraft column(feature.kind);
    for (size_t row = 0; row < rows; ++row) {
      if (feature.kind == Kind::numeric) {
        column.numbers.push_back(values[row % 4]);
      } else {
        const size_t code = row % (feature.levels.size() + 1);  // the last one: missing
        column.codes.push_back(code == feature.levels.size() ? missing_code
                                                             : static_cast<int32_t>(code));
      }
    }
    inputs.push_back(std::move(column));
  }
  return {schema, rows, std::move(inputs), {}, {}};
}

void expect_answers(const Tree& tree, const Table& table) {
  const auto rows = all_rows(table);
  const Predictions answers = predict(tree, table, rows, Parallel(1));
  ASSERT_EQ(answers.answers.size(), table.rows() * tree.answer_width());
  for (size_t row = 0; row < table.rows(); ++row) {
    double sum = 0;
    for (size_t k = 0; k < answers.width; ++k) {
      const double answer = answers.answers[row * answers.width + k];
      ASSERT_TRUE(std::isfinite(answer)) << "row " << row;
      if (tree.task() == Task::classification) {
        ASSERT_GE(answer, 0);
      }
      sum += answer;
    }
    if (tree.task() == Task::classification) {
      ASSERT_NEAR(sum, 1, 1e-12) << "row " << row;
    }
  }
  std::vector<Arrival> arrivals;
  Compiled(tree).arrivals(table, rows, arrivals);
  std::vector<double> weight(table.rows(), 0.0);
  for (const Arrival& arrival : arrivals) {
    EXPECT_LT(arrival.node, tree.size());
    weight[arrival.row] += arrival.weight;
  }
  for (const double sum : weight) ASSERT_NEAR(sum, 1, 1e-12);
}

// Interrupted before its start: only a stage that works step by step may have a tree by then.
TEST_P(EveryMethod, HasATreeWhenInterruptedOnlyWhereItsFirstStageIsMarkedSo) {
  const std::atomic<bool> interrupted = true;
  Control control;
  control.interrupt = [&] { return interrupted.load(); };
  const Recipe recipe = Recipe::parse(GetParam().recipe);
  for (const auto& [toy, table] : toys()) {
    SCOPED_TRACE(toy);
    try {
      const TrainOutcome outcome = train(table, {"", recipe, 3, nullptr}, Parallel(1), control);
      EXPECT_TRUE(recipe.first(1).anytime());
      EXPECT_TRUE(is_canonical(outcome.model.tree));
      EXPECT_GT(outcome.model.tree.size(), 1U);  // a tree without a split is not worth keeping
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::interrupted);
    }
  }
}

bool all_hard(const Tree& tree) {
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (!tree.node(i).is_leaf() && !is_hard(tree.node(i).gate())) return false;
  }
  return true;
}

// Every leaf has the sums of the training rows that reach it. (Softening leaves them as they were:
// it is the answers that stay, Dvorak & Savicky, section 2.)
void expect_weights(const Tree& tree, const Table& table) {
  EXPECT_TRUE(is_canonical(tree));
  double all = 0;
  for (const RowIndex row : all_rows(table)) all += table.weight(row);
  EXPECT_NEAR(tree.weight(0), all, 1e-9 * all);
  if (!all_hard(tree)) return;
  std::vector<Arrival> arrivals;
  Compiled(tree).arrivals(table, all_rows(table), arrivals);
  std::vector<double> arrived(tree.size(), 0.0);
  for (const Arrival& arrival : arrivals) {
    arrived[arrival.node] += arrival.weight * table.weight(arrival.row);
  }
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) {
      EXPECT_NEAR(tree.weight(i), arrived[i], 1e-9 * all) << "leaf " << i;
    }
  }
}

void expect_same_after_loading(const Model& made, const Table& table) {
  const std::string text = model_to_text(made);
  const Model loaded = model_from_text(text, "test");
  EXPECT_EQ(model_to_text(loaded), text);
  const auto rows = all_rows(table);
  EXPECT_EQ(predict(loaded.tree, table, rows, Parallel(1)).answers,
            predict(made.tree, table, rows, Parallel(1)).answers);
}

// With constant leaves a tree is no worse than its root alone, on its training rows.
void expect_no_worse_than_a_leaf(const Tree& tree, const Table& table) {
  if (tree.leaf_plan().has_models()) return;
  const Predictions predictions = predict(tree, table, all_rows(table), Parallel(1));
  double risk = 0;
  for (const RowIndex row : all_rows(table)) {
    double loss = 0;
    if (tree.task() == Task::classification) {
      loss = predictions.top_class(row) == static_cast<size_t>(table.target().codes[row]) ? 0 : 1;
    } else {
      loss = predictions.answers[row] - table.target().numbers[row];
    }
    risk += table.weight(row) * loss * loss;
  }
  EXPECT_LE(risk, tree.risk(0) * (1 + 1e-5) + 1e-9);  // of targets far from 0
}

// Every renderer shows the tree, also in a narrow window, or says by its name what it can't
// express.
void expect_rendered(const Model& made) {
  const LoweredTree lowered = lowered_with_recipe(made);
  for (const render::Renderer& renderer : test::renderers_and_a_toy()) {
    SCOPED_TRACE(renderer.name);
    try {
      EXPECT_FALSE(renderer.render(lowered, {}).empty());
      EXPECT_FALSE(renderer.render(lowered, {20}).empty());
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find(renderer.name + " cannot express"), 0U)
          << error.what();
    }
  }
}

TEST_P(EveryMethod, Conforms) {
  for (const auto& [toy, table] : toys()) {
    SCOPED_TRACE(toy);
    const Model made = model(table, 1);
    EXPECT_EQ(model_to_text(model(table, 2)), model_to_text(made));
    expect_weights(made.tree, table);
    expect_answers(made.tree, table);
    expect_answers(made.tree, strange_rows(made.schema));
    expect_same_after_loading(made, table);
    test::expect_lowered_answers(made, table);
    test::expect_lowered_answers(made, strange_rows(made.schema));
    expect_rendered(made);
    expect_no_worse_than_a_leaf(made.tree, table);
  }
}

// Rows of a table of which each counts once to three times.
class Repeated {
 public:
  explicit Repeated(const Table& table) : table_(table), order_(all_rows(table)) {
    Random(5, "order").shuffle(order_);
  }
  // By its weight.
  Table weighted(bool shuffled) const {
    const std::vector<RowIndex> rows = shuffled ? order_ : all_rows(table_);
    std::vector<double> weights;
    for (const RowIndex row : rows) weights.push_back(table_.weight(row) * times(row));
    return test::with_weights(test::part_of(table_, rows), std::move(weights));
  }
  // By so many copies, in no order.
  Table copied() const {
    std::vector<RowIndex> rows;
    for (const RowIndex row : order_) {
      for (int i = 0; i < times(row); ++i) rows.push_back(row);
    }
    Random(6, "order").shuffle(rows);
    std::vector<double> weights;
    for (const RowIndex row : rows) weights.push_back(table_.weight(row));
    return test::with_weights(test::part_of(table_, rows),
                              table_.weighted() ? weights : std::vector<double>());
  }

 private:
  static int times(RowIndex row) { return 1 + static_cast<int>(row % 3); }

  const Table& table_;
  std::vector<RowIndex> order_;
};

// The number of rows is how many were read: the one thing in which they differ.
std::string text_without_rows(Model model) {
  model.provenance.rows = 0;
  return model_to_text(model);
}

TEST_P(EveryMethod, TakesRowsInAnyOrderAndWeightsForCopies) {
  const std::vector<std::string> chosen = {"mostly_missing", "heavy_ties", "weights",
                                           "line_weights", "line_missing"};
  for (const auto& [toy, table] : toys()) {
    if (std::find(chosen.begin(), chosen.end(), toy) == chosen.end()) continue;
    SCOPED_TRACE(toy);
    const Repeated repeated(table);
    const std::string text = text_without_rows(model(repeated.weighted(false), 2));
    EXPECT_EQ(text_without_rows(model(repeated.weighted(true), 2)), text) << "another order";
    EXPECT_EQ(text_without_rows(model(repeated.copied(), 2)), text) << "copies";
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace softwood
