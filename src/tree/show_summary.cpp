// Origin, size, importance of the features, and all that is known of every node.
#include <fmt/format.h>

#include <numeric>

#include "base/text.h"
#include "tree/gates/kinds.h"
#include "tree/importance.h"
#include "tree/show.h"
#include "tree/show_parts.h"

namespace softwood {

namespace {

constexpr size_t label_width = 12;
constexpr size_t bar_width = 40;

class Summary {
 public:
  Summary(const Model& model, size_t width)
      : model_(model),
        tree_(model.tree),
        answers_(shown_answers(model.tree)),
        width_(std::min(width, widest_text)) {}

  std::string text() {
    add_facts();
    add_importance();
    if (has_trained_leaves(tree_)) text_ += '\n' + trained_leaves_text(model_, width_);
    if (model_.complexity) text_ += "\nCost-complexity table\n" + show_table(model_);
    for (NodeIndex i = 0; i < tree_.size(); ++i) add_node(i);
    return std::move(text_);
  }

 private:
  void say(std::string_view what, const std::string& value) {
    text_ += wrapped(fmt::format("{:<{}}", what, label_width), value, width_) + '\n';
  }
  // The same within a node.
  void tell(std::string_view what, const std::string& value) {
    text_ += wrapped(fmt::format("  {:<{}}", what, label_width - 2), value, width_) + '\n';
  }
  // Each line of the table that is not empty with its text, broken where it is long.
  void tell_beside(const TextTable& table, std::span<const std::string> texts,
                   std::string_view what) {
    const std::string lines = table.text();
    size_t widest = 0, next = 0;
    for (const std::string_view line : split(lines, '\n')) {
      widest = std::max(widest, display_width(line));
    }
    for (const std::string_view line : split(lines, '\n')) {
      if (line.empty()) continue;
      const std::string lead = fmt::format("  {:<{}}{}{:{}}", what, label_width - 2, line, "",
                                           widest + 2 - display_width(line));
      text_ += wrapped(lead, texts[next++], width_) + '\n';
      what = "";
    }
  }
  std::string feature_name(size_t f) const {
    return shown_name(model_.schema.features[f].name, NamePlace::set);
  }

  void add_facts();
  void add_importance();
  void add_node(NodeIndex i);
  void add_classes(NodeIndex i);
  void add_split(NodeIndex i);
  void add_softness(NodeIndex i);
  void add_competitors(NodeIndex i);
  void add_surrogates(NodeIndex i);
  std::string missing_text(NodeIndex i) const;
  std::string rule_text(const Node& node) const;
  std::string value_text(uint32_t f, double value) const {
    const Feature& feature = model_.schema.features[f];
    return feature.kind == Kind::numeric
               ? shown_number(value)
               : shown_name(feature.levels[static_cast<size_t>(value)], NamePlace::set);
  }

  const Model& model_;
  const Tree& tree_;
  std::vector<double> answers_;
  size_t width_;
  std::string text_;
};

std::string percent(double part, double all) {
  return fmt::format("{:.1f} %", all > 0 ? 100 * part / all : 0.0);
}

void Summary::add_facts() {
  const Schema& schema = model_.schema;
  const Provenance& origin = model_.provenance;
  const Shape shape = shape_of(tree_);
  std::vector<bool> used(schema.features.size(), false);
  for (NodeIndex i = 0; i < tree_.size(); ++i) {
    if (tree_.node(i).is_leaf()) continue;
    for (const uint32_t feature : gate_features(tree_.node(i).gate())) used[feature] = true;
  }
  for (NodeIndex i = 0; i < tree_.size(); ++i) {
    if (!tree_.node(i).model) continue;
    for (const Term& term : tree_.node(i).model->terms) {
      used[term.feature] = true;
      if (term.form == TermForm::product) used[term.other] = true;
    }
  }
  std::vector<std::string> names;
  for (size_t f = 0; f < used.size(); ++f) {
    if (used[f]) names.push_back(feature_name(f));
  }
  const std::string target = shown_name(schema.target.name, NamePlace::set);
  say("target", schema.task() == Task::regression
                    ? target + " (regression)"
                    : fmt::format("{} (classification, {} classes: {})", target, schema.classes(),
                                  join(schema.target.levels, ", ")));
  say("tree", fmt::format("{}, {}, depth {}, {}", counted(shape.nodes, "node", "nodes"),
                          counted(shape.leaves, "leaf", "leaves"), shape.depth,
                          counted(shape.parameters, "parameter", "parameters")));
  say("features", fmt::format("{} of {} used{}{}", names.size(), schema.features.size(),
                              names.empty() ? "" : ": ", join(names, ", ")));
  if (tree_.leaf_plan().has_models()) {
    const ModelCount count = count_models(tree_);
    say("models", fmt::format("in {} of {} leaves", count.models, count.leaves));
  }
  if (!origin.method.empty()) say("method", origin.method);
  say("recipe", origin.recipe);
  if (!origin.stopped.empty()) {
    say("stopped", fmt::format("by {} before its end: the recipe does not give this tree again",
                               origin.stopped == "budget" ? "the budget" : "a signal"));
  }
  if (const size_t at = origin.recipe.find(" monotone="); at != std::string::npos) {
    const std::string given = origin.recipe.substr(at + std::string_view(" monotone=").size());
    say("monotone",
        fmt::format(
            "{}: {} rises with +, falls with -", given.substr(0, given.find(' ')),
            schema.task() == Task::regression
                ? target
                : "the share of " + shown_name(schema.target.levels.back(), NamePlace::set)));
  }
  // Validation rows that a stage also fits the tree to are in the sums, but not in the table.
  const bool differ = std::fabs(tree_.weight(0) - static_cast<double>(origin.rows)) >= 1;
  say("rows", fmt::format("{}, fingerprint {}{}", origin.rows, origin.fingerprint,
                          !counts_weights(model_) && differ
                              ? fmt::format("; the tree counts {}", shown_weight(tree_.weight(0)))
                              : ""));
  if (!schema.weight.empty()) say("weights", schema.weight);
  const auto numbers = [](std::span<const double> values) {
    std::vector<std::string> texts;
    for (const double value : values) texts.push_back(shown_number(value));
    return join(texts, " ");
  };
  if (!origin.class_weights.empty()) {
    std::vector<std::string> factors;
    for (size_t k = 0; k < schema.classes(); ++k) {
      factors.push_back(fmt::format("{} x {}", shown_name(schema.target.levels[k], NamePlace::set),
                                    short_number(origin.class_weights[k])));
    }
    say("weighting", join(factors, ", ") + " (rows of a class weigh that many times as much)");
  }
  if (!tree_.costs().empty()) {
    const std::span<const double> costs = tree_.costs();
    std::vector<std::string> rows;
    for (size_t k = 0; k < schema.classes(); ++k) {
      rows.push_back(numbers(costs.subspan(k * schema.classes(), schema.classes())));
    }
    say("costs", join(rows, "; ") + " (a row for each true class)");
  }
  say("seed", fmt::format("{}", origin.seed));
  say("version", origin.version);
}

void Summary::add_importance() {
  const std::vector<double> importance = importance_of(model_);
  std::vector<size_t> order(importance.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return importance[a] > importance[b]; });
  if (order.empty() || importance[order[0]] <= 0) return;
  TextTable table({"Importance", "%", ""});
  for (const size_t f : order) {
    if (importance[f] <= 0) break;
    const auto cells =
        static_cast<size_t>(std::lround(bar_width * importance[f] / importance[order[0]]));
    std::string bar;
    for (size_t c = 0; c < std::max<size_t>(cells, 1); ++c) bar += "█";
    table.add({feature_name(f), fmt::format("{:.1f}", 100 * importance[f]), bar});
  }
  text_ += '\n' + table.text();
  if (count_models(tree_).models > 0) text_ += "(of the splits, without the models of leaves)\n";
}

void Summary::add_node(NodeIndex i) {
  const Node& node = tree_.node(i);
  const double weight = tree_.weight(i);
  std::string answer;
  if (tree_.task() == Task::regression) {
    answer = shown_number(answers_[i]);
  } else {
    answer =
        shown_name(model_.schema.target.levels[answered_class(tree_, answers_, i)], NamePlace::set);
  }
  text_ += fmt::format("\nNode {}{}: {} ({} of all), {} = {}\n", i, node.is_leaf() ? ", leaf" : "",
                       shown_rows(model_, weight), percent(weight, tree_.weight(0)),
                       shown_name(model_.schema.target.name, NamePlace::comparison), answer);
  if (tree_.task() == Task::regression) {
    tell("risk", fmt::format("{} squared, sd {}", short_number(tree_.risk(i)),
                             short_number(spread_at(tree_, i))));
  } else {
    add_classes(i);
    const double wrong = weight - tree_.sums(i)[answered_class(tree_, answers_, i)];
    const std::string errors =
        fmt::format("{} wrong, {}", shown_weight(wrong), percent(wrong, weight));
    tell("risk", tree_.costs().empty()
                     ? errors
                     : fmt::format("cost {}, {}", short_number(tree_.risk(i)), errors));
  }
  if (!node.is_leaf()) add_split(i);
  if (!node.model) return;
  std::string_view what = "model";
  for (const std::string& output :
       leaf_model_lines(*node.model, model_.schema, tree_.leaf_plan().mixing, no_limit)) {
    tell(what, output);
    what = "";
  }
}

void Summary::add_classes(NodeIndex i) {
  const auto sums = tree_.sums(i);
  std::vector<std::string> parts;
  for (size_t k = 0; k < sums.size(); ++k) {
    if (sums[k] <= 0) continue;
    parts.push_back(fmt::format("{} {} ({})",
                                shown_name(model_.schema.target.levels[k], NamePlace::set),
                                shown_weight(sums[k]), percent(sums[k], tree_.weight(i))));
  }
  if (!parts.empty()) tell("classes", join(parts, ", "));
}

void Summary::add_split(NodeIndex i) {
  const Node& node = tree_.node(i);
  std::string gain = fmt::format("decrease {}", short_number(decrease_at(tree_, i)));
  const Notes& notes = node.notes();
  if (!std::isnan(notes.gain)) gain += fmt::format(", gain {} a row", short_number(notes.gain));
  if (!std::isnan(notes.alpha))
    gain += fmt::format(", cut from alpha {}", short_number(notes.alpha));
  if (!std::isnan(notes.statistic)) {
    gain += fmt::format(", statistic {}", short_number(notes.statistic));
  }
  if (!std::isnan(notes.log_p)) gain += ", p " + p_value_text(notes.log_p);
  tell("split", gain);
  TextTable children({"", ""});
  std::vector<std::string> conditions;
  for (uint32_t c = 0; c < tree_.children(i); ++c) {
    const NodeIndex child = node.first_child + c;
    children.add({fmt::format("node {}", child), shown_rows(model_, tree_.weight(child))});
    conditions.push_back(branch_condition(model_, i, c));
  }
  tell_beside(children, conditions, "");
  add_softness(i);
  add_competitors(i);
  tell("missing", missing_text(i));
  add_surrogates(i);
}

void Summary::add_softness(NodeIndex i) {
  const auto soft = gate_soft_range(tree_.node(i).gate(), model_.schema);
  if (!soft || asks_for_levels(tree_.node(i).gate(), model_.schema))
    return;  // conditions tell of the levels
  const NodeIndex first = tree_.node(i).first_child;
  const NodeIndex below = soft->falling ? first + 1 : first;
  const NodeIndex above = soft->falling ? first : first + 1;
  const std::string part = soft->share < 1 ? fmt::format("{:.0f} %", 100 * soft->share) : "all";
  tell("soft", fmt::format("{}: {} to node {} below {}, {} to node {} above {}, half each at {}",
                           soft->of, part, below, shown_number(soft->low), part, above,
                           shown_number(soft->high), shown_number(soft->half)));
}

std::string Summary::missing_text(NodeIndex i) const {
  const Node& node = tree_.node(i);
  const Missing& missing = node.missing();
  const std::string rows =
      missing.weight > 0 ? shown_rows(model_, missing.weight) : "no rows in training";
  const std::string before = missing.surrogates.empty() ? (missing.weight > 0 ? ", " : ", else ")
                                                        : ", by the surrogates; else ";
  return rows + before + rule_text(node);
}

// What the node's rule does with rows without a value.
std::string Summary::rule_text(const Node& node) const {
  const Missing& missing = node.missing();
  switch (missing.rule) {
    case MissingRule::child:
      return fmt::format("to node {}", node.first_child + missing.child);
    case MissingRule::own:
      return fmt::format("to node {}, a child of their own",
                         node.first_child + gate_children(node.gate()));
    case MissingRule::stay:
      return "stay here and get this node's answer";
    case MissingRule::shares: {
      std::vector<std::string> parts;
      for (uint32_t c = 0; c < missing.shares.size(); ++c) {
        parts.push_back(
            fmt::format("{:.0f} % to node {}", 100 * missing.shares[c], node.first_child + c));
      }
      return join(parts, ", ");
    }
    case MissingRule::impute: {
      std::vector<std::string> parts;
      for (const uint32_t f : gate_features(node.gate())) {
        const double typical = tree_.typical()[f];
        if (!std::isnan(typical)) parts.push_back(feature_name(f) + " = " + value_text(f, typical));
      }
      return fmt::format("{}{}to node {}", parts.empty() ? "" : "taken as ",
                         parts.empty() ? "" : join(parts, ", ") + ", else ",
                         node.first_child + missing.child);
    }
  }
  return {};
}

void Summary::add_competitors(NodeIndex i) {
  const Owned<std::vector<Competitor>>& competitors = tree_.node(i).notes().competitors;
  if (!competitors) return;
  TextTable table({"gain a row"});
  std::vector<std::string> conditions = {"split"};
  for (const Competitor& other : *competitors) {
    table.add({short_number(other.gain)});
    conditions.push_back(gate_condition(other.gate, 0, model_.schema));
  }
  tell_beside(table, conditions, "next best");
}

void Summary::add_surrogates(NodeIndex i) {
  const std::vector<Surrogate>& surrogates = tree_.node(i).missing().surrogates;
  if (surrogates.empty()) return;
  TextTable table({"agrees", "adjusted"});
  std::vector<std::string> conditions = {fmt::format("to node {}", tree_.node(i).first_child)};
  for (const Surrogate& surrogate : surrogates) {
    table.add(
        {fmt::format("{:.3f}", surrogate.agreement), fmt::format("{:.3f}", surrogate.adjusted)});
    conditions.push_back(gate_condition(surrogate.gate, 0, model_.schema));
  }
  tell_beside(table, conditions, "surrogate");
}

}  // namespace

std::string show_summary(const Model& model, size_t width) { return Summary(model, width).text(); }

}  // namespace softwood
