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
      {.name = "by",
       .type = OptionType::choice,
       .fallback = "anneal",
       .help = "how the widths of the soft thresholds are found",
       .choices = names},
      {.name = "temp",
       .type = OptionType::real,
       .fallback = "auto",
       .help = "temperature at which the annealer starts: the larger, the larger the rises of the "
               "loss that it accepts at first, in units of the loss summed over the rows; auto: "
               "rows / 1268, in regression times the variance of the target",
       .low = 1e-300,
       .high = 1e300,
       .only_with = "by=anneal",
       .word = "auto"},
      {.name = "over",
       .type = OptionType::choice,
       .fallback = "tree",
       .help = "tree: the tree as it is; sequence: the trees of its pruning sequence, from the "
               "largest on, of which the best one stays",
       .choices = names_of(anneal_over_choices),
       .only_with = "by=anneal"},
      {.name = "choose",
       .type = OptionType::choice,
       .fallback = "objective",
       .help = "which softened tree stays: that with the smallest objective, or the smallest "
               "error, on the training rows",
       .choices = names_of(least_of_choices),
       .only_with = "by=anneal over=sequence"},
      {.name = "patience",
       .type = OptionType::integer,
       .fallback = "50",
       .help = "so many calls of the annealer in a row that lower nothing are the end",
       .low = 1,
       .high = 1e6,
       .only_with = "by=anneal"},
      {.name = "rule",
       .type = OptionType::choice,
       .fallback = "c45",
       .help = "c45: to where a moved threshold would make a standard deviation more errors; c50: "
               "outward from the threshold while the rows passed do not speak against it",
       .choices = names_of(interval_rules),
       .only_with = "by=interval"},
  };
  for (OptionSpec& spec : gradient_options()) specs.push_back(std::move(spec));
  return specs;
}

}  // namespace softwood::soften
