// The tables of stages and methods: what is not here does not exist.
#include "stages/auto/auto.h"
#include "stages/distilled/distilled.h"
#include "stages/evolve/evolve.h"
#include "stages/grow/grow.h"
#include "stages/harden/harden.h"
#include "stages/prune/prune.h"
#include "stages/recipe.h"
#include "stages/refine/refine.h"
#include "stages/soft/grow_soft.h"
#include "stages/soften/soften.h"

namespace softwood {

std::span<const Stage> stages() {
  static const std::vector<Stage> table = {
      {.name = "grow",
       .help = "grows a tree from the root by the best split of each node",
       .options = grow::options(),
       .run = grow::run,
       .starts = true,
       .traits = grow::traits(),
       .foreign_words = grow::foreign_words(),
       .describe = grow::describe},
      {.name = "evolve",
       .help = "searches for the tree as a whole, by evolution",
       .options = evolve::options(),
       .run = evolve::run,
       .starts = true,
       .anytime = true,
       .resumes = true,
       .traits = evolve::traits()},
      {.name = "grow-soft",
       .help = "grows a tree whose gates divide every row, trained by gradients",
       .options = soft::options(),
       .run = soft::run,
       .starts = true,
       .anytime = true,
       .resumes = true,
       .traits = soft::traits()},
      {.name = "grow-distilled",
       .help = "grows a hard tree from what an ensemble of trees answers",
       .options = distilled::options(),
       .run = distilled::run,
       .starts = true,
       .traits = distilled::traits()},
      {.name = "auto",
       .help = "chooses among trees of all kinds by rows that they have not seen",
       .options = choice::options(),
       .run = choice::run,
       .starts = true,
       .anytime = true,
       .resumes = true,
       .chooses = true,
       .traits = choice::traits()},
      {.name = "prune",
       .help = "cuts leaves that do not pay",
       .options = prune::options(),
       .run = prune::run,
       .traits = prune::traits(),
       .foreign_words = prune::foreign_words()},
      {.name = "refine",
       .help = "moves the splits of a finished tree until no single change lowers its loss",
       .options = refine::options(),
       .run = refine::run,
       .anytime = true,
       .traits = refine::traits()},
      {.name = "soften",
       .help = "gives hard thresholds soft ones",
       .options = soften::options(),
       .run = soften::run,
       .anytime = true,
       .traits = soften::traits()},
      {.name = "harden",
       .help = "turns soft gates into hard ones",
       .options = harden::options(),
       .run = harden::run,
       .traits = harden::traits()},
  };
  return table;
}

std::span<const Method> methods() {
  static const std::vector<Method> table = {
      {"cart",
       "grow | prune",
       "a large tree, cut back by cost-complexity with the 1-SE rule",
       "Breiman, Friedman, Olshen & Stone 1984",
       {"rpart"}},
      {"id3", "grow criterion=entropy missing=fractional nominal=every-level",
       "information gain, a child for each level, no pruning; for classes", "Quinlan 1986"},
      {"c45",
       "grow criterion=gain-ratio missing=fractional nominal=every-level cut-at=data-point "
       "min-leaf=2 | prune by=pessimistic",
       "gain ratio, a child for each level, fractional rows, pessimistic pruning; for classes",
       "Quinlan 1993, release 8",
       {"c5.0", "c50", "c4.5", "j48"}},
      {"cart-annealed", "grow | prune rule=min | soften by=anneal over=sequence",
       "cart whose thresholds are softened together by simulated annealing", "Dvorak & Savicky"},
      {"c45-soft",
       "grow criterion=gain-ratio missing=fractional nominal=every-level cut-at=data-point "
       "min-leaf=2 | prune by=pessimistic | soften by=interval",
       "c45 with soft thresholds from the errors of each node", "Quinlan 1993"},
      {"ldt", "grow split=linear-discriminant | prune rule=min",
       "linear discriminants of two groups of classes", "Yildiz & Alpaydin 2005"},
      {"oblique", "grow split=oblique | prune rule=min",
       "weighted sums of few inputs, found by search", "Murthy, Kasif & Salzberg 1994"},
      {"quadratic", "grow split=quadratic | prune rule=min",
       "scores over inputs, their squares and products", "Guo & Gelfand 1992"},
      {"omnivariate", "grow split=omnivariate | prune rule=min",
       "one input, a linear or a quadratic score at each node, chosen by a test",
       "Yildiz & Alpaydin 2001"},
      {"ctree",
       "grow split=conditional-inference cut-at=node-value significance=0.05 min-share=0.01 "
       "min-split=20 min-leaf=7",
       "conditional inference: tests of independence choose the input and end the growth",
       "Hothorn, Hornik & Zeileis 2006"},
      {"evolve", "evolve", "the whole tree by evolution, with local improvement",
       "Krętowski & Grześ 2005"},
      {"evolve-published",
       "evolve alpha=0.0025 population=50 generations=10000 patience=1000 pruning=0.2 seeded=0 "
       "improve=0 rates=fixed islands=1 restart=0 cuts=boundary",
       "the whole tree by evolution, as published", "Krętowski & Grześ 2005"},
      {"soft", "grow-soft",
       "logistic gates over all inputs, grown node by node while the validation error falls",
       "Irsoy, Yildiz & Alpaydin 2012"},
      {"soft-refined", "grow-soft shape=full",
       "a soft tree trained as a whole; depth, terms and leaves are chosen on held-out rows",
       "Irsoy, Yildiz & Alpaydin 2012; Kingma & Ba 2015"},
      {"auto", "auto", "the best tree of all methods, by rows that they have not seen",
       "Jamieson & Talwalkar 2016; Tsamardinos, Greasidou & Borboudakis 2018"},
  };
  return table;
}

}  // namespace softwood
