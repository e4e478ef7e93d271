#include "stages/grow/describe.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "data/feature_options.h"
#include "stages/grow/splitter.h"

namespace softwood::grow {

namespace {

// What the improvement of a criterion is called, per row of the node.
struct GainName {
  std::string_view criterion, name, unit;
};
constexpr std::array gain_names = {
    GainName{"gini", "Gini gain", ""},
    GainName{"entropy", "information gain", "bits"},
    GainName{"gain-ratio", "information gain", "bits"},
    GainName{"misclassification", "decrease of the error rate", ""},
    GainName{"twoing", "twoing value", ""},
    GainName{"chi-square", "chi-square per row", ""},
    GainName{"mse", "decrease of the variance", ""},
    GainName{"mae", "decrease of the mean absolute error", ""},
    GainName{"poisson", "decrease of half the Poisson deviance per row", ""},
};

std::string criterion_name(const Options& options, Task task) {
  const std::string& name = options.text("criterion");
  if (name != "auto") return name;
  return task == Task::classification ? find_splitter(options.text("split")).class_criterion
                                      : "mse";
}

}  // namespace

void describe(const Options& options, const Schema& schema, LoweredTree& tree) {
  const std::string criterion = criterion_name(options, schema.task());
  const auto* const gain =
      std::find_if(gain_names.begin(), gain_names.end(),
                   [&](const GainName& entry) { return entry.criterion == criterion; });
  if (gain != gain_names.end()) {
    tree.origin.gain_name = gain->name;
    tree.origin.gain_unit = gain->unit;
  }
  const std::vector<int8_t> directions = monotone_directions(options, schema);
  for (size_t f = 0; f < directions.size(); ++f) tree.inputs[f].monotone = directions[f];
}

}  // namespace softwood::grow
