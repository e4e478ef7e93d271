// Writing and reading models with other gates than those of the library.
#pragma once

#include <span>
#include <string>

#include "tree/gates/kinds.h"
#include "tree/model.h"

namespace softwood {

// As those of model.h, with these kinds of gates.
std::string model_to_text(const Model& model, std::span<const GateReader> kinds);
Model model_from_text(const std::string& text, const std::string& source,
                      std::span<const GateReader> kinds);

}  // namespace softwood
