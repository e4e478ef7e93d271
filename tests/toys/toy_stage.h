// A stage that does not exist in the program: it takes the deepest leaves off a tree.
#pragma once

#include "stages/stage.h"

namespace softwood {

Stage toy_stage();

}  // namespace softwood
