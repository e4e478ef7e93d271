// Many threads of a host that train, load and predict at once: the same answers as one alone.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "softwood/softwood.h"

namespace softwood {
namespace {

constexpr size_t host_threads = 8;

DataColumns columns() {
  DataColumns columns;
  std::vector<double> x, z;
  std::vector<std::string> level, y;
  for (size_t i = 0; i < 240; ++i) {
    x.push_back(std::fmod(static_cast<double>(i) * 0.37, 5.0));
    z.push_back(i % 17 == 0 ? std::nan("") : static_cast<double>(i % 29));
    level.push_back(std::array{"low", "mid", "high", "none"}[i * 5 % 4]);
    y.push_back(x.back() > 2 && z.back() < 20 ? "yes" : "no");
  }
  columns.number("x", x).number("z", z).text("level", level).text("y", y);
  return columns;
}

struct Answers {
  std::vector<double> numbers;
  std::vector<uint32_t> leaves;
  std::string model, rules;
  bool operator==(const Answers&) const = default;
};

// What one thread does at every step, by a model that all threads share.
Answers answers_of(const TreeModel& model, const DataSet& data, int threads) {
  Answers answers;
  answers.numbers = model.predict(data, threads);
  answers.leaves.resize(data.rows());
  model.leaf_numbers(data, answers.leaves, threads);
  return answers;
}

Answers fitted(const DataSet& data, const std::string& recipe) {
  TrainSettings settings;
  settings.recipe = recipe;
  const TreeModel model = TreeModel::from_text(train(data, settings).model.text());
  Answers answers = answers_of(model, data, 2);
  answers.model = model.text();
  answers.rules = model.rules();
  return answers;
}

void work_at_once(size_t predictions, size_t fits) {
  const DataSet data = DataSet::from(columns());
  const std::array<std::string, 3> recipes = {"grow | prune",
                                              "grow max-leaves=5 | soften by=gradient",
                                              "evolve population=10 generations=10"};
  const TreeModel shared = train(data).model;
  const Answers usual = answers_of(shared, data, 1);
  std::vector<Answers> usual_fits;
  for (const std::string& recipe : recipes) usual_fits.push_back(fitted(data, recipe));

  std::atomic<size_t> predicted{0}, trained{0}, wrong{0};
  std::vector<std::thread> threads;
  for (size_t t = 0; t < host_threads; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < predictions; ++i) {
        wrong += answers_of(shared, data, static_cast<int>(i % 3)) == usual ? 0 : 1;
        ++predicted;
        if (i % (predictions / fits) != t * 7 % (predictions / fits)) continue;
        const size_t which = (i + t) % recipes.size();
        wrong += fitted(data, recipes[which]) == usual_fits[which] ? 0 : 1;
        ++trained;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0U);
  EXPECT_EQ(predicted.load(), host_threads * predictions);
  EXPECT_EQ(trained.load(), host_threads * fits);
}

TEST(Load, EightThreadsAtOnce) { work_at_once(60, 3); }
// Under ThreadSanitizer fits take most of the time, and say nothing new after the first.
#ifdef __SANITIZE_THREAD__
constexpr size_t long_fits = 2;
#else
constexpr size_t long_fits = 50;
#endif
TEST(LongLoad, EightThreadsWithTenThousandPredictionsEach) { work_at_once(10000, long_fits); }

}  // namespace
}  // namespace softwood
