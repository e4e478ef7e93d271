// What there is to choose from, as data: methods, stages and their options, generators.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "softwood/data.h"

namespace softwood {

enum class OptionKind : uint8_t { integer, real, choice, text };

// Conditions on other options are texts, joined by blanks, all of which must hold: "split=oblique",
// "leaf=ridge,logistic" (either), "monotone!=none" (any other value).

// Where `when` holds, `needs` must hold, too.
struct OptionRule {
  std::string when, needs;
  std::string why;  // a clause; may be empty
};

struct OptionInfo {
  std::string name;
  OptionKind kind = OptionKind::text;
  std::string default_value;  // as it is written
  std::string help;           // one sentence
  // Inclusive range of integer and real options; `high` is infinite where there is no limit.
  double low = 0, high = 0;
  std::string word;                  // that may stand instead of a number: none or auto; or empty
  std::vector<std::string> choices;  // of choice options
  std::string only_with;             // conditions without which it has no effect; empty: none
  std::vector<OptionRule> rules;
  std::string python_name;
  std::vector<std::string> former_names;     // which are still read
  std::vector<std::string> names_elsewhere;  // what other programs call it
};

struct StageInfo {
  std::string name, help;
  bool starts = false;   // makes a tree from nothing: comes first in a recipe
  bool anytime = false;  // when stopped early, it returns its best tree so far
  bool resumes = false;  // keeps a checkpoint
  std::vector<OptionInfo> options;
};

// One stage of a method, with the value of every option.
struct MethodStage {
  std::string stage;
  std::map<std::string, std::string> options;
};

struct MethodInfo {
  std::string name;
  std::string recipe;  // what it stands for
  std::string help, source;
  std::vector<MethodStage> stages;
};

struct GeneratorInfo {
  std::string name, help, source;
  std::vector<OptionInfo> options;
};

std::vector<StageInfo> stage_table();
std::vector<MethodInfo> method_table();
std::vector<GeneratorInfo> generator_table();

// Artificial data with known structure; the target is the last column. The same options and seed
// give the same data.
DataColumns generate(const std::string& generator,
                     const std::vector<std::pair<std::string, std::string>>& options = {},
                     uint64_t seed = 1);

}  // namespace softwood
