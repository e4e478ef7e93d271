#include "stages/soften/soften.h"

#include "stages/kinds.h"
#include "stages/soften/anneal.h"
#include "stages/soften/gradient.h"
#include "stages/soften/interval.h"

namespace softwood::soften {
namespace {

const std::vector<StageKind>& kinds() {
  static const std::vector<StageKind> table = {
      {"anneal", by_annealing},
      {"interval", by_intervals},
      {"gradient", by_gradient},
  };
  return table;
}

}  // namespace

Tree run(Context& context, Tree tree) { return run_kind(kinds(), context, std::move(tree)); }

std::vector<OptionSpec> options() {
  const std::vector<std::string> names = kind_names(kinds());
  std::vector<OptionSpec> specs = {
      {"by", OptionType::choice, "anneal", "how the widths of the soft thresholds are found", 0, 0,
       names},
      {"temp",
       OptionType::real,
       "auto",
       "temperature at the start of each call of the annealer; auto: 10 for each 12680 "
       "rows, for numbers times their variance",
       1e-300,
       1e300,
       {},
       "by=anneal"},
      {"over",
       OptionType::choice,
       "tree",
       "tree: the tree as it is; sequence: the trees of its pruning sequence, from the "
       "largest on, of which the best one stays",
       0,
       0,
       {"tree", "sequence"},
       "by=anneal"},
      {"choose",
       OptionType::choice,
       "objective",
       "which softened tree stays: that with the smallest objective, or "
       "the smallest error, on the training rows",
       0,
       0,
       {"objective", "error"},
       "by=anneal over=sequence"},
      {"patience",
       OptionType::integer,
       "50",
       "so many calls of the annealer in a row that lower nothing are the end",
       1,
       1e6,
       {},
       "by=anneal"},
      {"rule",
       OptionType::choice,
       "c45",
       "c45: to where a moved threshold would make a standard deviation more errors; "
       "c50: outward from the threshold while the rows passed do not speak against it",
       0,
       0,
       {"c45", "c50"},
       "by=interval"},
  };
  for (OptionSpec& spec : gradient_options()) specs.push_back(std::move(spec));
  return specs;
}

}  // namespace softwood::soften
