#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "reproduce/auto_figures.h"
#include "reproduce/experiment.h"
#include "softwood/error.h"
#include "support/scratch.h"
#include "use/binomial.h"

namespace softwood {
namespace {

class PeersFile : public ::testing::Test {
 protected:
  PeerFigures read(const std::string& text) const {
    const std::string path = folder_.file("peers.csv");
    std::ofstream(path) << text;
    return PeerFigures::read(path, Parallel(1));
  }

  const test::ScratchFolder folder_;
};

TEST_F(PeersFile, GivesValuesByRun) {
  const PeerFigures peers = read(
      "experiment,set,run,method,figure,value\n"
      "magic,magic,3,forest,error,0.12\n"
      "magic,magic,1,forest,error,0.13\n"
      "magic,magic,1,boosted,error,0.11\n");
  const std::vector<double> values = peers.values("magic", "magic", "forest", "error");
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(values[0], 0.13);
  EXPECT_TRUE(std::isnan(values[1]));
  EXPECT_EQ(values[2], 0.12);
  EXPECT_TRUE(peers.values("magic", "magic", "forest", "auc").empty());
}

TEST_F(PeersFile, RefusesWhatIsNotAPeersFile) {
  EXPECT_THROW(read("set,run\na,1\n"), Error);
  EXPECT_THROW(read("experiment,set,run,method,figure,value\na,b,0,c,d,1\n"), Error);
  EXPECT_THROW(read("experiment,set,run,method,figure,value\na,b,1.5,c,d,1\n"), Error);
}

TEST(ResultTable, IsTextForPeopleAndCsvForScripts) {
  const ResultTable table{"t", "What it shows", {"set", "error"}, {{"a, b", "0.1"}}, {"a note"}};
  EXPECT_EQ(table.csv(), "set,error\n\"a, b\",0.1\n");
  EXPECT_EQ(table.text().find("What it shows\n\nset "), 0U);
  EXPECT_NE(table.text().find("a note\n"), std::string::npos);
}

// The tree of all rows may be larger than those that were judged.
TEST(AutoExperiment, TakesTheNextReadableTreeWhereTheBestCantBeRead) {
  Frontier frontier;
  const auto add = [&](size_t leaves, double loss, bool constant_leaves = true) {
    FrontierPoint point;
    point.parameters = point.leaves = leaves;
    point.loss = loss;
    point.constant_leaves = constant_leaves;
    frontier.points.push_back(point);
  };
  add(1, 0.9);
  add(4, 0.5);
  add(8, 0.4);
  add(9, 0.35, false);
  add(16, 0.3);
  frontier.choices.readable = 4;
  std::vector<size_t> asked;
  const auto taken = [&](size_t most_leaves) {
    asked.clear();
    return auto_experiment::readable_point(frontier, 2, [&](size_t point) {
      asked.push_back(point);
      return frontier.points[point].leaves <= most_leaves;
    });
  };
  EXPECT_EQ(taken(16), 4U);
  EXPECT_EQ(taken(7), 1U);
  EXPECT_EQ(asked, (std::vector<size_t>{4, 2, 1}));
  EXPECT_EQ(taken(0), 0U);
  EXPECT_EQ(asked.back(), 0U);
}

TEST(Experiments, UnknownNamesAreAnswered) {
  EXPECT_EQ(find_experiment("soft-trees").name, "soft-trees");
  EXPECT_THROW(find_experiment("soft-tree"), Error);
}

// Dvorak & Savicky, section 6: 4 of 7 and 7 of 7.
TEST(Binomial, LimitsAreThoseOfThePaper) {
  const BinomialInterval interval = binomial_interval(4, 7, 0.95);
  EXPECT_NEAR(interval.low, 0.18, 0.005);
  EXPECT_NEAR(interval.high, 0.90, 0.005);
  EXPECT_NEAR(binomial_lower_limit(7, 7, 0.95), std::pow(0.05, 1.0 / 7), 1e-12);  // 0.65
  EXPECT_EQ(binomial_interval(0, 7, 0.95).low, 0);
  EXPECT_EQ(binomial_interval(7, 7, 0.95).high, 1);
}

// Of ten tosses at most one on one side: 2 * (1 + 10) / 1024.
TEST(Binomial, SignTestIsTwoSided) {
  EXPECT_NEAR(sign_test(9, 1), 22.0 / 1024, 1e-12);
  EXPECT_NEAR(sign_test(1, 9), 22.0 / 1024, 1e-12);
  EXPECT_EQ(sign_test(5, 5), 1);
  EXPECT_EQ(sign_test(0, 0), 1);
}

}  // namespace
}  // namespace softwood
