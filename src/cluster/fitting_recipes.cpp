// Which recipes can be trained on rows in parts.
#include <fmt/format.h>

#include <algorithm>

#include "cluster/training.h"
#include "fit/leaf_learners.h"
#include "softwood/error.h"

namespace softwood::cluster {
namespace {

constexpr size_t most_bins = most_values;

[[noreturn]] void refuse(const std::string& what, const std::string& hint) {
  throw Error(ErrorKind::usage, what + " does not work on rows in parts", {}, hint);
}

// Whether leaves have more to say than sums of their rows can tell: models, medians.
bool fits_leaves(const Options& grow) {
  const std::string& leaf = grow.text("leaf");
  const std::span<const fit::LeafLearner> learners = fit::leaf_learners();
  return grow.text("criterion") == "mae" ||
         std::any_of(learners.begin(), learners.end(),
                     [&](const fit::LeafLearner& learner) { return learner.name == leaf; });
}

}  // namespace

bool is_evolved(const Recipe& recipe) {
  const Step& step = recipe.steps()[0];
  return recipe.steps().size() == 1 && step.stage->name == "evolve" &&
         step.options.text("cuts") == "bins" && step.options.text("split") == "axis";
}

bool is_for_parts(const Recipe& recipe) {
  const std::vector<Step>& steps = recipe.steps();
  if (is_evolved(recipe)) return true;
  if (steps[0].stage->name != "grow" || steps[0].options.text("search") != "binned") return false;
  const Options& grow = steps[0].options;
  if (steps.size() > 2 ||
      (steps.size() == 2 &&
       (steps[1].stage->name != "prune" || steps[1].options.text("by") != "cost-complexity"))) {
    return false;
  }
  if (grow.has_number("max-leaves")) refuse("max-leaves", "use max-depth, or prune");
  if (grow.text("missing") == "impute") refuse("missing=impute", "use missing=learned");
  if (grow.text("cut-at") != "halfway") refuse("cut-at=" + grow.text("cut-at"), "leave it out");
  if (grow.count("bins") > most_bins) {
    refuse(fmt::format("bins={}", grow.count("bins")), fmt::format("at most {} do", most_bins));
  }
  if (fits_leaves(grow)) refuse("a model in leaves", "use leaf=distribution");
  return true;
}

}  // namespace softwood::cluster
