#include "stages/distilled/distilled.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "data/folds.h"
#include "data/typical.h"
#include "gradient/synthetic_rows.h"
#include "stages/distilled/constants.h"
#include "stages/distilled/ensemble.h"
#include "stages/recipe.h"
#include "stages/size_options.h"
#include "tree/edit.h"

namespace softwood::distilled {
namespace {

// What the tree is grown from: a row for each that was asked about, or one for each of its classes
// that is likely enough, with its probability as weight.
class Lessons {
 public:
  explicit Lessons(const Table& table)
      : schema_(table.schema()), inputs_(table.features()), target_(table.target().kind) {
    for (size_t f = 0; f < inputs_.size(); ++f) inputs_[f].kind = table.input(f).kind;
  }

  void add(const Table& from, RowIndex row, std::span<const double> answer) {
    if (target_.kind == Kind::numeric) {
      target_.numbers.push_back(answer[0]);
      add_cells(from, row, from.weight(row));
      return;
    }
    double kept = 0;
    for (const double share : answer) kept += share >= Constants::least_share ? share : 0;
    for (size_t k = 0; k < answer.size(); ++k) {
      if (answer[k] < Constants::least_share) continue;
      target_.codes.push_back(static_cast<int32_t>(k));
      add_cells(from, row, from.weight(row) * answer[k] / kept);
    }
  }

  Table finished() && {
    const size_t rows = weights_.size();
    return {schema_, rows, softwood::finished(std::move(inputs_)), std::move(target_),
            std::move(weights_)};
  }

 private:
  void add_cells(const Table& from, RowIndex row, double weight) {
    for (size_t f = 0; f < inputs_.size(); ++f) {
      const Column& column = from.input(f);
      if (column.kind == Kind::numeric) {
        inputs_[f].numbers.push_back(column.numbers[row]);
      } else {
        inputs_[f].codes.push_back(column.codes[row]);
      }
    }
    weights_.push_back(weight);
  }

  const Schema& schema_;
  std::vector<ColumnDraft> inputs_;
  ColumnDraft target_;
  std::vector<double> weights_;
};

class Distilling {
 public:
  explicit Distilling(const Context& context)
      : context_(context), table_(context.table()), parts_(context.options.count("folds")) {}

  Tree run() const {
    if (context_.rows.size() < parts_ * Constants::least_rows_per_part) {
      return grown(context_.derived, context_.rows);
    }
    const Table lessons = this->lessons();
    Derived derived(lessons);
    Tree tree = grown(derived, all_rows(lessons));
    return with_own_rows(std::move(tree));
  }

 private:
  Tree grown(Derived& derived, std::span<const RowIndex> rows) const {
    const Options& options = context_.options;
    const Recipe recipe = Recipe::parse(
        fmt::format("grow max-leaves={} min-leaf={} missing={}", options.text("max-leaves"),
                    options.text("min-leaf"), options.text("missing")));
    const Training training{.derived = derived,
                            .rows = rows,
                            .validation = {},
                            .seed = context_.seed,
                            .costs = {context_.costs.begin(), context_.costs.end()}};
    return run_recipe(recipe, training, context_.parallel, context_.control.silent()).tree;
  }

  Table lessons() const {
    const Sample sample{&table_, context_.rows};
    const gradient::Inputs inputs(sample, typical_values(table_, context_.rows, context_.control),
                                  gradient::Map::none, gradient::Products::none, context_.control);
    const size_t count = std::min(Constants::synthetic_times * context_.rows.size(),
                                  std::max(Constants::most_synthetic, context_.rows.size()));
    const Table synthetic = gradient::synthetic_rows(
        {&sample, 1},
        inputs.rows<float>({&sample, 1}, gradient::target_scale(sample), context_.control), count,
        context_.seed, nullptr, true, context_.control);
    const std::vector<RowIndex> made = all_rows(synthetic);
    const std::vector<uint32_t> part_of =
        stratified_folds(table_, context_.rows, parts_, context_.seed, context_.control);
    const Answers answers = ensemble_answers(context_, part_of, parts_, {&synthetic, made});
    Lessons lessons(table_);
    for (size_t i = 0; i < context_.rows.size(); ++i) {
      lessons.add(table_, context_.rows[i], mixed(answers, i));
    }
    for (size_t i = 0; i < made.size(); ++i) {
      lessons.add(synthetic, made[i],
                  std::span(answers.synthetic).subspan(i * answers.width, answers.width));
    }
    return std::move(lessons).finished();
  }

  // The target of a row and what the ensemble answers for it.
  std::vector<double> mixed(const Answers& answers, size_t i) const {
    const auto own = std::span(answers.own).subspan(i * answers.width, answers.width);
    std::vector<double> list(own.begin(), own.end());
    for (double& value : list) value *= 1 - Constants::own_share;
    const RowIndex row = context_.rows[i];
    if (table_.schema().task() == Task::regression) {
      list[0] += Constants::own_share * table_.target().numbers[row];
    } else {
      list[static_cast<size_t>(table_.target().codes[row])] += Constants::own_share;
    }
    return list;
  }

  // The tree counts the rows themselves. Its leaves answer what these are, with the ensemble's
  // answers as so many rows more.
  Tree with_own_rows(Tree tree) const {
    tree.canonicalise();
    const std::vector<double> taught = tree.answers();
    for (NodeIndex i = 0; i < tree.size(); ++i) {
      std::ranges::fill(tree.sums(i), 0.0);
      if (!tree.node(i).is_leaf()) tree.node(i).missing().weight = 0;
    }
    count_rows(tree, table_, context_.rows);
    tree.set_leaf_plan(trained_leaves(LeafMixing::answers));
    const size_t width = tree.answer_width();
    for (NodeIndex i = 0; i < tree.size(); ++i) {
      if (!tree.node(i).is_leaf()) continue;
      tree.node(i).model = Owned(model_of(tree, i, std::span(taught).subspan(i * width, width)));
    }
    tree = without_empty_branches(tree);
    send_unseen_to_heaviest(tree);
    return tree;
  }

  LeafModel model_of(const Tree& tree, NodeIndex leaf, std::span<const double> taught) const {
    const double rows = context_.options.real("m"), weight = tree.weight(leaf);
    LeafModel model;
    if (tree.task() == Task::regression) {
      const double mean = weight > 0 ? tree.mean(leaf) : 0;
      const double value = (weight * mean + rows * taught[0]) / (weight + rows);
      model.coefficients = {value};
      model.low = model.high = value;
      return model;
    }
    model.link = LeafLink::softmax;
    // One row of all classes, as in all rows: an ensemble of few rows may leave a class out.
    for (size_t k = 0; k < taught.size(); ++k) {
      const double share =
          (tree.sums(leaf)[k] + rows * taught[k] + tree.sums(0)[k] / tree.weight(0)) /
          (weight + rows + 1);
      if (!(share > 0)) continue;
      model.classes.push_back(static_cast<uint32_t>(k));
      model.coefficients.push_back(math::log(share));
    }
    return model;
  }

  const Context& context_;
  const Table& table_;
  size_t parts_;
};

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature that every stage has
Tree run(Context& context, Tree) { return Distilling(context).run(); }

std::vector<OptionSpec> options() {
  return {
      max_leaves_option("most leaves; the leaf that improves most is split first"),
      {.name = "min-leaf",
       .type = OptionType::real,
       .fallback = "5",
       .help = "least weight of a leaf, synthetic rows counted",
       .low = 0,
       .high = 1e9},
      {.name = "missing",
       .type = OptionType::choice,
       .fallback = "auto",
       .help = "rows without a value: as in grow (auto), or in a child of their own (separate)",
       .choices = {"auto", "separate"}},
      {.name = "m",
       .type = OptionType::real,
       .fallback = "15",
       .help = "rows that the ensemble's answers count as in a leaf",
       .low = 1e-6,
       .high = 1e9},
      {.name = "folds",
       .type = OptionType::integer,
       .fallback = "5",
       .help = "parts of the rows, each answered by trees that were grown from the others",
       .low = 2,
       .high = 20},
  };
}

std::vector<TraitRule> traits() { return {{"", {.divides_rows = true}}}; }

}  // namespace softwood::distilled
