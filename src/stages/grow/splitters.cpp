#include <algorithm>

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

}  // namespace softwood::grow
