// What can be wrong with a recipe, found before anything is computed. Each throws a usage Error.
#pragma once

#include <optional>
#include <span>

#include "stages/recipe.h"

namespace softwood {

// Whether the stage may stand where it does: `first` of all in a recipe, which with `on_tree` goes
// on with a finished tree.
void check_place(const Stage& stage, bool first, bool on_tree);

// Words of other programs, with what they are called here.
void refuse_foreign_words(const Stage& stage, const Options::Pairs& given);
// What to do instead of setting an option of this name, if other programs have one.
std::optional<Advice> foreign_option_advice(const Stage& stage, std::string_view name);

// Stages that undo what an earlier one promises, or that can't work on what it makes.
void check_steps(std::span<const Step> steps);

}  // namespace softwood
