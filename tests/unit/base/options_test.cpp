#include "base/options.h"

#include <gtest/gtest.h>

#include "softwood/error.h"

namespace softwood {
namespace {

enum class Shape { round, flat };
constexpr Named<Shape> shapes[] = {{"round", Shape::round}, {"flat", Shape::flat}};

const std::vector<OptionSpec>& table() {
  static const std::vector<OptionSpec> specs = {
      {.name = "shape",
       .type = OptionType::choice,
       .fallback = "round",
       .help = "what it looks like",
       .choices = names_of(shapes),
       .aliases = {"form"}},
      {.name = "most-edges",
       .type = OptionType::integer,
       .fallback = "none",
       .help = "how many edges there may be",
       .low = 1,
       .high = unbounded,
       .only_with = "shape=flat",
       .elsewhere = {"maxedge"},
       .word = "none",
       .python = "max_edges"},
      {.name = "colour",
       .type = OptionType::text,
       .fallback = "none",
       .help = "what it is painted with",
       .word = "none",
       .needs = {{.when = "colour!=none", .needs = "shape=flat", .why = "only sheets are painted"},
                 {.when = "colour=red,green", .needs = "most-edges!=3,4"}}},
  };
  return specs;
}

Options options(const Options::Pairs& given) { return Options("toy", table(), given); }

std::string fault(const Options::Pairs& given) {
  try {
    options(given);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.text();
  }
  return "";
}

TEST(Options, ReadChoicesAsWhatTheyStandFor) {
  EXPECT_EQ(options({}).choice("shape", shapes), Shape::round);
  EXPECT_EQ(options({{"shape", "flat"}}).choice("shape", shapes), Shape::flat);
  EXPECT_EQ(names_of(shapes), (std::vector<std::string>{"round", "flat"}));
}

TEST(Options, AreNotReadByATableOfOtherChoices) {
  constexpr Named<int> sides[] = {{"left", 0}, {"right", 1}};
  EXPECT_THROW(options({}).choice("shape", sides), std::logic_error);
  EXPECT_THROW(options({}).text("side"), std::logic_error);
}

TEST(Options, HaveNumbersOrTheDeclaredWord) {
  const Options given = options({{"shape", "flat"}, {"most-edges", "5"}});
  EXPECT_TRUE(given.has_number("most-edges"));
  EXPECT_EQ(given.count("most-edges"), 5U);
  EXPECT_FALSE(options({}).has_number("most-edges"));
  EXPECT_EQ(fault({{"shape", "flat"}, {"most-edges", "auto"}}),
            "option 'most-edges' of 'toy' can't be 'auto'\n"
            "  expected a whole number of at least 1, or none");
}

TEST(Options, KeepTheirFormerNames) {
  const Options given = options({{"form", "flat"}});
  EXPECT_EQ(given.text("shape"), "flat");
  EXPECT_EQ(given.given_text(), "shape=flat");
  EXPECT_EQ(find_option("form", table()), &table()[0]);
  EXPECT_EQ(find_option("maxedge", table()), nullptr);
}

TEST(Options, AreFoundByTheirNamesElsewhere) {
  for (const char* name : {"maxedge", "max_edges", "mostEdges", "most_edges"}) {
    EXPECT_EQ(option_called(name, table()), &table()[1]) << name;
  }
  EXPECT_EQ(option_called("Form", table()), &table()[0]);
  EXPECT_EQ(option_called("edges", table()), nullptr);
  EXPECT_EQ(python_name(table()[1]), "max_edges");
  EXPECT_EQ(python_name({.name = "a-b", .type = OptionType::text, .fallback = "", .help = ""}),
            "a_b");
}

TEST(Options, AreRefusedWhereTheyHaveNoEffect) {
  EXPECT_EQ(fault({{"most-edges", "5"}}),
            "option 'most-edges' of 'toy' has no effect with shape=round\n  it is for shape=flat");
}

TEST(Options, AreRefusedWhereTheyDoNotWorkTogether) {
  EXPECT_EQ(fault({{"colour", "blue"}}),
            "colour=blue of 'toy' does not work with shape=round: only sheets are painted\n"
            "  leave one of the two out; colour=blue is for shape=flat");
  EXPECT_EQ(fault({{"colour", "blue"}, {"shape", "flat"}}), "");
  EXPECT_EQ(fault({{"colour", "blue"}, {"shape", "flat"}, {"most-edges", "4"}}), "");
  EXPECT_EQ(fault({{"colour", "green"}, {"shape", "flat"}, {"most-edges", "4"}}),
            "colour=green of 'toy' does not work with most-edges=4\n"
            "  leave one of the two out; colour=green is for most-edges other than 3 or 4");
  EXPECT_EQ(fault({{"colour", "green"}, {"shape", "flat"}}), "");
}

TEST(Conditions, AreReadAloud) {
  EXPECT_EQ(condition_text("by=x"), "by=x");
  EXPECT_EQ(condition_text("by=x,y,z a!=none"), "by=x, y or z and a other than none");
  EXPECT_EQ(condition_text(""), "");
}

}  // namespace
}  // namespace softwood
