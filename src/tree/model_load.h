// Reading models with other gates than those of the library.
#pragma once

#include <span>
#include <string>

#include "tree/gates/kinds.h"
#include "tree/model.h"

namespace softwood {

// As model_from_text of model.h, with these kinds of gates.
Model model_from_text(const std::string& text, const std::string& source,
                      std::span<const GateReader> kinds);

}  // namespace softwood
