#include "base/options.h"

#include <gtest/gtest.h>

#include "softwood/error.h"

namespace softwood {
namespace {

std::vector<OptionSpec> table() {
  return {{.name = "by",
           .type = OptionType::choice,
           .fallback = "size",
           .help = "what decides",
           .choices = {"size", "weight"}},
          {.name = "depth",
           .type = OptionType::integer,
           .fallback = "3",
           .help = "levels",
           .low = 0,
           .high = 10},
          {.name = "rate",
           .type = OptionType::real,
           .fallback = "0.5",
           .help = "per step",
           .low = 0,
           .high = 1,
           .only_with = "by=weight",
           .elsewhere = {"learning_rate"}},
          {.name = "names", .type = OptionType::text, .fallback = "", .help = "of inputs"}};
}

TEST(Options, HaveTheirDefaultsUnlessGiven) {
  const Options options("grow", table(), {{"depth", "7"}});
  EXPECT_EQ(options.text("by"), "size");
  EXPECT_EQ(options.integer("depth"), 7);
  EXPECT_TRUE(options.has_number("depth"));
  EXPECT_EQ(options.real("rate"), 0.5);
}

TEST(Options, AreWrittenInTheOrderOfTheTableWithQuotesWhereNeeded) {
  const Options options("grow", table(), {{"names", "a b"}, {"rate", "0.1"}, {"by", "weight"}});
  EXPECT_EQ(options.given_text(), "by=weight rate=0.1 names=\"a b\"");
  EXPECT_EQ(Options("grow", table(), {}).given_text(), "");
}

std::string refusal(const Options::Pairs& given) {
  try {
    const Options options("grow", table(), given);
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.text();
  }
}

TEST(Options, RefuseWhatTheTableDoesNotAllowAndSayWhatItDoes) {
  EXPECT_NE(refusal({{"dephth", "2"}}).find("depth"), std::string::npos);
  EXPECT_NE(refusal({{"depth", "11"}}).find("10"), std::string::npos);
  EXPECT_NE(refusal({{"depth", "2.5"}}).find("depth"), std::string::npos);
  EXPECT_NE(refusal({{"by", "colour"}}).find("weight"), std::string::npos);
}

}  // namespace
}  // namespace softwood
