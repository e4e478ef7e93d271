#include "cli/arguments.h"

#include <gtest/gtest.h>

#include "softwood/error.h"

namespace softwood {
namespace {

struct Example {
  Arguments arguments{"example"};
  std::string file, target, output;
  std::vector<std::string> names, settings;
  long seed = 1;
  bool json = false;

  Example() {
    arguments.positional("FILE", file, "a file");
    arguments.text("--target", "NAME", target, "a column");
    arguments.text("-o,--output", "FILE", output, "where to");
    arguments.list("--names", "A,B", names, true, "columns");
    arguments.list("--set", "K=V", settings, false, "settings");
    arguments.integer("--seed", "N", seed, 0, 100, "a number");
    arguments.flag("--json", json, "as JSON");
    arguments.exclusive("--target", "--names");
  }
  bool parse(const std::vector<std::string>& words) { return arguments.parse(words); }
  std::string error(const std::vector<std::string>& words) {
    try {
      arguments.parse(words);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::usage);
      return e.text();
    }
    return "no error";
  }
};

TEST(Arguments, TakesValuesInAnyOrder) {
  Example e;
  EXPECT_TRUE(e.parse({"--json", "--set", "a=1,2", "-", "--set", "b=2", "-o", "x", "--seed=7"}));
  EXPECT_EQ(e.file, "-");
  EXPECT_EQ(e.output, "x");
  EXPECT_EQ(e.seed, 7);
  EXPECT_TRUE(e.json);
  EXPECT_EQ(e.settings, (std::vector<std::string>{"a=1,2", "b=2"}));
  EXPECT_TRUE(e.arguments.given("--seed"));
  EXPECT_FALSE(e.arguments.given("--target"));
}

TEST(Arguments, ListsAreCutAtCommas) {
  Example e;
  EXPECT_TRUE(e.parse({"f", "--names", "a,b", "--names", "c"}));
  EXPECT_EQ(e.names, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(Arguments, NamesWithCommasStandInQuotes) {
  using Names = std::vector<std::string>;
  const auto names = [](const std::string& list) {
    Example e;
    EXPECT_TRUE(e.parse({"f", "--names", list}));
    return e.names;
  };
  EXPECT_EQ(names("a, b ,,c"), (Names{"a", "b", "c"}));
  EXPECT_EQ(names("\"customer, name\",id"), (Names{"customer, name", "id"}));
  EXPECT_EQ(names(" \"say \"\"a, b\"\"\" "), (Names{"say \"a, b\""}));
  EXPECT_EQ(names("\"a, b\"=low:high,5\" pipe"), (Names{"a, b=low:high", "5\" pipe"}));
  EXPECT_EQ(names("\"not, closed"), (Names{"not, closed"}));
}

TEST(Arguments, ErrorsSayWhatIsWrongAndWhatToDo) {
  EXPECT_EQ(Example().error({}), "'example' needs FILE\n  'softwood example --help' explains");
  EXPECT_EQ(Example().error({"f", "--sead", "3"}),
            "'example' has no option '--sead'\n  did you mean '--seed'?");
  EXPECT_EQ(Example().error({"f", "--seed", "101"}),
            "option '--seed' can't be '101'\n  expected a whole number from 0 to 100");
  EXPECT_EQ(Example().error({"f", "--seed"}),
            "option '--seed' needs a value\n  'softwood example --help' explains");
  EXPECT_EQ(Example().error({"f", "--target", "--json"}),
            "option '--target' needs a value\n  'softwood example --help' explains");
  EXPECT_EQ(Example().error({"f", "g"}),
            "'example' does not know what to do with 'g'\n  'softwood example --help' explains");
  EXPECT_EQ(
      Example().error({"f", "--target", "t", "--names", "n"}),
      "'--target' and '--names' can't be used together\n  'softwood example --help' explains");
}

TEST(Arguments, HelpListsAllOfThem) {
  Example e;
  EXPECT_FALSE(e.parse({"--help"}));
  const std::string help = e.arguments.help();
  for (const char* part : {"FILE", "--target NAME", "-o, --output FILE", "--json", "-h, --help"}) {
    EXPECT_NE(help.find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace softwood
