// What must hold for every row of the tables of stages, options, methods, criteria and generators.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "data/generate.h"
#include "softwood/error.h"
#include "stages/recipe.h"
#include "stats/split_search.h"
#include "support/grow.h"
#include "support/tables.h"
#include "support/trees.h"

namespace softwood {
namespace {

struct Owner {
  std::string name;
  std::vector<OptionSpec> options;
};
std::vector<Owner> owners() {
  std::vector<Owner> all;
  for (const Stage& stage : stages()) all.push_back({stage.name, stage.options});
  for (const Generator& generator : generators())
    all.push_back({generator.name, generator.options});
  return all;
}

// Options with which this one has an effect, the first of the values that do.
Options::Pairs needed(const OptionSpec& spec) {
  Options::Pairs pairs;
  if (spec.only_with.empty()) return pairs;
  for (const std::string_view part : split(spec.only_with, ' ')) {
    const size_t equals = part.find('=');
    pairs.emplace_back(part.substr(0, equals), split(part.substr(equals + 1), ',')[0]);
  }
  return pairs;
}

// Those, and a number where some of its values need one instead of a word.
Options::Pairs needed_by_values(const OptionSpec& spec) {
  Options::Pairs pairs = needed(spec);
  constexpr std::string_view any_number = "!=auto";
  for (const OptionNeed& need : spec.needs) {
    if (!need.needs.ends_with(any_number)) continue;
    pairs.emplace_back(need.needs.substr(0, need.needs.size() - any_number.size()), "1");
  }
  return pairs;
}

std::string needed_text(const OptionSpec& spec) {
  std::string text;
  for (const auto& [name, value] : needed_by_values(spec)) text += name + "=" + value + " ";
  return text;
}

bool accepts(const Owner& owner, const std::string& name, const std::string& value) {
  try {
    Options::Pairs given;
    for (const OptionSpec& spec : owner.options) {
      if (spec.name == name) given = needed_by_values(spec);
    }
    given.emplace_back(name, value);
    const Options options(owner.name, owner.options, given);
    EXPECT_EQ(options.text(name), value);
    EXPECT_NE((" " + options.given_text() + " ").find(" " + name + "=" + value + " "),
              std::string::npos);
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(error.text().find(name), std::string::npos) << error.text();
    EXPECT_NE(error.hint(), "") << error.text();
    return false;
  }
}

template <class Items>
void expect_names_and_help(const Items& items) {
  std::set<std::string> names;
  for (const auto& item : items) {
    EXPECT_TRUE(names.insert(item.name).second) << item.name << " occurs twice";
    EXPECT_FALSE(item.name.empty());
    EXPECT_EQ(item.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
              std::string::npos)
        << item.name;
    EXPECT_FALSE(item.help.empty()) << item.name;
  }
  EXPECT_FALSE(names.empty());
}

TEST(Tables, HaveUniqueNamesAndHelp) {
  expect_names_and_help(stages());
  expect_names_and_help(methods());
  expect_names_and_help(generators());
  expect_names_and_help(stats::criteria());
  for (const Owner& owner : owners()) {
    SCOPED_TRACE(owner.name);
    if (!owner.options.empty()) expect_names_and_help(owner.options);
  }
  for (const Method& method : methods()) EXPECT_FALSE(method.source.empty()) << method.name;
}

TEST(EveryOption, HasADefaultThatIsAccepted) {
  for (const Owner& owner : owners()) {
    const Options defaults(owner.name, owner.options, {});
    EXPECT_EQ(defaults.given_text(), "");
    for (const OptionSpec& spec : owner.options) {
      SCOPED_TRACE(owner.name + "." + spec.name);
      EXPECT_EQ(defaults.text(spec.name), spec.fallback);
      EXPECT_TRUE(accepts(owner, spec.name, spec.fallback));
      if (spec.type == OptionType::integer || spec.type == OptionType::real) {
        EXPECT_EQ(defaults.has_number(spec.name), spec.fallback != spec.word);
        EXPECT_LE(spec.low, spec.high);
      }
      EXPECT_FALSE(option_range_text(spec).empty());
    }
  }
}

TEST(EveryOption, AcceptsItsChoicesAndNothingElse) {
  for (const Owner& owner : owners()) {
    for (const OptionSpec& spec : owner.options) {
      SCOPED_TRACE(owner.name + "." + spec.name);
      EXPECT_EQ(spec.type == OptionType::choice, !spec.choices.empty());
      if (spec.type != OptionType::choice) continue;
      EXPECT_EQ(std::set<std::string>(spec.choices.begin(), spec.choices.end()).size(),
                spec.choices.size());
      for (const std::string& choice : spec.choices) EXPECT_TRUE(accepts(owner, spec.name, choice));
      EXPECT_FALSE(accepts(owner, spec.name, "no-such-choice"));
      EXPECT_FALSE(accepts(owner, spec.name, ""));
      EXPECT_FALSE(accepts(owner, spec.name, spec.choices[0] + " "));
    }
  }
}

TEST(EveryOption, RefusesNumbersOutOfRangeAndWhatIsNoNumber) {
  for (const Owner& owner : owners()) {
    for (const OptionSpec& spec : owner.options) {
      SCOPED_TRACE(owner.name + "." + spec.name);
      const bool integer = spec.type == OptionType::integer;
      if (!integer && spec.type != OptionType::real) continue;
      const auto text = [&](double value) {
        return integer && std::abs(value) < 9e18 ? std::to_string(std::llround(value))
                                                 : number_text(value);
      };
      EXPECT_TRUE(accepts(owner, spec.name, text(spec.low)));
      EXPECT_TRUE(accepts(owner, spec.name, text(spec.high)));
      EXPECT_FALSE(accepts(owner, spec.name, text(spec.low - 1)));
      EXPECT_FALSE(accepts(owner, spec.name, text(spec.high * 2 + 1)));
      if (!integer) {
        EXPECT_FALSE(accepts(owner, spec.name, number_text(std::nextafter(spec.low, -INFINITY))));
        EXPECT_FALSE(accepts(owner, spec.name, number_text(std::nextafter(spec.high, INFINITY))));
      } else {
        EXPECT_FALSE(accepts(owner, spec.name, text(spec.low) + ".5"));
      }
      for (const char* value :
           {"", "x", "nan", "-nan", "inf", "-inf", "1e999", "1,5", "0x10", "yes"}) {
        EXPECT_FALSE(accepts(owner, spec.name, value)) << value;
      }
      for (const char* word : {"none", "auto"}) {
        EXPECT_EQ(accepts(owner, spec.name, word), spec.word == word) << word;
      }
    }
  }
}

TEST(EveryOption, IsRefusedUnderAnotherName) {
  for (const Owner& owner : owners()) {
    for (const OptionSpec& spec : owner.options) {
      EXPECT_FALSE(accepts(owner, spec.name + "x", spec.fallback));
      EXPECT_FALSE(accepts(owner, "", spec.fallback));
    }
  }
}

TEST(EveryOption, IsRefusedWhereItHasNoEffect) {
  for (const Owner& owner : owners()) {
    for (const OptionSpec& spec : owner.options) {
      SCOPED_TRACE(owner.name + "." + spec.name);
      for (const auto& [name, value] : needed(spec)) {
        const auto other =
            std::find_if(owner.options.begin(), owner.options.end(),
                         [&name = name](const OptionSpec& option) { return option.name == name; });
        ASSERT_NE(other, owner.options.end()) << name;
        EXPECT_TRUE(accepts(owner, name, value));
        const std::string wrong =
            other->type == OptionType::choice
                ? (other->choices[0] == value ? other->choices.back() : other->choices[0])
                : number_text(other->high);
        Options::Pairs given = needed_by_values(spec);
        given.emplace_back(name, wrong);
        given.emplace_back(spec.name, spec.fallback);
        EXPECT_THROW(Options(owner.name, owner.options, given), Error) << name << "=" << wrong;
      }
    }
  }
}

// A condition names an option, and values that it can have.
void expect_conditions(const Owner& owner, const std::string& conditions) {
  for (const std::string_view part : split(conditions, ' ')) {
    const size_t equals = part.find('=');
    const bool unequal = equals != std::string_view::npos && part[equals - 1] == '!';
    const OptionSpec* const spec =
        find_option(part.substr(0, unequal ? equals - 1 : equals), owner.options);
    ASSERT_NE(spec, nullptr) << part;
    for (const std::string_view value : split(part.substr(equals + 1), ',')) {
      EXPECT_TRUE(value == spec->word || std::find(spec->choices.begin(), spec->choices.end(),
                                                   value) != spec->choices.end())
          << part;
    }
  }
}

TEST(EveryOption, NeedsWhatThereIs) {
  for (const Owner& owner : owners()) {
    for (const OptionSpec& spec : owner.options) {
      SCOPED_TRACE(owner.name + "." + spec.name);
      if (!spec.only_with.empty()) expect_conditions(owner, spec.only_with);
      for (const OptionNeed& need : spec.needs) {
        expect_conditions(owner, need.when);
        expect_conditions(owner, need.needs);
        EXPECT_TRUE(need.when.starts_with(spec.name)) << "errors name this option";
      }
    }
  }
  for (const Stage& stage : stages()) {
    for (const TraitRule& rule : stage.traits) {
      SCOPED_TRACE(stage.name);
      if (!rule.when.empty()) expect_conditions({stage.name, stage.options}, rule.when);
    }
  }
}

TEST(EveryOption, HasNamesOfItsOwn) {
  for (const Owner& owner : owners()) {
    std::set<std::string> names, python;
    for (const OptionSpec& spec : owner.options) {
      SCOPED_TRACE(owner.name + "." + spec.name);
      EXPECT_TRUE(names.insert(spec.name).second);
      for (const std::string& alias : spec.aliases)
        EXPECT_TRUE(names.insert(alias).second) << alias;
      EXPECT_TRUE(python.insert(python_name(spec)).second) << python_name(spec);
      EXPECT_EQ(python_name(spec).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"),
                std::string::npos);
      EXPECT_EQ(option_called(python_name(spec), owner.options), &spec);
    }
  }
}

TEST(EveryMethodsRecipe, IsWrittenAsItIsPrinted) {
  for (const Method& method : methods()) {
    const Recipe recipe = Recipe::parse(method.recipe);
    EXPECT_EQ(recipe.text(), method.recipe);
    EXPECT_EQ(&find_method(method.name), &method);
    EXPECT_TRUE(recipe.steps()[0].stage->starts);
  }
}

Table toy(Task task) {
  return test::random_table(
      {.rows = 60, .classes = task == Task::classification ? size_t{3} : size_t{0}, .missing = 0.1},
      1);
}

// As a recipe that makes the stage run: after grow unless it makes a tree itself.
std::string recipe_with(const Stage& stage, const std::string& options) {
  return (stage.starts ? "" : "grow | ") + stage.name + " " + options;
}

// Options that make a run short. Only what has an effect costs time.
std::string small_text(const Stage& stage, const OptionSpec& spec) {
  if (spec.only_with.empty()) return "";
  if (stage.name == "grow") return "max-depth=2 ";
  std::string text;
  std::vector<std::string> options;
  if (stage.name == "refine" && spec.only_with == "by=gradient") options = {"steps=20", "decay=0"};
  if (stage.name == "grow-soft" && spec.only_with == "shape=full") {
    options = {"depth=1",  "steps=20",        "members=1", "terms=linear",
               "map=none", "leaves=constant", "decay=0"};
  }
  for (const std::string& option : options) {
    if (option.substr(0, option.find('=')) != spec.name) text += option + " ";
  }
  return text;
}

TEST(EveryStage, RunsWithEachOfItsChoicesForSomeTask) {
  for (const Stage& stage : stages()) {
    EXPECT_EQ(&find_stage(stage.name), &stage);
    for (const OptionSpec& spec : stage.options) {
      for (const std::string& choice : spec.choices) {
        SCOPED_TRACE(stage.name + "." + spec.name + "=" + choice);
        size_t ran = 0;
        for (const Task task : {Task::classification, Task::regression}) {
          try {
            const std::string text =
                small_text(stage, spec) + needed_text(spec) + spec.name + "=" + choice;
            EXPECT_GE(test::run(toy(task), recipe_with(stage, text)).size(), 1U);
            ++ran;
          } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::usage) << error.text();
          }
        }
        EXPECT_GT(ran, 0U);
      }
    }
  }
}

// Options whose time grows with their value, and the largest value that a quick test can afford.
struct Costly {
  std::string stage, option;
  double affordable;
};
const std::vector<Costly> costly = {
    {"evolve", "directions", 100}, {"evolve", "islands", 4},    {"evolve", "patience", 100},
    {"evolve", "population", 60},  {"grow", "jumps", 500},      {"grow", "restarts", 500},
    {"grow-soft", "epochs", 50},   {"grow-soft", "steps", 300}, {"refine", "starts", 10},
    {"refine", "steps", 500},      {"soften", "patience", 20},  {"soften", "steps", 500},
};
const Costly* costly_option(const Stage& stage, const OptionSpec& spec) {
  const auto found = std::find_if(costly.begin(), costly.end(), [&](const Costly& entry) {
    return entry.stage == stage.name && entry.option == spec.name;
  });
  return found == costly.end() ? nullptr : &*found;
}

// Trains with one value of a numeric option, for both tasks where they have it.
void run_with(const Stage& stage, const OptionSpec& spec, double value) {
  const std::string text =
      small_text(stage, spec) + needed_text(spec) + spec.name + "=" +
      (spec.type == OptionType::integer ? std::to_string(std::llround(value)) : number_text(value));
  SCOPED_TRACE(stage.name + " " + text);
  size_t ran = 0;
  for (const Task task : {Task::classification, Task::regression}) {
    try {
      EXPECT_GE(test::run(toy(task), recipe_with(stage, text)).size(), 1U);
      ++ran;
    } catch (const Error& error) {
      // What it is for is not for this task, or no tree of so many classes is so small.
      const bool too_small = spec.name == "max-parameters" && task == Task::classification;
      EXPECT_TRUE(too_small || !spec.only_with.empty()) << error.text();
      EXPECT_EQ(error.kind(), ErrorKind::usage) << error.text();
    }
    if (stage.name == "grow" && spec.name != "significance" && spec.only_with.empty()) {
      EXPECT_GE(test::run(toy(task), recipe_with(stage, "search=binned " + text)).size(), 1U);
    }
  }
  EXPECT_GT(ran, 0U);
}

bool has_range(const OptionSpec& spec) {
  if (spec.name == "share") return false;  // of rows: none and all are refused for any data
  return spec.type == OptionType::integer || spec.type == OptionType::real;
}

TEST(EveryStage, RunsWithTheEndsOfItsRanges) {
  for (const Stage& stage : stages()) {
    for (const OptionSpec& spec : stage.options) {
      if (!has_range(spec)) continue;
      const Costly* const entry = costly_option(stage, spec);
      run_with(stage, spec, spec.low);
      run_with(stage, spec, entry == nullptr ? spec.high : std::min(spec.high, entry->affordable));
    }
  }
}

TEST(EveryStage, HasTheOptionsThatAreKnownToTakeTime) {
  for (const Costly& entry : costly) {
    SCOPED_TRACE(entry.stage + "." + entry.option);
    const Stage& stage = find_stage(entry.stage);
    EXPECT_TRUE(
        std::any_of(stage.options.begin(), stage.options.end(), [&](const OptionSpec& spec) {
          return spec.name == entry.option && entry.affordable <= spec.high;
        }));
  }
}

TEST(LongEveryStage, RunsWithTheEndsOfItsRanges) {
  for (const Stage& stage : stages()) {
    for (const OptionSpec& spec : stage.options) {
      const Costly* const entry = costly_option(stage, spec);
      // Steps and directions are done one by one, up to ten million of them.
      const bool endless = spec.name == "steps" || spec.name == "directions";
      if (entry != nullptr) run_with(stage, spec, endless ? 10 * entry->affordable : spec.high);
    }
  }
}

TEST(EveryCriterion, GrowsForItsTaskAndIsRefusedForTheOther) {
  for (const stats::Criterion& criterion : stats::criteria()) {
    for (const Task task : {Task::classification, Task::regression}) {
      for (const char* search : {" search=exact", " search=binned"}) {
        SCOPED_TRACE(criterion.name + search);
        const std::string recipe = "grow criterion=" + criterion.name + search;
        const bool no_bins = (criterion.traits.by_ratio || criterion.traits.needs_rows) &&
                             std::string_view(search) == " search=binned";
        if (task != criterion.task || no_bins) {
          EXPECT_THROW(test::run(toy(task), recipe), Error);
          continue;
        }
        const Tree tree = test::run(toy(task), recipe);
        EXPECT_GT(tree.size(), 3U);
        for (NodeIndex i = 0; i < tree.size(); ++i) {
          if (tree.node(i).is_leaf()) continue;
          EXPECT_GT(tree.node(i).notes().gain, 0);
          for (uint32_t c = 0; c < tree.children(i); ++c) {
            EXPECT_GE(tree.weight(tree.node(i).first_child + c), 1);
          }
        }
      }
    }
  }
}

TEST(EveryCriterion, MeasuresTheImprovementAlikeForCutsSubsetsAndMultiwaySplits) {
  // A two-level input is the same as a number with two values, whatever the way it is divided.
  for (const stats::Criterion& criterion : stats::criteria()) {
    for (const size_t classes : {2, 3, 5}) {
      Random random(classes, "two values");
      std::vector<double> x, y;
      std::vector<int32_t> cells, codes;
      for (size_t i = 0; i < 80; ++i) {
        cells.push_back(static_cast<int32_t>(random.below(2)));
        x.push_back(cells.back());
        const bool noise = random.below(4) == 0;
        codes.push_back(noise ? static_cast<int32_t>(random.below(classes)) : cells.back());
        y.push_back(x.back() + static_cast<double>(random.below(3)));
      }
      const auto table_of = [&](Column input) {
        return criterion.task == Task::classification
                   ? test::classes_table({std::move(input)}, codes, {}, classes)
                   : test::numbers_table({std::move(input)}, y);
      };
      const Table table = table_of(test::numbers(x)), levels = table_of(test::codes(cells));
      const std::string recipe = "grow max-depth=1 criterion=" + criterion.name;
      const double gain = test::run(table, recipe).node(0).notes().gain;
      EXPECT_GT(gain, 0);
      EXPECT_NEAR(test::run(levels, recipe).node(0).notes().gain, gain, 1e-12);
      if (criterion.traits.two_sides) continue;
      EXPECT_NEAR(test::run(levels, recipe + " nominal=multiway").node(0).notes().gain, gain,
                  1e-12);
    }
  }
}

}  // namespace
}  // namespace softwood
