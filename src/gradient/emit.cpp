#include "gradient/emit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/math.h"
#include "gradient/terms.h"
#include "tree/compiled.h"
#include "tree/edit.h"
#include "tree/gates/kinds.h"
#include "tree/recount.h"

namespace softwood::gradient {

Loss usual_loss(const Table& table) {
  if (table.schema().task() == Task::regression) return Loss::squared;
  return table.schema().classes() == 2 ? Loss::logistic : Loss::softmax;
}

size_t outputs_for(Loss loss, const Table& table) {
  if (loss == Loss::squared || loss == Loss::logistic) return 1;
  return table.schema().classes();
}

namespace {

class Emitter {
 public:
  Emitter(const Network& net, std::span<const float> parameters, const Inputs& inputs,
          const TargetScale& target, const Tree& tree)
      : net_(net), parameters_(parameters), inputs_(inputs), target_(target), tree_(tree) {}

  // Child 0 has the weight 1 / (1 + exp(-u)), and a gate 1 / (1 + exp(s - cut)): s - cut = -u.
  ScoreGate gate(size_t g) const {
    const Inputs::Sum sum = unit(g);
    ScoreGate gate;
    gate.cut = sum.constant;
    gate.terms = sum.terms;
    for (Term& term : gate.terms) term.coefficient = -term.coefficient;
    if (gate.terms.empty()) {
      gate.terms.push_back(inputs_.column(0).term);
      gate.terms[0].coefficient = 0;
    }
    gate.link.form = link_form(net_.links[g]);
    switch (net_.links[g]) {
      case SoftLink::ramp:
        gate.link.below = math::exp(double{parameters_[net_.widths_at() + 2 * g]});
        gate.link.above = math::exp(double{parameters_[net_.widths_at() + 2 * g + 1]});
        make_plain(gate);
        break;
      case SoftLink::logistic:
        break;
    }
    return gate;
  }

  LeafModel leaf(size_t l) const {
    LeafModel model;
    std::vector<Inputs::Sum> sums;
    for (size_t k = 0; k < net_.outputs; ++k) sums.push_back(unit(net_.unit_of_leaf(l, k)));
    for (const size_t t : columns_by_effect(l)) {
      const Term& term = inputs_.column(t).term;
      const bool used = std::any_of(sums.begin(), sums.end(), [&](const Inputs::Sum& sum) {
        return index_of(sum.terms, term) < sum.terms.size();
      });
      if (used) add_term(term, model.terms);
    }
    if (net_.loss == Loss::squared) {
      model.link = LeafLink::identity;
      set_range(model);
      add_output(model, sums[0], target_.scale, target_.centre);
      return model;
    }
    model.link = LeafLink::softmax;
    for (uint32_t c = 0; c < tree_.classes(); ++c) model.classes.push_back(c);
    // With one output the first class has the score 0.
    if (net_.loss == Loss::logistic) add_output(model, {}, 1, 0);
    for (const Inputs::Sum& sum : sums) add_output(model, sum, 1, 0);
    return model;
  }

 private:
  // Largest first: the widest distance of its weights in the outputs, columns having the same
  // spread; with one output the size of the weight.
  std::vector<size_t> columns_by_effect(size_t l) const {
    std::vector<double> effect(inputs_.terms(), 0.0);
    for (size_t t = 0; net_.linear_leaves && t < effect.size(); ++t) {
      double low = 0, high = 0;
      for (size_t k = 0; k < net_.outputs; ++k) {
        const double weight = parameters_[net_.weight_at(net_.unit_of_leaf(l, k), t)];
        low = k == 0 && net_.outputs > 1 ? weight : std::min(low, weight);
        high = k == 0 && net_.outputs > 1 ? weight : std::max(high, weight);
      }
      effect[t] = high - low;
    }
    std::vector<size_t> order(effect.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return effect[a] > effect[b]; });
    return order;
  }

  Inputs::Sum unit(size_t u) const {
    std::vector<double> weights(inputs_.terms(), 0.0);
    if (u < net_.scored_units()) {
      for (size_t t = 0; t < weights.size(); ++t) weights[t] = parameters_[net_.weight_at(u, t)];
    }
    return inputs_.in_data_units(parameters_[net_.constant_at(u)], weights);
  }

  // A ramp along one input is told of the input itself.
  static void make_plain(ScoreGate& gate) {
    if (gate.terms.size() != 1 || !(gate.terms[0].coefficient > 0)) return;
    const double factor = gate.terms[0].coefficient;
    gate.terms[0].coefficient = 1;
    gate.cut /= factor;
    gate.link.below /= factor;
    gate.link.above /= factor;
  }

  static void add_output(LeafModel& model, const Inputs::Sum& sum, double scale, double shift) {
    model.coefficients.push_back(sum.constant * scale + shift);
    for (const Term& term : model.terms) {
      const size_t part = index_of(sum.terms, term);
      model.coefficients.push_back(part < sum.terms.size() ? sum.terms[part].coefficient * scale
                                                           : 0);
    }
  }
  // Leaves of a mix go beyond the targets, to be outweighed by others; but not without limit.
  void set_range(LeafModel& model) const {
    constexpr double margin = 10;
    const double range = margin * (target_.high - target_.low);
    model.low = target_.low - range;
    model.high = target_.high + range;
  }

  const Network& net_;
  std::span<const float> parameters_;
  const Inputs& inputs_;
  const TargetScale& target_;
  const Tree& tree_;
};

}  // namespace

namespace {

// What of a tree that was trained still has the numbers that it had before.
class Unmoved {
 public:
  Unmoved(const Network& net, std::span<const float> parameters, const Tree* origin,
          std::span<const float> given)
      : net_(net), parameters_(parameters), given_(given), origin_(origin) {
    if (is_known()) answers_ = origin->answers();
  }

  // Whether a hard gate that is trained with this link has its softness in the size of its score.
  static bool is_scaled_by_softness(SoftLink link) {
    switch (link) {
      case SoftLink::ramp:
        return false;
      case SoftLink::logistic:
        break;
    }
    return true;
  }

  // The score and cut of the origin, and where they are, too, its widths.
  void restore(NodeIndex i, size_t g, ScoreGate& gate) const {
    if (!is_known() || !is_same_unit(g)) return;
    const ScoreGate* const before = linear_form(origin_->node(i).gate());
    if (before == nullptr) return;
    const bool was_hard = !soft_link(before->link.form);
    if (was_hard && is_scaled_by_softness(net_.links[g])) return;
    const size_t same = index_of(gate.terms, before->terms[0]);
    if (same == gate.terms.size()) return;
    // Scores are scaled for the training.
    const double unit = before->terms[0].coefficient / gate.terms[same].coefficient;
    Link link = gate.link;
    link.below *= unit;
    link.above *= unit;
    const size_t widths = net_.widths_at() + 2 * g;
    if (!was_hard && is_same(widths, 2)) link = before->link;
    gate = *before;
    gate.link = link;
  }

  // The answer of a leaf: null when it was moved, or is not kept as such.
  std::optional<LeafModel> leaf(NodeIndex i, size_t l, const LeafModel& trained) const {
    if (!is_known()) return std::nullopt;
    for (size_t k = 0; k < net_.outputs; ++k) {
      if (!is_same_unit(net_.unit_of_leaf(l, k))) return std::nullopt;
    }
    if (const Owned<LeafModel>& model = origin_->node(i).model) return *model;
    const auto answer = std::span(answers_).subspan(i * origin_->answer_width());
    LeafModel kept = trained;
    if (!trained.terms.empty()) return std::nullopt;
    if (net_.loss == Loss::squared) {
      kept.coefficients = {answer[0]};
      return kept;
    }
    if (!mixes_answers(net_.loss)) return std::nullopt;  // scores of shares of 0 would be infinite
    constexpr double never = -1000;                      // the exponential of which is 0
    for (size_t k = 0; k < kept.coefficients.size(); ++k) {
      kept.coefficients[k] = answer[k] > 0 ? std::log(answer[k]) : never;
    }
    return kept;
  }

 private:
  bool is_known() const { return origin_ != nullptr && !given_.empty(); }
  bool is_same(size_t first, size_t count) const {
    return std::equal(&parameters_[first], &parameters_[first] + count, &given_[first]);
  }
  bool is_same_unit(size_t u) const {
    return is_same(net_.constant_at(u), 1) &&
           (u >= net_.scored_units() || is_same(net_.weight_at(u, 0), net_.terms));
  }

  const Network& net_;
  std::span<const float> parameters_, given_;
  const Tree* origin_;
  std::vector<double> answers_;
};

}  // namespace

Tree emit_tree(const Network& net, std::span<const float> parameters, const Inputs& inputs,
               const TargetScale& target, std::span<const Sample> samples, const Tree* origin,
               std::span<const float> given) {
  const Table& table = *samples[0].table;
  Tree tree(table.schema().task(), table.schema().classes());
  const Emitter emitter(net, parameters, inputs, target, tree);
  const Unmoved unmoved(net, parameters, origin, given);
  for (NodeIndex i = 0; i < net.nodes.size(); ++i) {
    const NetNode& node = net.nodes[i];
    if (node.leaf >= 0) {
      // With one class there is nothing to answer but it.
      if (tree.task() == Task::classification && tree.classes() < 2) continue;
      const auto l = static_cast<size_t>(node.leaf);
      LeafModel model = emitter.leaf(l);
      tree.node(i).model = Owned<LeafModel>(unmoved.leaf(i, l, model).value_or(model));
      continue;
    }
    if (node.gate < 0) {
      tree.split(i, origin->node(i).gate(), origin->node(i).missing());
      continue;
    }
    Missing missing;
    missing.rule = MissingRule::impute;
    if (origin != nullptr) missing = origin->node(i).missing();
    ScoreGate gate = emitter.gate(static_cast<size_t>(node.gate));
    unmoved.restore(i, static_cast<size_t>(node.gate), gate);
    tree.split(i, std::move(gate), std::move(missing));
  }
  tree.set_typical(inputs.typical());
  const bool mixes_scores = net.loss == Loss::logistic || net.loss == Loss::softmax;
  tree.set_leaf_plan(trained_leaves(mixes_scores ? LeafMixing::scores : LeafMixing::answers));
  recount(tree, table, samples[0].rows);
  for (const Sample& more : samples.subspan(1)) count_rows(tree, *more.table, more.rows);
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf() || net.nodes[i].gate < 0) continue;
    if (tree.node(i).missing().rule != MissingRule::impute) continue;
    const NodeIndex first = tree.node(i).first_child;
    tree.node(i).missing().child = tree.weight(first) >= tree.weight(first + 1) ? 0 : 1;
  }
  tree.canonicalise();  // typical values that nothing needs are gone
  return tree;
}

namespace {

// Leaves may answer far from all targets where they are mixed with others; the mix may not.
void hold_near_targets(Tree& tree, std::span<const Sample> samples) {
  constexpr double beyond = 0.1;  // of the width of the targets
  double low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();
  for (const Sample& sample : samples) {
    for (const RowIndex row : sample.rows) {
      low = std::min(low, sample.table->target().numbers[row]);
      high = std::max(high, sample.table->target().numbers[row]);
    }
  }
  LeafPlan plan = tree.leaf_plan();
  plan.low = low - beyond * (high - low);
  plan.high = high + beyond * (high - low);
  if (plan.has_trained_models() && !plan.mixes_scores() && std::isfinite(plan.high - plan.low))
    tree.set_leaf_plan(plan);
}

}  // namespace

void limit_answers(Tree& tree, std::span<const Sample> samples) {
  constexpr double least_part = 0.05;
  if (tree.task() != Task::regression) return;
  std::vector<std::pair<double, double>> range(
      tree.size(), {std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()});
  std::vector<Arrival> arrivals;
  std::vector<double> outputs;
  for (const Sample& sample : samples) {
    Compiled(tree).arrivals(*sample.table, sample.rows, arrivals);
    for (const Arrival& arrival : arrivals) {
      const Owned<LeafModel>& model = tree.node(arrival.node).model;
      if (!model || model->terms.empty() || arrival.weight < least_part) continue;
      if (!leaf_model_outputs(*model, *sample.table, arrival.row, tree.typical(), outputs))
        continue;
      auto& [low, high] = range[arrival.node];
      low = std::min(low, outputs[0]);
      high = std::max(high, outputs[0]);
    }
  }
  hold_near_targets(tree, samples);
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (range[i].first > range[i].second) continue;
    LeafModel& model = *tree.node(i).model;
    model.low = std::max(model.low, range[i].first);
    model.high = std::min(model.high, range[i].second);
    if (model.low > model.high) model.low = model.high;
  }
}

}  // namespace softwood::gradient
