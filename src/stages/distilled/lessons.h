// What a distilled tree is grown from: rows and rows between them, with the answers of an ensemble.
#pragma once

#include <memory>

#include "stages/stage.h"

namespace softwood::distilled {

// A row for each that was asked about, or one for each of its classes that is likely enough, with
// its probability as weight.
struct Lessons {
  explicit Lessons(Table of) : table(std::move(of)), derived(table) {}

  Table table;
  Derived derived;
};

// Shared by all trees that are distilled from the same rows. They do not depend on what these trees
// are to be like.
std::shared_ptr<Lessons> lessons_for(const Context& context, size_t parts);

}  // namespace softwood::distilled
