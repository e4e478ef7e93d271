#include "stages/grow/grow.h"

#include "stages/grow/exact.h"
#include "stages/grow/search.h"

namespace softwood::grow {

Tree run(Context& context, Tree) {
  return grow_exact(context);
}

std::vector<OptionSpec> options() {
  std::vector<std::string> names = {"auto"};
  for (const Criterion& criterion : criteria()) names.push_back(criterion.name);
  constexpr double unbounded = 1e15;
  return {
      {"criterion", OptionType::choice, "auto",
       "what a split should improve; auto: gini for classes, mse for numbers", 0, 0, names},
      {"nominal", OptionType::choice, "subset",
       "levels of a nominal input: divided in two (subset) or one child each (multiway)", 0, 0,
       {"subset", "multiway"}},
      {"max-depth", OptionType::integer, "none", "most questions from the root to a leaf", 0, unbounded},
      {"min-split", OptionType::real, "2", "least weight (rows) of a node that may be split", 0, unbounded},
      {"min-leaf", OptionType::real, "1", "least weight (rows) of a leaf", 0, unbounded},
      {"max-leaves", OptionType::integer, "none",
       "most leaves; the leaf that improves most is split first", 1, unbounded},
      {"min-decrease", OptionType::real, "0",
       "least decrease of the criterion, per row of the node, that is worth a split", 0, unbounded},
  };
}

}  // namespace softwood::grow
