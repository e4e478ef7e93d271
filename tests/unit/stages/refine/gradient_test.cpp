// The tuning of finished trees by gradient: compiled trees, refining and softening.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "gradient/compile.h"
#include "softwood/error.h"
#include "support/grow.h"
#include "support/points.h"
#include "support/tables.h"
#include "use/evaluate.h"
#include "use/predict.h"

namespace softwood {
namespace {

using namespace test;

// Compiled as it is, a soft tree is the same function.
TEST(CompiledTree, AnswersAsTheTreeDoes) {
  for (const size_t classes : {0, 2, 3}) {
    const Table table =
        test::random_table({.rows = 120, .classes = classes, .nominal = 1, .missing = 0.1}, 31);
    for (const char* leaves : {"constant", "linear"}) {
      const Tree tree =
          test::run(table, std::string("grow-soft shape=full steps=60 depth=2 map=none "
                                       "terms=squares decay=0 leaves=") +
                               leaves);
      const std::vector<RowIndex> rows = all_rows(table);
      const Sample sample{&table, rows};
      const gradient::CompiledTree compiled(tree, sample, {});
      Tree again = gradient::emit_tree(compiled.net, compiled.start.parameters, compiled.inputs,
                                       compiled.scale, {&sample, 1}, &compiled.origin);
      gradient::limit_answers(again, {&sample, 1});  // which networks do not know
      const std::vector<double> before = predict(tree, table, rows, Parallel(1)).answers;
      const std::vector<double> after = predict(again, table, rows, Parallel(1)).answers;
      for (size_t i = 0; i < before.size(); ++i) {
        ASSERT_NEAR(before[i], after[i], 1e-3 * std::max(1.0, std::fabs(before[i])));
      }
    }
  }
}

TEST(CompiledTree, OfAHardTreeIsNearlyHardWhenItIsSteep) {
  const Table table = test::random_table({.rows = 200, .classes = 2, .nominal = 2}, 33);
  const Tree tree = test::run(table, "grow max-depth=4 min-leaf=5");
  const std::vector<RowIndex> rows = all_rows(table);
  const Sample sample{&table, rows};
  for (const auto link : {gradient::SoftLink::logistic, gradient::SoftLink::ramp}) {
    gradient::CompileOptions options;
    options.steps = link;
    options.softness = 1e-3;
    const gradient::CompiledTree compiled(tree, sample, options);
    const Tree soft = gradient::emit_tree(compiled.net, compiled.start.parameters, compiled.inputs,
                                          compiled.scale, {&sample, 1}, &compiled.origin);
    EXPECT_EQ(soft.size(), tree.size());
    EXPECT_EQ(predict_nodes(soft, table, rows, Parallel(1)),
              predict_nodes(tree, table, rows, Parallel(1)));
    EXPECT_NEAR(error_on(soft, table), error_on(tree, table), 1e-9);
  }
}

// Rows without a value go by the rules of the tree, in the network and in what comes of it.
TEST(CompiledTree, KeepsTheRulesForMissingValues) {
  const Table table =
      test::random_table({.rows = 300, .classes = 2, .nominal = 1, .missing = 0.2}, 34);
  const std::vector<RowIndex> rows = all_rows(table);
  const Sample sample{&table, rows};
  for (const char* missing : {"majority", "surrogate", "fractional", "impute", "learned"}) {
    SCOPED_TRACE(missing);
    const Tree tree =
        test::run(table, std::string("grow max-depth=4 min-leaf=5 missing=") + missing);
    gradient::CompileOptions options;
    options.steps = gradient::SoftLink::ramp;
    options.mix_answers = true;
    options.train_levels = false;
    const gradient::CompiledTree compiled(tree, sample, options);
    const Tree soft = gradient::emit_tree(compiled.net, compiled.start.parameters, compiled.inputs,
                                          compiled.scale, {&sample, 1}, &compiled.origin);
    ASSERT_EQ(soft.size(), tree.size());
    for (NodeIndex i = 0; i < tree.size(); ++i) {
      if (tree.node(i).is_leaf()) continue;
      EXPECT_EQ(soft.node(i).missing().rule, tree.node(i).missing().rule);
      EXPECT_EQ(soft.node(i).missing().shares, tree.node(i).missing().shares);
      EXPECT_EQ(soft.node(i).missing().surrogates, tree.node(i).missing().surrogates);
    }
    const Predictions answers = predict(soft, table, rows, Parallel(1));
    double loss = 0;
    for (const RowIndex row : rows) {
      loss -= std::log(answers.answers[2 * row + static_cast<size_t>(table.target().codes[row])]);
    }
    const gradient::Rows<float> as_seen = compiled.rows({&sample, 1});
    EXPECT_NEAR(measure(compiled.net, compiled.start.parameters.data(), as_seen).loss,
                loss / static_cast<double>(rows.size()), 1e-5);
  }
}

TEST(RefineByGradient, ImprovesAHardTreeAndKeepsItsShape) {
  const Table table = slanted(400, 8), others = slanted(2000, 9);
  const Tree hard = test::run(table, "grow max-depth=3");
  const Tree soft = test::run(table, "grow max-depth=3 | refine by=gradient");
  EXPECT_EQ(soft.size(), hard.size());
  EXPECT_EQ(most_terms(soft), 1U);
  EXPECT_LT(error_on(soft, others), error_on(hard, others));
  const Tree oblique = test::run(table, "grow max-depth=2 | refine by=gradient gates=hyperplanes");
  EXPECT_EQ(most_terms(oblique), 2U);
  EXPECT_LT(error_on(oblique, others), 0.03);
}

TEST(RefineByGradient, TrainsModelsOfLeaves) {
  Random random(5, "lines");
  std::vector<double> a, b, y;
  for (size_t i = 0; i < 400; ++i) {
    a.push_back(random.normal());
    b.push_back(random.normal());
    y.push_back(a[i] > 0 ? 3 * b[i] + a[i] : a[i] - 2 * b[i]);
  }
  const Table table = numbers_table({numbers(a), numbers(b)}, y);
  const std::string recipe = "grow max-depth=2 leaf=linear";
  const Tree linear = test::run(table, recipe);
  const Tree refined = test::run(table, recipe + " | refine by=gradient");
  const auto [least, most] = std::minmax_element(y.begin(), y.end());
  for (NodeIndex i = 0; i < refined.size(); ++i) {
    if (!refined.node(i).is_leaf()) continue;
    const LeafModel& model = *refined.node(i).model;
    // Of all inputs, also those that no gate asks for, and not beyond what the rows show.
    EXPECT_EQ(model.terms.size(), 2U);
    EXPECT_LT(model.high - model.low, 3 * (*most - *least));
  }
  EXPECT_LE(squared_error(refined, table), squared_error(linear, table));
}

TEST(RefineByGradient, TakesTreesOfAnyKind) {
  for (const size_t classes : {0, 3}) {
    const Table table = test::random_table(
        {.rows = 100, .classes = classes, .nominal = 2, .ordinal = 1, .missing = 0.2}, 12);
    for (const char* grown :
         {"grow missing=separate", "grow missing=surrogate", "grow nominal=multiway",
          "grow missing=fractional nominal=every-level", "grow max-depth=0",
          "grow split=oblique max-depth=3", "grow-soft shape=full depth=2 steps=50"}) {
      SCOPED_TRACE(grown);
      const std::string recipe = std::string(grown) + " | refine by=gradient steps=100";
      const Tree tree = test::run(table, recipe);
      EXPECT_EQ(tree.size(), test::run(table, grown).size());
      for (const double answer : predict(tree, table, all_rows(table), Parallel(1)).answers) {
        EXPECT_TRUE(std::isfinite(answer));
      }
    }
  }
}

// Mean over the gates of the size of their coefficients, in standard deviations of the inputs.
double steepness(const Tree& tree) {
  double sum = 0;
  size_t gates = 0;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) continue;
    const auto& gate = *linear_form(tree.node(i).gate());
    double squares = 0;
    for (const Term& term : gate.terms) {
      const double scaled = term.coefficient * (term.feature == 0 ? 4 : 0.01);
      squares += scaled * scaled;
    }
    sum += std::sqrt(squares);
    ++gates;
  }
  return sum / static_cast<double>(gates);
}

double mean_gap(const Tree& a, const Tree& b, const Table& table) {
  const std::vector<RowIndex> rows = all_rows(table);
  const std::vector<double> first = predict(a, table, rows, Parallel(1)).answers;
  const std::vector<double> second = predict(b, table, rows, Parallel(1)).answers;
  double sum = 0;
  for (size_t i = 0; i < first.size(); ++i) sum += std::fabs(first[i] - second[i]);
  return sum / static_cast<double>(first.size());
}

TEST(RefineByGradient, SharpensGatesUntilTheyCanBeHardened) {
  const Table table = noisy_ring(1000, 8), others = noisy_ring(2000, 9);
  const std::string soft =
      "grow-soft shape=full depth=3 terms=linear leaves=constant map=none decay=0 steps=1500";
  const Tree plain = test::run(table, soft);
  const Tree hardened = test::run(table, soft + " | harden");
  const Tree sharp = test::run(table, soft + " | refine by=gradient decay=0 sharpen=0.3");
  const Tree both = test::run(table, soft + " | refine by=gradient decay=0 sharpen=0.3 | harden");
  EXPECT_GT(steepness(sharp), 4 * steepness(plain));
  EXPECT_LT(mean_gap(sharp, both, others), 0.02);
  EXPECT_LT(2 * mean_gap(sharp, both, others), mean_gap(plain, hardened, others));
  EXPECT_LT(error_on(both, others), error_on(hardened, others) + 0.01);
}

TEST(RefineByGradient, KeepsGatesSoftWhenNothingMayBeLost) {
  const Table table = passing(400, 8);
  const std::string soft =
      "grow-soft shape=full depth=1 terms=linear leaves=constant map=none decay=0 steps=500";
  const Tree sharp = test::run(table, soft + " | refine by=gradient decay=0 sharpen=0");
  const Tree refined = test::run(table, soft + " | refine by=gradient decay=0");
  EXPECT_LT(steepness(sharp), 3 * steepness(refined));
}

// What refining tells of the held-out rows.
struct Told {
  bool unchanged = false;
  double trained = 0, given = 0;  // mean loss
  double kept() const { return unchanged ? given : trained; }
};

Told told_by(const Table& table, const std::string& recipe, uint64_t seed) {
  std::string last;
  Control control;
  control.note = [&](const Note& said) { last = said.text(); };
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  run_recipe(Recipe::parse(recipe), {derived, rows, {}, seed}, Parallel(1), control);
  Told told;
  told.unchanged = last.find("stays as it is") != std::string::npos;
  const std::string before = "held-out rows ", between = "of the tree as it was ";
  const size_t first = last.find(before), second = last.find(between);
  EXPECT_TRUE(first != std::string::npos && second != std::string::npos) << last;
  told.trained = std::stod(last.substr(first + before.size()));
  told.given = std::stod(last.substr(second + between.size()));
  return told;
}

TEST(RefineByGradient, TakesTheBestOfSeveralStarts) {
  const Table table = noisy_ring(600, 8);
  const std::string recipe = "grow max-leaves=6 | refine by=gradient decay=0 steps=300 starts=";
  bool any = false;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    const Told one = told_by(table, recipe + "1", seed), three = told_by(table, recipe + "3", seed);
    EXPECT_LE(three.kept(), one.kept());
    any = any || three.kept() < one.kept();
  }
  EXPECT_TRUE(any);
  const auto answers = [&](int threads) {
    const Tree tree = test::run(table, recipe + "3", Parallel(threads));
    return predict(tree, table, all_rows(table), Parallel(1)).answers;
  };
  EXPECT_EQ(answers(1), answers(3));
}

TEST(RefineByGradient, KeepsATreeThatItDoesNotClearlyImprove) {
  const Table table = noisy_ring(400, 8);
  size_t unchanged = 0;
  for (const std::string& grown :
       {std::string("grow max-leaves=8"),
        std::string("grow-soft shape=full depth=2 terms=squares leaves=constant decay=0 steps=500 "
                    "members=1")}) {
    for (const uint64_t seed : {1U, 2U, 3U}) {
      const Told told = told_by(table, grown + " | refine by=gradient steps=300", seed);
      EXPECT_LE(told.kept(), told.given);
      unchanged += told.unchanged ? 1 : 0;
    }
  }
  EXPECT_GT(unchanged, 0U);
  EXPECT_LT(unchanged, 6U);
}

// Leaves get their linear models when all stages are done; the tree as it was has them.
TEST(RefineByGradient, ComparesWithTheModelsThatLeavesWillGet) {
  Random random(3, "lines");
  std::vector<double> x, y;
  for (size_t i = 0; i < 400; ++i) {
    x.push_back(random.uniform());
    y.push_back((x[i] < 0.5 ? x[i] : 5 - x[i]) + 0.01 * random.normal());
  }
  const Table table = test::numbers_table({test::numbers(x)}, y);
  const Told told =
      told_by(table, "grow max-leaves=2 leaf=linear | refine by=gradient steps=50", 1);
  EXPECT_LT(told.given, 0.01);
}

TEST(RefineByGradient, DoesNotDependOnTheUnitOfTinyWeights) {
  const Table table = noisy_ring(200, 4);
  const auto answers = [&](double weight) {
    const Table weighted = test::with_weights(table, std::vector<double>(200, weight));
    const Tree tree = test::run(weighted, "grow-soft shape=full depth=2 leaves=constant steps=200");
    return predict(tree, table, all_rows(table), Parallel(1)).answers;
  };
  const std::vector<double> tiny = answers(1e-50), small = answers(1e-20), one = answers(1);
  double apart = 0;
  for (size_t i = 0; i < one.size(); ++i) {
    ASSERT_NEAR(tiny[i], small[i], 1e-6);
    apart += std::fabs(tiny[i] - one[i]);
  }
  // Greedy trees that training may start from count weights: below min-leaf there is none.
  EXPECT_LT(apart / static_cast<double>(one.size()), 0.02);
}

TEST(Validation, RowsMustHaveWeight) {
  const Table table = noisy_ring(100, 4);
  const Table light = test::with_weights(table, std::vector<double>(100, 0.0));
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  for (const char* recipe : {"grow | prune", "grow-soft", "grow | refine by=gradient"}) {
    EXPECT_THROW(run_recipe(Recipe::parse(recipe), {derived, rows, Sample{&light, rows}, 1},
                            Parallel(1), {}),
                 Error);
  }
}

TEST(Prune, RefusesTreesWhoseLeavesWereTrained) {
  const Table table = slanted(60, 1);
  for (const char* recipe : {"grow-soft shape=full depth=1 steps=20 | prune",
                             "grow | refine by=gradient steps=300 | prune by=reduced-error"}) {
    try {
      test::run(table, recipe);
      FAIL() << recipe;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(std::string(error.what()).find("trained by gradients"), std::string::npos);
    }
  }
}

Tree softened(const Table& table, const Tree& tree, Options::Pairs given) {
  given.emplace_back("by", "gradient");
  const Stage& stage = find_stage("soften");
  const Options options(stage.name, stage.options, given);
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  const Parallel parallel(1);
  const Control control;
  StageReport report;
  bool used = false;
  Context context{derived, false, rows, {std::nullopt, used}, options, 1, parallel, control,
                  report,  {},    {}};
  return stage.run(context, tree);
}

double log_loss(const Tree& tree, const Table& table) {
  const Predictions answers = predict(tree, table, all_rows(table), Parallel(1));
  double sum = 0;
  for (size_t i = 0; i < table.rows(); ++i) {
    const auto own = static_cast<size_t>(table.target().codes[i]);
    sum -= std::log(std::max(1e-6, answers.answers[2 * i + own]));
  }
  return sum / static_cast<double>(table.rows());
}

TEST(SoftenByGradient, MakesRampsThatAnswerBetter) {
  const Table table = passing(800, 1), others = passing(2000, 2);
  const Tree hard = test::run(table, "grow max-depth=4 min-leaf=10");
  for (const char* loss : {"log", "exponential", "squared"}) {
    const Tree soft = softened(table, hard, {{"loss", loss}});
    EXPECT_EQ(soft.size(), hard.size());
    EXPECT_LT(log_loss(soft, others), log_loss(hard, others)) << loss;
    for (NodeIndex i = 0; i < soft.size(); ++i) {
      if (soft.node(i).is_leaf()) continue;
      EXPECT_EQ(linear_form(soft.node(i).gate())->link.form, LinkForm::ramp);
    }
  }
}

TEST(SoftenByGradient, LeavesWhatMayNotMove) {
  const Table table = passing(300, 3);
  const Tree hard = test::run(table, "grow max-depth=3 min-leaf=10");
  const Tree soft = softened(table, hard, {{"move", "ramps"}});
  const std::vector<double> answers = hard.answers();
  for (NodeIndex i = 0; i < soft.size(); ++i) {
    if (soft.node(i).is_leaf()) {
      const auto row = soft.node(i).model->row(1);
      const double odds = row[0] - soft.node(i).model->row(0)[0];
      EXPECT_NEAR(1 / (1 + std::exp(-odds)), answers[2 * i + 1], 1e-4);
      continue;
    }
    const auto& before = *linear_form(hard.node(i).gate());
    const auto& after = *linear_form(soft.node(i).gate());
    EXPECT_NEAR(after.cut, before.cut, 1e-4 * std::max(1e-2, std::fabs(before.cut)));
    EXPECT_EQ(after.terms[0].coefficient, 1);
    EXPECT_GT(after.link.below, 0);
  }
}

TEST(SoftenByGradient, KeepsCutsFarFromZero) {
  std::vector<double> x;
  std::vector<int32_t> classes;
  for (int i = 0; i < 200; ++i) {
    x.push_back(1e8 + i % 40);
    classes.push_back(i % 40 < 20 ? 0 : 1);
  }
  const Table table = classes_table({numbers(x)}, classes);
  const Tree soft = softened(table, test::run(table, "grow max-depth=1"), {{"move", "ramps"}});
  EXPECT_NEAR(linear_form(soft.node(0).gate())->cut, 1e8 + 19.5, 1e-2);
}

}  // namespace
}  // namespace softwood
