#include "study/lowered.h"

#include "lower/lower.h"
#include "softwood/error.h"
#include "stages/recipe.h"

namespace softwood {

LoweredTree lowered_with_recipe(const Model& model) {
  LoweredTree tree = lower(model);
  try {
    const Recipe recipe = Recipe::parse(model.provenance.recipe);
    for (const Step& step : recipe.steps()) {
      if (step.stage->describe != nullptr) {
        step.stage->describe(step.options, model.schema, tree);
      }
    }
  } catch (const Error&) {
    // A later version's model is read as far as it is known.
  }
  return tree;
}

}  // namespace softwood
