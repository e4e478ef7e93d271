#include "stages/grow/grow.h"

#include <fmt/format.h>

#include <algorithm>

#include "stages/grow/binned.h"
#include "stages/grow/exact.h"
#include "stages/grow/search.h"

namespace softwood::grow {

namespace {

// Weights count as rows; weights that sum to 1, say, leave nothing to split.
void note_small_weight(const Context& context) {
  double weight = 0;
  for (const RowIndex row : context.rows) weight += context.table().weight(row);
  const double least =
      std::max(context.options.real("min-split"), 2 * context.options.real("min-leaf"));
  if (context.table().weighted() && context.rows.size() > 1 && weight < least) {
    context.control.say(
        fmt::format("all rows together weigh {:.4g}, less than the {:.4g} that a split needs: the "
                    "tree is one leaf "
                    "(weights count as rows; use larger ones, or a smaller min-split and min-leaf)",
                    weight, least));
  }
}

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature that every stage has
Tree run(Context& context, Tree) {
  note_small_weight(context);
  if (context.options.text("search") == "exact") return grow_exact(context);
  // Any number of shards gives the same tree; few rows are not worth more than one.
  constexpr size_t worth_threads = 50000;
  const int shards = context.rows.size() < worth_threads ? 1 : context.parallel.threads();
  return grow_binned(context, static_cast<size_t>(shards), Transport::memory);
}

std::vector<OptionSpec> options() {
  std::vector<std::string> names = {"auto"};
  for (const Criterion& criterion : criteria()) names.push_back(criterion.name);
  constexpr double unbounded = 1e15;
  return {
      {"criterion", OptionType::choice, "auto",
       "what a split should improve; auto: gini for classes, mse for numbers", 0, 0, names},
      {"nominal",
       OptionType::choice,
       "subset",
       "levels of a nominal input: divided in two (subset) or one child each (multiway)",
       0,
       0,
       {"subset", "multiway"}},
      {"search",
       OptionType::choice,
       "exact",
       "exact: every threshold; binned: thresholds between bins of equal numbers of rows",
       0,
       0,
       {"exact", "binned"}},
      {"bins", OptionType::integer, "255", "most bins of an input, with search=binned", 2, 65000},
      {"max-depth", OptionType::integer, "none", "most questions from the root to a leaf", 0,
       unbounded},
      {"min-split", OptionType::real, "2", "least weight (rows) of a node that may be split", 0,
       unbounded},
      {"min-leaf", OptionType::real, "1", "least weight (rows) of a leaf", 0, unbounded},
      {"max-leaves", OptionType::integer, "none",
       "most leaves; the leaf that improves most is split first", 1, unbounded},
      {"min-decrease", OptionType::real, "0",
       "least decrease of the criterion, per row of the node, that is worth a split", 0, unbounded},
  };
}

}  // namespace softwood::grow
