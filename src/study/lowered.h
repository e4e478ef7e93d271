// The lowered form of a model with all that its recipe says about it.
#pragma once

#include "softwood/lowered.h"
#include "tree/model.h"

namespace softwood {

// What a recipe says that this version can't read is left out.
LoweredTree lowered_with_recipe(const Model& model);

}  // namespace softwood
