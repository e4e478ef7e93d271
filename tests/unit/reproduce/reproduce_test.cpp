#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "reproduce/experiment.h"
#include "softwood/error.h"
#include "use/binomial.h"

namespace softwood {
namespace {

class PeersFile : public ::testing::Test {
 protected:
  PeerFigures read(const std::string& text) const {
    std::ofstream(path_) << text;
    return PeerFigures::read(path_.string(), Parallel(1));
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::filesystem::path path_ =
      std::filesystem::path(::testing::TempDir()) / "softwood_peers_test.csv";
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
