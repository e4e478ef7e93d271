// What growing does with rows that have no value of the feature that splits a node (`missing=`).
//   learned    they are tried on both sides; nominal: missing is one more level
//   majority   they go to the child that gets more of the rows with a value
//   separate   they get a child of their own; nominal: missing is one more level
//   surrogate  other inputs that send the rows nearly alike decide; else as majority
//   fractional they are divided among the children in proportion to the rows with a value (C4.5)
//   impute     the training median or most frequent level stands for what is missing
// All but learned choose a split by the rows that have a value.
#pragma once

#include <optional>

#include "base/options.h"

namespace softwood::grow {

enum class MissingValues { learned, majority, separate, surrogate, fractional, impute };

// No value: what the splitter needs.
constexpr Named<std::optional<MissingValues>> missing_choices[] = {
    {"auto", std::nullopt},
    {"learned", MissingValues::learned},
    {"majority", MissingValues::majority},
    {"separate", MissingValues::separate},
    {"surrogate", MissingValues::surrogate},
    {"fractional", MissingValues::fractional},
    {"impute", MissingValues::impute}};

}  // namespace softwood::grow
