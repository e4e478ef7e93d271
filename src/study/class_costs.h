// How much the classes count, and what wrong answers cost, as a user says it by name.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "data/class_weights.h"

namespace softwood {

// Both may be empty.
struct ClassCosts {
  ClassBalance classes;
  std::vector<double> costs;  // costs.h
};

using NamedNumbers = std::vector<std::pair<std::string, double>>;

// A usage Error when the target is a number. `what` is what the user has given: "option 'costs'".
void refuse_numbers(const Schema& schema, const std::string& what);
// "the classes are a, b".
std::string classes_hint(const Schema& schema);

// Weights by class; classes that are not named weigh 1.
ClassBalance weights_by_class(const NamedNumbers& named, const Schema& schema,
                              const std::string& what);
// Shares by class: all must be named, and sum to 1.
ClassBalance priors_by_class(const NamedNumbers& named, const Schema& schema,
                             const std::string& what);

}  // namespace softwood
