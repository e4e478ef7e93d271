#include <algorithm>
#include <array>

#include "softwood/error.h"
#include "stages/grow/axis.h"
#include "stages/grow/inference/conditional.h"
#include "stages/grow/multivariate/splitter.h"
#include "stages/grow/random_cuts.h"
#include "stages/grow/splitter.h"

namespace softwood::grow {

std::span<const SplitterEntry> splitters() {
  static const std::vector<SplitterEntry> table = {
      {"axis", "one input a node: a threshold, or levels", MissingValues::learned,
       make_axis_splitter},
      {"linear-discriminant", "a weighted sum of inputs: Fisher's discriminant of two groups",
       MissingValues::impute, make_discriminant_splitter},
      {"oblique", "a weighted sum of few inputs, found by search", MissingValues::impute,
       make_oblique_splitter},
      {"quadratic", "a weighted sum of inputs, their squares and products", MissingValues::impute,
       make_quadratic_splitter},
      {"omnivariate", "one input, a linear or a quadratic score, as the 5x2 cv F test says",
       MissingValues::impute, make_omnivariate_splitter},
      {"conditional-inference", "the input that a test says depends most on the target",
       MissingValues::majority, make_conditional_inference, "chi-square"},
      {"random", "the best of one random cut of each input (extremely randomised trees)",
       MissingValues::majority, make_random_splitter},
  };
  return table;
}

const SplitterEntry& find_splitter(std::string_view name) {
  return *std::find_if(splitters().begin(), splitters().end(),
                       [&](const SplitterEntry& entry) { return entry.name == name; });
}

namespace {

struct MissingEntry {
  MissingValues value;
  const char* name;
};
constexpr std::array missing_table = {
    MissingEntry{MissingValues::learned, "learned"},
    MissingEntry{MissingValues::majority, "majority"},
    MissingEntry{MissingValues::separate, "separate"},
    MissingEntry{MissingValues::surrogate, "surrogate"},
    MissingEntry{MissingValues::fractional, "fractional"},
    MissingEntry{MissingValues::impute, "impute"},
};

}  // namespace

std::vector<std::string> missing_names() {
  std::vector<std::string> names = {"auto"};
  for (const MissingEntry& entry : missing_table) names.emplace_back(entry.name);
  return names;
}

MissingValues missing_values(std::string_view name, MissingValues usual) {
  for (const MissingEntry& entry : missing_table) {
    if (entry.name == name) return entry.value;
  }
  return usual;
}

}  // namespace softwood::grow
