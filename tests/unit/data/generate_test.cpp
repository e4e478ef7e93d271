#include "data/generate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "base/text.h"
#include "softwood/error.h"

namespace softwood {
namespace {

Generated made(const std::string& name, const Options::Pairs& options) {
  return prepare(find_generator(name), options);
}

std::string csv(const Generated& generated, uint64_t seed, int threads) {
  std::string text;
  write_csv(generated, seed, Parallel(threads), [&](std::string_view piece) { text += piece; });
  return text;
}

// Calls check(inputs, target) for every row.
template <class Check>
void for_rows(const Generated& generated, const Check& check) {
  std::vector<double> inputs(generated.inputs.size());
  for (size_t row = 0; row < generated.rows; ++row) {
    Random random(1, generated.name, row);
    const double target = generated.draw(random, row, inputs);
    check(inputs, target);
  }
}

TEST(Generate, EveryGeneratorGivesTheSameTextOnAnyNumberOfThreads) {
  for (const Generator& generator : generators()) {
    const Generated generated = prepare(generator, {{"rows", "9000"}});
    const std::string one = csv(generated, 7, 1);
    EXPECT_EQ(one, csv(generated, 7, 3)) << generator.name;
    EXPECT_NE(one, csv(generated, 8, 1)) << generator.name;
    EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 9001) << generator.name;
  }
}

TEST(Generate, FileAndFrameHoldTheSameData) {
  for (const Generator& generator : generators()) {
    const Generated generated = prepare(generator, {{"rows", "50"}});
    const Frame frame = generated_frame(generated, 3, generator.name);
    const std::string text = csv(generated, 3, 1);
    const std::vector<std::string_view> lines = split(text, '\n');
    ASSERT_EQ(frame.rows, 50U);
    for (size_t row = 0; row < frame.rows; ++row) {
      const std::vector<std::string_view> cells = split(lines[row + 1], ',');
      ASSERT_EQ(cells.size(), frame.columns.size());
      for (size_t c = 0; c < cells.size(); ++c) {
        const FrameColumn& column = frame.columns[c];
        if (column.cells.kind == Kind::nominal) {
          EXPECT_EQ(cells[c], column.levels[static_cast<size_t>(column.cells.codes[row])]);
          continue;
        }
        double value = 0;
        ASSERT_TRUE(parse_number(cells[c], value)) << cells[c];
        EXPECT_EQ(value, column.cells.numbers[row]) << generator.name;
      }
    }
  }
}

TEST(Generate, ChessboardAlternatesAndStaysOnTheBoard) {
  for_rows(made("chessboard", {{"side", "3"}, {"rows", "5000"}}), [](const auto& x, double target) {
    ASSERT_TRUE(x[0] >= 0 && x[0] < 3 && x[1] >= 0 && x[1] < 3);
    EXPECT_EQ(target, (static_cast<int>(x[0]) + static_cast<int>(x[1])) % 2);
  });
}

TEST(Generate, ChessboardFillsCellsEvenly) {
  const Generated generated = made("chessboard", {{"side", "3"}, {"per-cell", "7"}});
  EXPECT_EQ(generated.rows, 63U);
  std::map<std::pair<int, int>, int> cells;
  for_rows(generated, [&](const auto& x, double) {
    ++cells[{static_cast<int>(x[0]), static_cast<int>(x[1])}];
  });
  EXPECT_EQ(cells.size(), 9U);
  for (const auto& [cell, count] : cells) EXPECT_EQ(count, 7);
}

TEST(Generate, LabelNoiseIsTheFractionAskedFor) {
  int wrong = 0;
  for_rows(made("xor", {{"rows", "20000"}, {"label-noise", "0.1"}}),
           [&](const auto& x, double t) { wrong += ((x[0] > 0) != (x[1] > 0)) != (t == 1); });
  EXPECT_NEAR(wrong / 20000.0, 0.1, 0.01);
}

// The sum of the inputs decides best; its error is known: 2.3 % (Breiman 1996).
TEST(Generate, TwonormHasTheKnownBestError) {
  int wrong = 0;
  for_rows(made("twonorm", {{"rows", "20000"}}), [&](const auto& x, double target) {
    double sum = 0;
    for (const double v : x) sum += v;
    wrong += (sum < 0) != (target == 1);
  });
  EXPECT_NEAR(wrong / 20000.0, 0.023, 0.004);
}

// The likelihood ratio decides best; its error is known: 1.3 % (Breiman 1996).
TEST(Generate, RingnormHasTheKnownBestError) {
  const double a = 2 / std::sqrt(20.0);
  int wrong = 0;
  for_rows(made("ringnorm", {{"rows", "20000"}}), [&](const auto& x, double target) {
    double log_ratio = -20 * std::log(2.0);  // of class a to class b
    for (const double v : x) log_ratio += (v - a) * (v - a) / 2 - v * v / 8;
    wrong += (log_ratio < 0) != (target == 1);
  });
  EXPECT_NEAR(wrong / 20000.0, 0.013, 0.004);
}

TEST(Generate, WaveformHasTheMeansOfItsWaves) {
  std::vector<std::vector<double>> sums(3, std::vector<double>(21, 0));
  std::vector<double> counts(3, 0);
  for_rows(made("waveform", {{"rows", "30000"}}), [&](const auto& x, double target) {
    const auto c = static_cast<size_t>(target);
    ++counts[c];
    for (size_t i = 0; i < 21; ++i) sums[c][i] += x[i];
  });
  // Half of one wave and half of the other: input 7 is the first wave's peak, 11 the third's.
  EXPECT_NEAR(sums[0][6] / counts[0], 3, 0.1);
  EXPECT_NEAR(sums[0][10] / counts[0], 2, 0.1);
  EXPECT_NEAR(sums[1][10] / counts[1], 4, 0.1);
  EXPECT_NEAR(sums[2][14] / counts[2], 4, 0.1);
  EXPECT_NEAR(sums[2][2] / counts[2], 0, 0.1);
}

TEST(Generate, FriedmanWithoutNoiseIsTheFormula) {
  for_rows(made("friedman1", {{"rows", "100"}, {"noise", "0"}}), [](const auto& x, double y) {
    EXPECT_NEAR(y,
                10 * std::sin(std::numbers::pi * x[0] * x[1]) + 20 * std::pow(x[2] - 0.5, 2) +
                    10 * x[3] + 5 * x[4],
                1e-6);
  });
}

TEST(Generate, ParityAndLinearFollowTheirInputs) {
  for_rows(made("parity", {{"bits", "4"}, {"noise-bits", "2"}}), [](const auto& x, double target) {
    ASSERT_EQ(x.size(), 6U);
    EXPECT_EQ(target, std::fmod(x[0] + x[1] + x[2] + x[3], 2));
  });
  for_rows(made("linear", {{"weights", "2,-1,0.5"}}), [](const auto& x, double target) {
    ASSERT_EQ(x.size(), 3U);
    EXPECT_EQ(target == 1, 2 * x[0] - x[1] + 0.5 * x[2] > 0);
  });
}

TEST(Generate, WrongNamesAndValuesAreUsageErrors) {
  EXPECT_THROW(find_generator("chess"), Error);
  EXPECT_THROW(made("xor", {{"row", "3"}}), Error);
  EXPECT_THROW(made("xor", {{"rows", "0"}}), Error);
  EXPECT_THROW(made("linear", {{"weights", "1,x"}}), Error);
  EXPECT_THROW(made("chessboard", {{"side", "10000"}, {"per-cell", "1000"}}), Error);
}

}  // namespace
}  // namespace softwood
