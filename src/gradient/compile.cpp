#include "gradient/compile.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "data/typical.h"
#include "gradient/terms.h"
#include "tree/descent.h"
#include "tree/gates/kinds.h"

namespace softwood::gradient {

namespace {

// A gate over levels with two children asks whether the level is one of the second child's. Gates
// of other kinds are not trained: their weights are those that they give.
std::optional<ScoreGate> as_score(const Gate& gate, bool train_levels) {
  if (const ScoreGate* score = linear_form(gate)) return *score;
  const LevelsGate* const levels = level_map(gate);
  if (!train_levels || levels == nullptr || levels->children != 2) return std::nullopt;
  ScoreGate score;
  for (uint32_t level = 0; level < levels->child_of_level.size(); ++level) {
    if (levels->child_of_level[level] == 1) {
      score.terms.push_back({TermForm::level, levels->feature, level, 1.0});
    }
  }
  score.cut = 0.5;
  if (score.terms.empty()) return std::nullopt;
  return score;
}

bool is_known_or_missing(const ScoreGate& gate) {
  return gate.is_threshold() && gate.cut == above_all_values;
}

// The gate as a score when it can be trained.
std::optional<ScoreGate> trainable(const Tree& tree, NodeIndex i, std::span<const double> typical,
                                   const CompileOptions& options) {
  const Node& node = tree.node(i);
  if (node.is_leaf() || node.missing().rule == MissingRule::own) return std::nullopt;
  std::optional<ScoreGate> gate = as_score(node.gate(), options.train_levels);
  if (!gate || is_known_or_missing(*gate)) return std::nullopt;
  for (const uint32_t feature : gate_features(*gate)) {
    if (std::isnan(typical[feature])) return std::nullopt;
  }
  return gate;
}

std::vector<Term> terms_of(const Tree& tree, const Sample& sample, const CompileOptions& options,
                           const Control& control) {
  const std::vector<double>& typical = tree.typical();
  std::vector<Term> terms;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (const auto gate = trainable(tree, i, typical, options)) {
      for (const Term& term : gate->terms) add_term(term, terms);
    }
    if (tree.node(i).is_leaf() && tree.node(i).model) {
      for (const Term& term : tree.node(i).model->terms) add_term(term, terms);
    }
  }
  if (!options.all_inputs && !options.linear_leaves) return terms;
  for (const Term& term : input_terms(sample, typical, options.map, control)) add_term(term, terms);
  return terms;
}

// Rows that would stay at a node are divided like the others there. Gates that may use every input
// have typical values in place of all that is missing.
Tree with_plain_rules(Tree tree, const std::vector<double>& typical,
                      const CompileOptions& options) {
  tree.set_typical(typical);
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) continue;
    Missing& missing = tree.node(i).missing();
    if (options.all_inputs && trainable(tree, i, typical, options)) {
      missing = {};
      missing.rule = MissingRule::impute;
    }
    if (missing.rule != MissingRule::stay) continue;
    missing.rule = MissingRule::shares;
    double all = 0;
    for (uint32_t c = 0; c < tree.children(i); ++c)
      all += tree.weight(tree.node(i).first_child + c);
    double rest = 1;
    for (uint32_t c = 0; c < tree.children(i); ++c) {
      const double weight = tree.weight(tree.node(i).first_child + c);
      const bool last = c + 1 == tree.children(i);
      missing.shares.push_back(last ? rest : all > 0 ? weight / all : rest / 2);
      rest -= missing.shares.back();
    }
  }
  return tree;
}

std::vector<double> typical_of(const Tree& tree, const Sample& sample, const Control& control) {
  return tree.typical().empty() ? typical_values(*sample.table, sample.rows, control)
                                : tree.typical();
}

Network network_of(const Tree& tree, const Inputs& inputs, const Table& table,
                   const CompileOptions& options) {
  Network net;
  net.terms = inputs.terms();
  net.linear_leaves = options.linear_leaves && inputs.terms() > 0;
  net.loss = usual_loss(table);
  if (options.mix_answers && table.schema().task() == Task::classification) {
    net.loss = Loss::mixed_log;
  }
  net.outputs = outputs_for(net.loss, table);
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    NetNode node{tree.node(i).first_child, tree.children(i), -1, -1, -1};
    if (tree.node(i).is_leaf()) {
      node.leaf = static_cast<int32_t>(net.leaves++);
      net.linear_leaves = net.linear_leaves || (tree.node(i).model && !options.mix_answers &&
                                                !tree.node(i).model->terms.empty());
    } else if (const auto gate = trainable(tree, i, inputs.typical(), options)) {
      node.gate = static_cast<int32_t>(net.links.size());
      net.links.push_back(soft_link(gate->link.form).value_or(options.steps));
    } else {
      node.fixed = static_cast<int32_t>(net.fixed_columns);
      net.fixed_columns += node.children;
    }
    net.nodes.push_back(node);
  }
  return net;
}

// The rows that reach each node; divided ones go where most of them goes. Those with a child of
// their own are left out there.
struct WholeRows : DescentVisitor {
  const Tree& tree;
  std::span<const RowIndex> rows;
  std::vector<std::vector<RowIndex>> by_node;
  Missing none = {};

  WholeRows(const Tree& of, std::span<const RowIndex> these)
      : tree(of), rows(these), by_node(of.size()) {
    none.rule = MissingRule::stay;
  }

  void reach(NodeIndex node, std::span<const Share> here) {
    for (const Share& share : here) by_node[node].push_back(rows[share.position]);
  }
  const Missing* rule(NodeIndex node, std::span<const Share>, const NodeWeights&) const {
    return tree.node(node).missing().rule == MissingRule::own ? &none : nullptr;
  }
  static void adjust(NodeWeights& weights) { weights.keep_largest(); }
};

std::vector<std::vector<RowIndex>> rows_by_node(const Tree& tree, const Table& table,
                                                std::span<const RowIndex> rows) {
  std::vector<Share> start;
  for (uint32_t i = 0; i < rows.size(); ++i) start.push_back({i, 1.0});
  WholeRows whole(tree, rows);
  Descent(tree, table, follow_all).run(0, rows, start, whole);
  return std::move(whole.by_node);
}

// Fills in the numbers that give the answers of the tree.
class Filler {
 public:
  Filler(const Tree& tree, const Inputs& inputs, const TargetScale& scale, const Network& net,
         const Sample& sample, const CompileOptions& options, Start& start)
      : tree_(tree),
        inputs_(inputs),
        scale_(scale),
        net_(net),
        sample_(sample),
        options_(options),
        start_(start),
        answers_(tree.answers()) {
    for (size_t t = 0; t < inputs.terms(); ++t) terms_.push_back(inputs.column(t).term);
    if (options.node_spread) rows_of_nodes_ = rows_by_node(tree, *sample.table, sample.rows);
  }

  void fill() {
    numbers_.assign(start_.parameters.begin(), start_.parameters.end());
    for (NodeIndex i = 0; i < tree_.size(); ++i) {
      const NetNode& node = net_.nodes[i];
      if (node.gate >= 0) fill_gate(i, static_cast<size_t>(node.gate));
      if (node.leaf >= 0) fill_leaf(i, static_cast<size_t>(node.leaf));
    }
    std::transform(numbers_.begin(), numbers_.end(), start_.parameters.begin(),
                   [](double number) { return static_cast<float>(number); });
  }

 private:
  void add(size_t unit, size_t term, double by) { add_to(net_.weight_at(unit, term), by); }
  void add_to(size_t place, double by) { numbers_[place] += by; }

  // Adds factor * terms to a unit, terms being standardised.
  void add_sum(size_t unit, std::span<const Term> terms, double factor) {
    for (const Term& term : terms) {
      const size_t t = index_of(terms_, term);
      const InputColumn& column = inputs_.column(t);
      add(unit, t, factor * term.coefficient * column.scale);
      add_to(net_.constant_at(unit), factor * term.coefficient * column.centre);
    }
  }

  // Standard deviation of the score over the rows; 1 when it does not vary.
  double spread_of(const ScoreGate& gate, std::span<const RowIndex> rows) const {
    double total = 0, mean = 0, squares = 0;
    for (const RowIndex row : rows) {
      double score = 0;
      for (const Term& term : gate.terms) {
        score += term.coefficient * term_value(term, *sample_.table, row, inputs_.typical());
      }
      const double weight = sample_.table->weight(row);
      if (!std::isfinite(score) || !(weight > 0)) continue;
      total += weight;
      const double before = score - mean;
      mean += before * weight / total;
      squares += weight * before * (score - mean);
    }
    const double spread = total > 0 ? std::sqrt(squares / total) : 0;
    return spread > 0 && std::isfinite(spread) ? spread : 1;
  }

  // A width of 0: as wide as hard gates become.
  void add_width(size_t at, double width, double spread) {
    constexpr double least = 1e-3;
    add_to(at, math::log(std::max(least, width > 0 ? width / spread : options_.softness / 2)));
  }

  void fill_gate(NodeIndex i, size_t g) {
    const ScoreGate gate = *trainable(tree_, i, inputs_.typical(), options_);
    const double spread = spread_of(
        gate, options_.node_spread ? std::span<const RowIndex>(rows_of_nodes_[i]) : sample_.rows);
    const bool was_hard = !soft_link(gate.link.form);
    double factor = 1;  // of cut - s
    switch (net_.links[g]) {
      case SoftLink::ramp:
        factor = 1 / spread;
        add_width(net_.widths_at() + 2 * g, was_hard ? 0 : gate.link.below, spread);
        add_width(net_.widths_at() + 2 * g + 1, was_hard ? 0 : gate.link.above, spread);
        break;
      case SoftLink::logistic:
        if (was_hard) factor = 4 / (options_.softness * spread);
        break;
    }
    add_sum(g, gate.terms, -factor);
    add_to(net_.constant_at(g), factor * gate.cut);
  }

  void fill_leaf(NodeIndex i, size_t leaf) {
    const Owned<LeafModel>& model = tree_.node(i).model;
    const bool by_model = model && (net_.linear_leaves || model->terms.empty());
    const double* const answer = &answers_[i * tree_.answer_width()];
    if (net_.loss == Loss::squared) {
      const size_t unit = net_.unit_of_leaf(leaf, 0);
      const double constant = by_model ? model->row(0)[0] : answer[0];
      add_to(net_.constant_at(unit), (constant - scale_.centre) / scale_.scale);
      if (by_model) add_model_terms(unit, *model, 0, 1 / scale_.scale);
      return;
    }
    const size_t first = net_.loss == Loss::logistic ? 1 : 0;
    for (size_t k = 0; k < net_.outputs; ++k) {
      const size_t unit = net_.unit_of_leaf(leaf, k);
      if (by_model && model->outputs() == tree_.classes()) {
        add_to(net_.constant_at(unit), model->row(first + k)[0]);
        add_model_terms(unit, *model, first + k, 1);
        if (first == 1) {
          add_to(net_.constant_at(unit), -model->row(0)[0]);
          add_model_terms(unit, *model, 0, -1);
        }
        continue;
      }
      add_to(net_.constant_at(unit), log_share(i, first + k) - (first == 1 ? log_share(i, 0) : 0));
    }
  }

  // Of a class in a leaf; smoothed: with one row of each class more.
  double log_share(NodeIndex i, size_t k) const {
    constexpr double least = 1e-6;
    if (options_.exact_leaves) {
      return math::log(std::max(least, answers_[i * tree_.answer_width() + k]));
    }
    const auto sums = tree_.sums(i);
    return math::log((sums[k] + 1) / (tree_.weight(i) + static_cast<double>(sums.size())));
  }

  void add_model_terms(size_t unit, const LeafModel& model, size_t output, double factor) {
    std::vector<Term> terms = model.terms;
    for (size_t t = 0; t < terms.size(); ++t) terms[t].coefficient = model.row(output)[1 + t];
    if (!terms.empty()) add_sum(unit, terms, factor);
  }

  const Tree& tree_;
  const Inputs& inputs_;
  const TargetScale& scale_;
  const Network& net_;
  const Sample& sample_;
  const CompileOptions& options_;
  Start& start_;
  // The parameters, in double: a cut far from 0 and the centre of its input cancel.
  std::vector<double> numbers_;
  std::vector<double> answers_;
  std::vector<Term> terms_;
  std::vector<std::vector<RowIndex>> rows_of_nodes_;
};

}  // namespace

CompiledTree::CompiledTree(const Tree& tree, const Sample& sample, const CompileOptions& options,
                           const Control& control)
    : origin(with_plain_rules(tree, typical_of(tree, sample, control), options)),
      inputs(sample, origin.typical(), terms_of(origin, sample, options, control), control),
      scale(target_scale(sample)),
      net(network_of(origin, inputs, *sample.table, options)),
      start(net) {
  set_freedom(net, {}, start);
  Filler(origin, inputs, scale, net, sample, options, start).fill();
  as_given = start.parameters;
  if (!options.all_inputs) hold_terms(start);
}

void CompiledTree::hold_terms(Start& from) const {
  for (size_t g = 0; g < net.gates(); ++g) {
    for (size_t t = 0; t < net.terms; ++t) {
      const size_t i = net.weight_at(g, t);
      if (start.parameters[i] == 0) from.pace[i] = 0;
    }
  }
}

namespace {

bool is_any_missing(const std::vector<uint32_t>& features, const Table& table, RowIndex row) {
  return std::any_of(features.begin(), features.end(),
                     [&](uint32_t feature) { return table.input(feature).is_missing(row); });
}

// Where rows without a value go by a surrogate or by the rule of the node. Typical values go
// through the gate.
void add_given(const Tree& tree, NodeIndex i, uint32_t gate, std::span<const Sample> samples,
               std::vector<Given>& given) {
  const Node& node = tree.node(i);
  const Missing& missing = node.missing();
  if (missing.rule == MissingRule::impute && missing.surrogates.empty()) return;
  const std::vector<uint32_t> features = gate_features(node.gate());
  NodeWeights weights;
  size_t first = 0;  // row of the sample among all
  for (const Sample& sample : samples) {
    std::vector<RowIndex> rows;
    std::vector<size_t> places;
    for (size_t k = 0; k < sample.rows.size(); ++k) {
      if (!is_any_missing(features, *sample.table, sample.rows[k])) continue;
      rows.push_back(sample.rows[k]);
      places.push_back(first + k);
    }
    first += sample.rows.size();
    weights.compute(node, *sample.table, rows);
    weights.apply_rule(node, missing, *sample.table, tree.typical());
    std::vector<char> typical(rows.size(), 0);
    if (missing.rule == MissingRule::impute) {
      for (const uint32_t k : weights.missing()) typical[k] = 1;
    }
    for (size_t k = 0; k < rows.size(); ++k) {
      if (typical[k] != 0) continue;
      given.push_back({static_cast<uint32_t>(places[k]), gate,
                       static_cast<float>(weights.weights()[k * weights.children()])});
    }
  }
}

}  // namespace

Rows<float> CompiledTree::rows(std::span<const Sample> samples, const Control& control) const {
  Rows<float> rows = inputs.rows<float>(samples, scale, control);
  for (NodeIndex i = 0; i < origin.size(); ++i) {
    if (net.nodes[i].gate < 0) continue;
    add_given(origin, i, static_cast<uint32_t>(net.nodes[i].gate), samples, rows.given);
  }
  std::stable_sort(rows.given.begin(), rows.given.end(),
                   [](const Given& a, const Given& b) { return a.row < b.row; });
  if (net.fixed_columns == 0) return rows;
  rows.fixed.resize(rows.count * net.fixed_columns, 0.0F);
  NodeWeights weights;
  for (NodeIndex i = 0; i < origin.size(); ++i) {
    if (net.nodes[i].fixed < 0) continue;
    const auto column = static_cast<size_t>(net.nodes[i].fixed);
    size_t place = 0;
    for (const Sample& sample : samples) {
      weights.compute(origin.node(i), *sample.table, sample.rows);
      weights.apply_rule(origin.node(i), origin.node(i).missing(), *sample.table, origin.typical());
      const size_t children = weights.children();
      for (size_t k = 0; k < sample.rows.size(); ++k, ++place) {
        float* const out = &rows.fixed[place * net.fixed_columns + column];
        const double* const given = &weights.weights()[k * children];
        // A row without any weight has a child of its own.
        if (std::isnan(given[0])) {
          out[children] = 1;
          continue;
        }
        for (size_t c = 0; c < children; ++c) out[c] = static_cast<float>(given[c]);
      }
    }
  }
  return rows;
}

}  // namespace softwood::gradient
