#include "stages/auto/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "stages/auto/constants.h"
#include "stages/auto/losses.h"
#include "stages/recipe.h"

namespace softwood::choice {
namespace {

class List {
 public:
  List(const Sample& rows, const Limits& limits, bool probabilities)
      : table_(*rows.table),
        held_rows_(rows.rows.size()),
        rows_(rows_of(weights_of(rows))),
        limits_(limits),
        probabilities_(probabilities),
        classes_(table_.schema().classes()),
        // Shares of few rows are no probabilities: leaves of classes answer between theirs and the
        // root's.
        leaf_(classes_ > 0 ? " leaf=m-estimate" : "") {
    for (size_t f = 0; f < table_.features(); ++f) {
      const bool nominal = table_.input(f).kind == Kind::nominal;
      numeric_ += table_.input(f).kind == Kind::numeric ? 1 : 0;
      missing_ = missing_ || table_.input(f).missing > 0;
      const size_t terms = nominal ? table_.schema().features[f].levels.size() : 1;
      terms_ += terms;
      levels_ += nominal ? terms : 0;
    }
  }

  std::vector<Candidate> all() {
    add("grow max-leaves=1");
    add(fmt::format("grow{} | prune", leaf_));
    add_sizes();
    add_pruned();
    add_leaf_models();
    add_tuned();
    add_scores();
    add_evolved();
    // The last fit has all rows; the ensemble and the distilled tree learn from no more than are
    // judged.
    const auto holds = [&](size_t rows) { return rows * levels_ <= Constants::most_level_cells; };
    if (holds(std::min(held_rows_, Constants::most_judged_rows))) add_distilled();
    if (holds(held_rows_)) add_soft();
    return std::move(list_);
  }

 private:
  // What can't keep the limits, by what its stages say, is not tried.
  void add(const std::string& recipe, Effort effort = Effort::quick) {
    bool soft = false;
    const Recipe parsed = Recipe::parse(recipe);
    if (breaks_limits(parsed)) return;
    for (const Step& step : parsed.steps()) {
      const StageTraits traits = step.traits();
      if (traits.only_task.value_or(table_.schema().task()) != table_.schema().task()) return;
      soft = (soft || traits.makes_soft) && !traits.makes_hard;
    }
    if (limits_.hard && soft) return;
    const auto same = [&](const Candidate& other) { return other.recipe == parsed.text(); };
    if (std::any_of(list_.begin(), list_.end(), same)) return;
    list_.push_back({parsed.text(), effort});
  }

  // The same, softened.
  void add_softened(const std::string& recipe, Effort effort) {
    if (!limits_.hard) add(recipe + " | soften by=gradient", effort);
  }

  // For certain, by the numbers in the recipe: pruning may leave fewer leaves.
  bool breaks_limits(const Recipe& recipe) const {
    const auto exceeds = [](const Step& step, const char* name, std::optional<size_t> limit) {
      return limit && find_option(name, step.stage->options) != nullptr &&
             step.options.has_number(name) && step.options.count(name) > *limit;
    };
    size_t leaves_above = 0;
    for (const Step& step : recipe.steps()) {
      if (exceeds(step, "sparse", limits_.inputs_per_split)) return true;
      if (exceeds(step, "max-leaves", limits_.leaves)) ++leaves_above;
      if (step.stage->name == "prune") leaves_above = 0;
    }
    return leaves_above > 0;
  }

  size_t most_leaves() const { return std::max<size_t>(2, rows_ / Constants::rows_per_leaf); }
  size_t readable_leaves() const { return std::min(most_leaves(), most_readable_leaves(classes_)); }
  bool sums_allowed() const { return limits_.inputs_per_split.value_or(2) > 1; }
  // Whether what asks about every input may be taken.
  bool all_inputs_allowed() const {
    return table_.features() <= limits_.inputs_per_split.value_or(table_.features());
  }

  bool few() const { return rows_ < Constants::few_rows; }
  bool many_classes() const { return classes_ >= Constants::many_classes; }
  // Every leaf holds a parameter per class, so that many classes take long.
  Effort softening() const { return many_classes() ? Effort::slow : Effort::middling; }

  std::string sized(size_t leaves) const {
    return fmt::format("grow max-leaves={} min-leaf={}{}", leaves, Constants::min_leaf, leaf_);
  }

  // Greedy trees of every size, also with the criterion that suits probabilities.
  void add_sizes() {
    for (const size_t leaves : Constants::leaves) {
      if (leaves > most_leaves()) break;
      add(sized(leaves), Effort::instant);
    }
    if (classes_ == 0) return;
    for (const size_t leaves : {8, 16, 64}) {
      if (leaves > most_leaves()) break;
      add(fmt::format("grow criterion=entropy max-leaves={} min-leaf={}{}", leaves,
                      Constants::min_leaf, leaf_),
          Effort::instant);
    }
  }

  void add_pruned() {
    add(fmt::format("grow{} | prune rule=min", leaf_));
    add("grow split=conditional-inference cut-at=node-value min-share=0.01 min-split=20 "
        "min-leaf=7" +
        leaf_);
    if (missing_) add(fmt::format("grow missing=separate{} | prune rule=min", leaf_));
    if (missing_) add(fmt::format("grow missing=surrogate{} | prune rule=min", leaf_));
    if (classes_ == 0) {
      add("grow min-leaf=5");
      return;
    }
    add(fmt::format("grow criterion=entropy{} | prune rule=min", leaf_));
    add(fmt::format("grow criterion=entropy{}", leaf_));
    add(fmt::format("grow criterion=twoing{} | prune rule=min", leaf_));
    // A tree that divides rows without a value is not hard.
    for (const char* missing : {"missing=fractional ", ""}) {
      if (limits_.hard && missing[0] != 0) continue;
      add(
          fmt::format("grow criterion=gain-ratio {}nominal=every-level cut-at=data-point "
                      "min-leaf=2{} | prune by=pessimistic",
                      missing, leaf_));
    }
  }

  void add_leaf_models() {
    if (!all_inputs_allowed()) return;
    const auto with = [&](const char* model, size_t leaves, Effort effort = Effort::instant) {
      if (limits_.hard && leaves == 1) return;
      if (leaves > most_leaves() || rows_ / leaves < 2 * Constants::rows_per_leaf) return;
      add(fmt::format("grow max-leaves={} min-leaf={} leaf={}", leaves, Constants::rows_per_leaf,
                      model),
          effort);
    };
    const bool regressions = terms_ <= Constants::most_regression_terms;
    const bool logistic =
        regressions &&
        held_rows_ * table_.features() * classes_ <= Constants::most_logistic_cells &&
        held_rows_ * terms_ * classes_ <= Constants::most_logistic_term_cells;
    for (const size_t leaves : {1, 4, 16, 64}) {
      if (classes_ == 0 && regressions) with("ridge", leaves);
      if (classes_ > 0) with("naive-bayes", leaves);
      if (classes_ > 0 && leaves <= 4 && logistic) with("logistic", leaves, Effort::quick);
    }
  }

  // Greedy trees whose splits are tuned together, hard ones and softened ones.
  void add_tuned() {
    for (const size_t leaves : {4, 8, 16}) {
      if (leaves > most_leaves()) break;
      add(sized(leaves) + " | refine");
    }
    const std::string readable = sized(readable_leaves());
    add(readable + " | refine by=gradient sharpen=0.05 | harden", Effort::middling);
    // Larger ones are better distilled.
    for (const size_t leaves : {4, 8, 16}) {
      if (leaves > most_leaves()) break;
      add_softened(sized(leaves), Effort::middling);
    }
    add_softened(readable, Effort::middling);
    if (sums_allowed() && numeric_ > 1 && !limits_.hard) {
      add(readable + " | refine by=gradient", Effort::middling);
    }
    if (classes_ == 0) return;
    add_softened(fmt::format("grow{} | prune rule=min", leaf_), softening());
  }

  // Splits by scores over several inputs.
  void add_scores() {
    if (!sums_allowed() || numeric_ < 2) return;
    if (numeric_ > Constants::most_scored_inputs) return;
    const auto with = [&](const char* split, const char* more = "") {
      add(fmt::format("grow split={}{}{} | prune folds={} rule=min", split, more, leaf_,
                      Constants::slow_folds),
          Effort::slow);
    };
    with("oblique");
    with("oblique", " l1=0.1");
    with("linear-discriminant");
    if (numeric_ > Constants::most_paired_inputs) return;
    with("quadratic");
    with("omnivariate");
  }

  // Its leaves answer with plain shares: softened where the metric is about probabilities.
  void add_evolved() {
    const std::string evolve = fmt::format(
        "evolve generations={} patience={} islands={} max-leaves={}", Constants::generations,
        Constants::patience, Constants::islands, readable_leaves());
    probabilities_ ? add_softened(evolve, Effort::slow) : add(evolve, Effort::slow);
  }

  // Hard trees grown from what an ensemble answers, and the same softened: small ones for people,
  // large ones for many classes and boxes.
  void add_distilled() {
    const size_t readable = readable_leaves();
    const auto distilled = [](size_t leaves) {
      return fmt::format("grow-distilled max-leaves={}", leaves);
    };
    if (readable > Constants::small_distilled_leaves) {
      add(distilled(Constants::small_distilled_leaves), Effort::middling);
    }
    add(distilled(readable), Effort::middling);
    // Where cells are missing for a reason, that they are says something.
    if (missing_) add(distilled(readable) + " missing=separate", Effort::middling);
    add_softened(distilled(readable), Effort::middling);
    const size_t most = rows_ / Constants::rows_per_distilled_leaf;
    const size_t most_softened =
        many_classes() ? Constants::most_softened_leaves : Constants::usual_softened_leaves;
    for (const size_t leaves : Constants::distilled_leaves) {
      if (leaves > most) break;
      add(distilled(leaves), Effort::middling);
      if (missing_) add(distilled(leaves) + " missing=separate", Effort::middling);
      // With few rows the costliest takes so little time that these would take more; on inner rows
      // of five such sets all lost more than it.
      if (few() || leaves > most_softened) continue;
      add_softened(distilled(leaves), softening());
    }
    // Sums need fewer leaves: on inner rows of eight sets the log loss of 64 was lower on three.
    if (many_classes() || !sums_allowed()) return;
    if (numeric_ >= 2 && numeric_ <= Constants::most_scored_inputs) {
      add(distilled(readable) + " split=oblique", Effort::slow);
    }
  }

  void add_soft() {
    const auto deepest = static_cast<size_t>(std::bit_width(readable_leaves()) - 1);
    const auto sparse = [&](size_t depth, const char* ensemble) {
      if (size_t{1} << depth > limits_.leaves.value_or(size_t{1} << depth)) return;
      add(fmt::format("grow-soft shape=full folds={} depth={} leaves=constant terms=linear "
                      "map=none sparse={}{}",
                      Constants::sparse_folds, depth, Constants::readable_inputs, ensemble),
          Effort::middling);
    };
    for (size_t depth = std::min<size_t>(2, deepest); depth <= deepest; depth += 2) {
      sparse(depth, " members=1");
    }
    // With few rows, for which the costliest takes little time, it takes a larger share of that.
    if (!few()) sparse(deepest, "");
    if (all_inputs_allowed()) add("grow-soft shape=full", Effort::costliest);
  }

  const Table& table_;
  size_t held_rows_;  // of the table: they take time and memory
  size_t rows_;  // copies are counted where weights count them: they say how much can be learnt
  const Limits& limits_;
  bool probabilities_;
  size_t classes_;  // 0: regression
  std::string leaf_;
  size_t numeric_ = 0;  // inputs
  size_t terms_ = 0;    // of regressions: an input, or a level
  size_t levels_ = 0;
  bool missing_ = false;
  std::vector<Candidate> list_;
};

// Values and levels, which a person can compare with a row as it is.
bool has_plain_terms(const Gate& gate) {
  const ScoreGate* const score = linear_form(gate);
  return score == nullptr ||
         std::all_of(score->terms.begin(), score->terms.end(), [](const Term& term) {
           return term.form == TermForm::value || term.form == TermForm::level;
         });
}

}  // namespace

TreeFigures figures_of(const Tree& tree) {
  const Shape shape = shape_of(tree);
  TreeFigures figures;
  figures.parameters = shape.parameters;
  figures.leaves = shape.leaves;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    const Node& node = tree.node(i);
    if (node.is_leaf()) {
      if (!node.model || node.model->terms.empty()) continue;
      figures.constant_leaves = false;
      figures.inputs_per_split = std::max(
          figures.inputs_per_split, gate_features(ScoreGate{node.model->terms, 0, {}}).size());
      continue;
    }
    const bool divides = node.missing().rule == MissingRule::shares;
    figures.hard = figures.hard && is_hard(node.gate()) && !divides;
    figures.inputs_per_split =
        std::max(figures.inputs_per_split, gate_features(node.gate()).size());
    figures.plain_terms = figures.plain_terms && has_plain_terms(node.gate());
  }
  return figures;
}

bool within_limits(const TreeFigures& figures, const Limits& limits) {
  return figures.parameters <= limits.parameters.value_or(figures.parameters) &&
         figures.leaves <= limits.leaves.value_or(figures.leaves) &&
         figures.inputs_per_split <= limits.inputs_per_split.value_or(figures.inputs_per_split) &&
         (!limits.hard || (figures.hard && !is_only_a_regression(figures)));
}

size_t least_parameters(const Sample& rows) {
  const Schema& schema = rows.table->schema();
  if (schema.task() == Task::regression) return 1;
  std::vector<char> present(schema.classes(), 0);
  for (const RowIndex row : rows.rows) {
    const int32_t code = rows.table->target().codes[row];
    if (code >= 0 && rows.table->weight(row) > 0) present[static_cast<size_t>(code)] = 1;
  }
  return static_cast<size_t>(std::count(present.begin(), present.end(), 1));
}

size_t most_readable_leaves(size_t classes) {
  return std::max(Constants::readable_leaves, 2 * classes);
}

bool is_readable(const TreeFigures& figures, size_t classes) {
  return figures.constant_leaves && figures.plain_terms &&
         figures.inputs_per_split <= Constants::readable_inputs &&
         figures.leaves <= most_readable_leaves(classes);
}

std::vector<Candidate> candidates_for(const Sample& rows, const Limits& limits,
                                      bool probabilities) {
  return List(rows, limits, probabilities).all();
}

}  // namespace softwood::choice
