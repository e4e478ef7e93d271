// What `auto` tries: recipes of all families, as far as they suit the rows and the limits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/options.h"
#include "data/sample.h"
#include "tree/tree.h"

namespace softwood::choice {

// How long a fit takes, against others on the same rows.
enum class Effort {
  instant,  // a tree is grown once, or a leaf gets a model: there is one of them at once
  quick,    // a tree is grown, also for folds of its pruning
  middling,
  costliest,  // a soft tree chosen from many, and distilled
  slow        // tried with a small part of the rows first
};
// In the order in which they are judged: under a budget the cheap ones come first.
constexpr Effort efforts[] = {Effort::instant, Effort::quick, Effort::middling, Effort::costliest,
                              Effort::slow};
inline bool is_quick(Effort effort) { return effort == Effort::instant || effort == Effort::quick; }

struct Candidate {
  std::string recipe;
  Effort effort = Effort::quick;
};

// What a user can live with; none: anything.
struct Limits {
  std::optional<size_t> parameters, leaves, inputs_per_split;
  bool hard = false;  // every row has one path, and there is a path: not only a regression
};
Limits limits_of(const Options& options);  // of the stage

enum class Prefer { accuracy, balanced, readable };
constexpr Named<Prefer> preferences[] = {
    {"accuracy", Prefer::accuracy}, {"balanced", Prefer::balanced}, {"readable", Prefer::readable}};

struct Wanted {
  Limits limits;
  Prefer prefer = Prefer::accuracy;
};

// What of a tree limits and preferences are about.
struct TreeFigures {
  size_t parameters = 0, leaves = 1;
  size_t inputs_per_split = 0;  // most inputs of a split or of the model of a leaf
  bool hard = true, constant_leaves = true;
  bool plain_terms = true;  // splits ask about values and levels, not about squares or products
};
TreeFigures figures_of(const Tree& tree);
// A single leaf with a model.
inline bool is_only_a_regression(const TreeFigures& figures) {
  return figures.leaves == 1 && !figures.constant_leaves;
}
bool within_limits(const TreeFigures& figures, const Limits& limits);
// The parameters of a single leaf: no tree has fewer.
size_t least_parameters(const Sample& rows);
// Axis splits or sums of few inputs as they are, constant leaves, and few of them.
bool is_readable(const TreeFigures& figures, size_t classes);
size_t most_readable_leaves(size_t classes);

// The first one is a single leaf. Limits leave out what can't keep them, and add nothing: what is
// found within them would be found without.
// `probabilities`: the metric is about them, and a tree that gives a class none is hopeless.
std::vector<Candidate> candidates_for(const Sample& rows, const Limits& limits, bool probabilities);

}  // namespace softwood::choice
