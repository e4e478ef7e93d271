// The best cut of sorted rows in regression, against sums that are worked out anew for every cut.
#include "stats/split_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <string_view>

#include "base/random.h"
#include "softwood/error.h"
#include "support/interruption.h"

namespace softwood::stats {
namespace {

const Criterion& criterion_called(std::string_view name) {
  for (const Criterion& criterion : criteria()) {
    if (criterion.name == name) return criterion;
  }
  throw Error(ErrorKind::failure, "no such criterion");
}
const Criterion& mse() { return criterion_called("mse"); }
const Criterion& mae() { return criterion_called("mae"); }

struct Rows {
  Target target;
  std::vector<uint32_t> known, missing;
  std::vector<double> node;  // weight and sum

  Rows(std::vector<double> numbers, std::vector<double> weights, size_t without_value) {
    target.task = Task::regression;
    target.weight = std::move(weights);
    double largest = 0, weight = 0;
    for (size_t i = 0; i < numbers.size(); ++i) {
      largest = std::max(largest, std::abs(numbers[i]));
      weight += target.search_weight(i);
    }
    target.set_numbers(std::move(numbers));
    target.whole = WholeNumbers(target.number, 0, largest, weight);
    const size_t all = target.number.size();
    for (uint32_t i = 0; i < all; ++i) {
      // Every third value comes twice.
      if (i < all - without_value) known.push_back(i | (i % 3 == 1 ? 0 : new_value_mark));
      if (i >= all - without_value) missing.push_back(i);
    }
    Whole sum = 0;
    for (size_t i = 0; i < all; ++i) {
      sum += target.whole[i] * static_cast<int64_t>(target.search_weight(i));
    }
    node = {weight, target.whole.value(sum)};
  }

  // The score of a cut by long doubles, from the two means.
  double score(size_t position, bool missing_left) const {
    long double weight = 0, sum = 0;
    const long double mean = static_cast<long double>(node[1]) / node[0];
    const auto add = [&](uint32_t slot) {
      weight += target.search_weight(slot);
      sum += target.search_weight(slot) * (target.number[slot] - mean);
    };
    for (size_t i = 0; i < position; ++i) add(known[i] & ~new_value_mark);
    if (missing_left) {
      for (const uint32_t slot : missing) add(slot);
    }
    if (!(weight > 0) || !(weight < node[0])) return 0;
    return static_cast<double>(sum * sum * node[0] * node[0] / (weight * (node[0] - weight)));
  }
  double best_score() const {
    double best = 0;
    for (size_t i = 0; i <= known.size(); ++i) {
      if (i < known.size() && (known[i] & new_value_mark) == 0) continue;
      for (const bool left : {false, true}) {
        if (left && (missing.empty() || i == known.size())) continue;
        if (i == known.size() && missing.empty()) continue;
        best = std::max(best, score(i, left));
      }
    }
    return best;
  }
};

std::vector<double> random_numbers(size_t rows, double outlier, Random& random) {
  std::vector<double> numbers;
  for (size_t i = 0; i < rows; ++i) {
    numbers.push_back(random.uniform() - 0.5 + (i > rows / 3 ? 0.1 : 0));
  }
  if (outlier != 0) numbers[rows / 2] = outlier;
  return numbers;
}

TEST(SquaredErrorSearch, FindsTheBestCutOfManyRows) {
  Random random(1, "search");
  for (const size_t rows : {2, 5, 31, 64, 65, 700}) {
    // With an outlier the upper halves of all other numbers say nothing.
    for (const double outlier : {0.0, 1e3, 1e30}) {
      for (const bool weighted : {false, true}) {
        for (const size_t without_value : {size_t{0}, rows / 5}) {
          std::vector<double> weights;
          for (size_t i = 0; weighted && i < rows; ++i) {
            weights.push_back(static_cast<double>(random.below(4) + (i == rows / 2 ? 1 : 0)));
          }
          const Rows all(random_numbers(rows, outlier, random), std::move(weights), without_value);
          const auto search = mse().make(all.target);
          Scratch scratch;
          const Cut cut = search->best_threshold(all.node, all.known, all.missing, 0, 0, scratch);
          const double best = all.best_score();
          EXPECT_NEAR(cut.score, best, 1e-9 * best) << rows << " " << outlier << " " << weighted;
          EXPECT_NEAR(all.score(cut.position, cut.missing_left), best, 1e-9 * best);
          // What is near to the best of another feature is found, too; what is far below may not
          // be.
          const Cut again =
              search->best_threshold(all.node, all.known, all.missing, 0, cut.score, scratch);
          EXPECT_EQ(again.score, cut.score);
          EXPECT_EQ(again.position, cut.position);
          EXPECT_EQ(
              search->best_threshold(all.node, all.known, all.missing, 0, 2 * cut.score, scratch)
                  .score,
              0);
        }
      }
    }
  }
}

TEST(SquaredErrorSearch, AsksWhetherToEndWhileItScans) {
  constexpr size_t rows = 3 * rows_between_asks + 5;
  Random random(1, "rows");
  const Rows all(random_numbers(rows, 0, random), {}, 0);
  const auto search = mse().make(all.target);
  Scratch scratch;
  test::Interruption counter;
  const Control asked = counter.control();
  scratch.control = &asked;
  search->best_threshold(all.node, all.known, {}, 0, 0, scratch);
  EXPECT_EQ(counter.asked(), 2U);  // not at the ends
  test::Interruption second(2);
  const Control interrupted = second.control();
  scratch.control = &interrupted;
  EXPECT_THROW(search->best_threshold(all.node, all.known, {}, 0, 0, scratch), Error);
}

TEST(ClassSearch, AsksWhetherToEndWhileItScans) {
  constexpr size_t rows = 2 * rows_between_asks + 5;
  Target target;
  target.classes = 3;
  std::vector<double> node(3, 0);
  std::vector<uint32_t> known;
  Random random(1, "classes");
  for (size_t i = 0; i < rows; ++i) {
    target.small_class.push_back(static_cast<uint8_t>(random.below(3)));
    ++node[target.small_class[i]];
  }
  const EntryFormat format = target.entry_format();
  for (size_t i = 0; i < rows; ++i) known.push_back(target.entry(format, i) | new_value_mark);
  for (const Criterion& criterion : criteria()) {
    if (criterion.task != Task::classification) continue;
    Scratch scratch;
    test::Interruption counter;
    const Control asked = counter.control();
    scratch.control = &asked;
    criterion.make(target)->best_threshold(node, known, {}, 0, 0, scratch);
    EXPECT_GE(counter.asked(), 2U) << criterion.name;
  }
}

TEST(AbsoluteErrorSearch, AsksWhetherToEndWhileItScans) {
  constexpr size_t rows = rows_between_asks / 4 + 5;
  Random random(1, "rows");
  const Rows all(random_numbers(rows, 0, random), {}, 0);
  std::vector<uint32_t> slots(rows), codes(rows);
  std::iota(slots.begin(), slots.end(), 0U);
  for (uint32_t& code : codes) code = static_cast<uint32_t>(random.below(3));
  const auto search = mae().make(all.target);
  const auto by_threshold = [&](Scratch& scratch) {
    search->best_threshold(all.node, all.known, {}, 0, 0, scratch);
  };
  const auto by_levels = [&](Scratch& scratch) {
    search->best_levels_of_rows(slots, codes, 3, NominalSplit::subset, 0, scratch);
  };
  Scratch ranking;
  by_threshold(ranking);
  for (const std::function<void(Scratch&)>& work :
       {std::function<void(Scratch&)>(by_threshold), std::function<void(Scratch&)>(by_levels)}) {
    Scratch scratch;
    test::Interruption counter;
    const Control asked = counter.control();
    scratch.control = &asked;
    work(scratch);
    EXPECT_GE(counter.asked(), 8U);
    test::Interruption last(counter.asked());
    const Control interrupted = last.control();
    scratch.control = &interrupted;
    EXPECT_THROW(work(scratch), Error);
  }
}

// Interrupted in ranking the targets, it ranks them again.
TEST(AbsoluteErrorSearch, RanksTargetsOnceForAllSearches) {
  Random random(1, "rows");
  const Rows all(random_numbers(700, 0, random), {}, 0);
  const auto search = mae().make(all.target);
  const auto questions = [&] {
    Scratch scratch;
    test::Interruption counter;
    const Control asked = counter.control();
    scratch.control = &asked;
    search->best_threshold(all.node, all.known, {}, 0, 0, scratch);
    return counter.asked();
  };
  Scratch scratch;
  test::Interruption at_once(1);
  const Control interrupted = at_once.control();
  scratch.control = &interrupted;
  EXPECT_THROW(search->best_threshold(all.node, all.known, {}, 0, 0, scratch), Error);
  EXPECT_EQ(questions(), 1U);
  EXPECT_EQ(questions(), 0U);
}

// A node of few rows among many has the same cut as a fit of these rows alone.
TEST(AbsoluteErrorSearch, OfFewRowsIsThatOfTheseAlone) {
  Random random(3, "rows");
  const Rows all(random_numbers(700, 0, random), {}, 0);
  std::vector<double> some;
  std::vector<uint32_t> known, alone_known;
  for (uint32_t i = 0; i < 20; ++i) {
    const uint32_t slot = i * 31;
    known.push_back(slot | new_value_mark);
    alone_known.push_back(i | new_value_mark);
    some.push_back(all.target.number[slot]);
  }
  const Rows alone(std::move(some), {}, 0);
  Scratch scratch;
  const Cut cut = mae().make(all.target)->best_threshold({}, known, {}, 1, 0, scratch);
  const Cut other = mae().make(alone.target)->best_threshold({}, alone_known, {}, 1, 0, scratch);
  EXPECT_EQ(cut.position, other.position);
  EXPECT_EQ(cut.score, other.score);
  EXPECT_GT(cut.score, 0);
}

}  // namespace
}  // namespace softwood::stats
