#include "reproduce/evolve_scores.h"

#include <fmt/format.h>

#include "data/generate.h"
#include "study/cv.h"
#include "study/train.h"
#include "use/predict.h"

namespace softwood {
namespace {

constexpr uint64_t test_seed = 100000;  // added to the seed of a draw for its test rows

}  // namespace

Recipe recipe_of(const std::string& method, const std::vector<std::string>& settings) {
  return Recipe::parse(find_method(method).recipe, settings);
}

Draw draw(const std::string& generator, const Options::Pairs& options,
          const Options::Pairs& test_options, uint64_t seed) {
  const auto frame = [&](const Options::Pairs& given, uint64_t with) {
    return generated_frame(prepare(find_generator(generator), given), with, generator);
  };
  Table train = training_table(frame(options, seed), {}, {}).table;
  Table test = table_for(frame(test_options, seed + test_seed), train.schema(), true, {});
  return {std::move(train), std::move(test)};
}

std::string Scores::spread(const std::vector<double>& values, int digits) {
  const MeanSd both = mean_sd(values);
  if (values.size() < 2) return fmt::format("{:.{}f}", both.mean, digits);
  return fmt::format("{:.{}f} ± {:.{}f}", both.mean, digits, both.sd, digits);
}

std::vector<Run> runs_over(const Table& table, std::span<const RowIndex> rows, size_t folds,
                           size_t repeats) {
  std::vector<Run> runs;
  for (size_t repeat = 0; repeat < repeats; ++repeat) {
    const std::vector<uint32_t> fold = stratified_folds(table, rows, folds, repeat + 1);
    for (uint32_t k = 0; k < folds; ++k) {
      Run run;
      for (size_t i = 0; i < rows.size(); ++i) {
        (fold[i] == k ? run.test : run.train).push_back(rows[i]);
      }
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

double accuracy_on(const Tree& tree, const Table& table, std::span<const RowIndex> rows,
                   const Parallel& parallel) {
  return 100 *
         (1 - evaluate(predict(tree, table, rows, parallel), table, rows, tree.majority(0)).error);
}

void score(const ExperimentRequest& request, const Recipe& recipe, const Table& train_rows,
           const Table& test_rows, uint64_t seed, Scores& scores) {
  const Timer timer;
  const Model model =
      train(train_rows, {"", recipe, seed, nullptr}, request.parallel, request.control).model;
  scores.seconds.push_back(timer.passed());
  scores.worked.push_back(timer.worked());
  scores.nodes.push_back(static_cast<double>(model.tree.size()));
  scores.accuracy.push_back(
      accuracy_on(model.tree, test_rows, all_rows(test_rows), request.parallel));
  scores.training.push_back(
      accuracy_on(model.tree, train_rows, all_rows(train_rows), request.parallel));
}

std::string times_faster(double evtree_seconds, const std::vector<double>& worked) {
  return fmt::format("{:.0f}", evtree_seconds / mean_sd(worked).mean);
}

}  // namespace softwood
