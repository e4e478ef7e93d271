// What there is to choose from, as data: methods, stages and their options, generators.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "softwood/data.h"

namespace softwood {

enum class OptionKind : uint8_t { integer, real, choice, text };

struct OptionInfo {
  std::string name;
  OptionKind kind = OptionKind::text;
  std::string default_value;         // as it is written; "none" and "auto" are no numbers
  std::string help;                  // one sentence
  double low = 0, high = 0;          // inclusive range of integer and real options
  std::vector<std::string> choices;  // of choice options
  // Values of other options without which it has no effect, all of them: "split=oblique",
  // "leaf=ridge,logistic" (either). Empty: it always has one.
  std::string only_with;
  std::vector<std::string> names_elsewhere;  // what other programs call it
};

struct StageInfo {
  std::string name, help;
  bool starts = false;   // makes a tree from nothing: comes first in a recipe
  bool anytime = false;  // when stopped early, it returns its best tree so far
  bool resumes = false;  // keeps a checkpoint
  std::vector<OptionInfo> options;
};

struct MethodInfo {
  std::string name;
  std::string recipe;  // the stages it stands for
  std::string help, source;
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
