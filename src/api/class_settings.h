// What the caller says about recipes and classes, from the public form to the library's own.
#pragma once

#include <string>
#include <vector>

#include "softwood/train.h"
#include "study/class_costs.h"
#include "study/cv.h"

namespace softwood {

// By the names of classes.
ClassCosts class_costs_of(const ClassSettings& settings, const Schema& schema);
Candidate candidate_of(const std::string& method, const std::string& recipe,
                       const std::vector<std::string>& settings);

}  // namespace softwood
