#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "render/export/onnx/parts.h"

namespace softwood::render::onnx {
namespace {

using Name = Graph::Name;

Name step_weights(Graph& graph, const Name& score, const Name& cut) {
  return graph.as_number(graph.node("LessOrEqual", {score, cut}));
}

Name logistic_weights(Graph& graph, const Name& score, const Name& cut) {
  const Name one = graph.number(1);
  const Name odds = exp_of(graph, graph.node("Sub", {score, cut}));
  return graph.node("Div", {one, graph.add(one, odds)});
}

// See LinkKind::ramp; the widths may be 0.
Name ramp_weights(Graph& graph, const Name& score, const Name& cut, const Name& below,
                  const Name& above) {
  const Name zero = graph.number(0), half = graph.number(0.5), one = graph.number(1);
  const Name under = graph.node("Sub", {cut, score});
  const Name positive = graph.node("Greater", {under, zero});
  const Name negative = graph.node("Less", {under, zero});
  const Name width = graph.where(positive, below, above);
  const Name sloped = graph.add(half, graph.node("Div", {graph.multiply(half, under), width}));
  const Name past = graph.node("GreaterOrEqual", {graph.node("Abs", {under}), width});
  const Name end = graph.where(positive, one, zero);
  const Name at_cut = graph.node("Not", {graph.node("Or", {positive, negative})});
  return graph.where(at_cut, half, graph.where(past, end, sloped));
}

// Conditions that are computed together: scores of one link, or sets of levels.
struct Group {
  std::vector<RouteCondition> conditions;
  Name values;  // weight of the first child, or number of the child; NaN: can't be computed
};

// Which rows of the pool of weights belong to a condition.
class Pool {
 public:
  Pool(Graph& graph, const LoweredTree& tree, const Routes& routes, const Name& cells)
      : graph_(graph), tree_(tree), cells_(cells) {
    bool imputes = false;
    for (const RouteNode& node : routes.nodes) {
      for (const RouteCondition& one : node.conditions) {
        group_of(one).conditions.push_back(one);
        imputes = imputes || one.typical;
        if (const auto* const score = std::get_if<LoweredScore>(one.condition)) {
          for (const LoweredTerm& term : score->terms) terms_[one.typical].collect(term);
        }
      }
    }
    terms_[false].build(graph, cells);
    if (imputes) {
      typical_ = typical_cells(graph, tree, cells);
      terms_[true].build(graph, typical_);
    }
    for (Group& group : groups_) {
      if (!group.conditions.empty()) compute(group);
    }
  }

  // Row of the pool that holds what the condition, the next of its group, gives to a child.
  // Conditions are asked for in the order of the nodes.
  int64_t row(const RouteCondition& one, size_t number, uint32_t place) {
    const size_t group = static_cast<size_t>(&group_of(one) - groups_.data());
    std::vector<Wanted>& list = wanted_[group];
    list.push_back({number, place});
    return static_cast<int64_t>(list.size()) - 1;
  }

  size_t group_index(const RouteCondition& one) {
    return static_cast<size_t>(&group_of(one) - groups_.data());
  }

  // All rows, group by group; the last one is NaN. `first`: where the rows of each group begin.
  Name matrix(std::vector<int64_t>& first) {
    std::vector<Name> parts;
    int64_t next = 0;
    for (size_t g = 0; g < groups_.size(); ++g) {
      first.push_back(next);
      if (wanted_[g].empty()) continue;
      parts.push_back(g == levels_group ? level_rows(g) : score_rows(g));
      next += static_cast<int64_t>(wanted_[g].size());
    }
    first.push_back(next);
    const Name nan = graph_.number(unknown_number);
    const Name any = graph_.not_a_number(graph_.rows(cells_, {0}));
    parts.push_back(graph_.where(any, nan, nan));
    return graph_.joined(parts);
  }

 private:
  static constexpr size_t levels_group = 6;  // 3 links, without and with typical values
  struct Wanted {
    size_t number;  // in the group
    uint32_t place;
  };

  Group& group_of(const RouteCondition& one) {
    const auto* const score = std::get_if<LoweredScore>(one.condition);
    if (!score) return groups_[levels_group];
    return groups_[static_cast<size_t>(score->link) * 2 + (one.typical ? 1 : 0)];
  }

  void compute(Group& group) {
    if (&group == &groups_[levels_group]) {
      compute_levels(group);
    } else {
      compute_scores(group);
    }
  }

  void compute_scores(Group& group) {
    std::vector<Terms::Sum> sums;
    std::vector<double> cuts, below, above;
    for (const RouteCondition& one : group.conditions) {
      const auto& score = std::get<LoweredScore>(*one.condition);
      Terms::Sum sum;
      for (const LoweredTerm& term : score.terms) sum.terms.emplace_back(&term, term.coefficient);
      sums.push_back(std::move(sum));
      cuts.push_back(score.cut);
      below.push_back(score.below);
      above.push_back(score.above);
    }
    const RouteCondition& first = group.conditions[0];
    const Name score = terms_[first.typical].sums(graph_, sums);
    const Name cut = graph_.column(cuts);
    Name weights;
    switch (std::get<LoweredScore>(*first.condition).link) {
      case LinkKind::step:
        weights = step_weights(graph_, score, cut);
        break;
      case LinkKind::ramp:
        weights = ramp_weights(graph_, score, cut, graph_.column(below), graph_.column(above));
        break;
      case LinkKind::logistic:
        weights = logistic_weights(graph_, score, cut);
        break;
    }
    group.values = graph_.where(graph_.not_a_number(score), score, weights);
  }

  // The child of missing cells: NaN, or that of the typical level.
  double missing_child(const RouteCondition& one) const {
    const auto& levels = std::get<LoweredLevels>(*one.condition);
    const double typical = tree_.inputs[levels.input].typical;
    if (!one.typical || std::isnan(typical)) return unknown_number;
    return child_number(levels.child_of_level[size_t(typical)]);
  }

  static double child_number(int32_t child) { return child < 0 ? unknown_number : child; }

  // The children of all levels in one table, in which each condition has a part: first the child
  // of missing cells, then one per level.
  void compute_levels(Group& group) {
    std::vector<double> table, begins;
    std::vector<int64_t> inputs;
    for (const RouteCondition& one : group.conditions) {
      const auto& levels = std::get<LoweredLevels>(*one.condition);
      begins.push_back(double(table.size()));
      table.push_back(missing_child(one));
      for (const int32_t child : levels.child_of_level) table.push_back(child_number(child));
      inputs.push_back(levels.input);
    }
    const Name codes = graph_.rows(cells_, inputs);
    const Name known = graph_.where(graph_.not_a_number(codes), graph_.number(-1), codes);
    for (double& begin : begins) begin += 1;
    const Name places = graph_.as_integer(graph_.add(known, graph_.column(begins)));
    const Name children = graph_.numbers({static_cast<int64_t>(table.size())}, table);
    group.values = graph_.node("Gather", {children, places}, {integer_attribute("axis", 0)});
  }

  // w for child 0, 1 - w for child 1 and 0 for others, NaN where w is.
  Name score_rows(size_t g) {
    std::vector<int64_t> numbers;
    std::vector<double> constants, factors;
    for (const Wanted& wanted : wanted_[g]) {
      numbers.push_back(static_cast<int64_t>(wanted.number));
      constants.push_back(wanted.place == 1 ? 1 : 0);
      factors.push_back(wanted.place == 0 ? 1 : wanted.place == 1 ? -1 : 0);
    }
    const Name weights = graph_.rows(groups_[g].values, numbers);
    return graph_.add(graph_.column(constants), graph_.multiply(graph_.column(factors), weights));
  }

  Name level_rows(size_t g) {
    std::vector<int64_t> numbers;
    std::vector<double> places;
    for (const Wanted& wanted : wanted_[g]) {
      numbers.push_back(static_cast<int64_t>(wanted.number));
      places.push_back(wanted.place);
    }
    const Name children = graph_.rows(groups_[g].values, numbers);
    const Name same = graph_.as_number(graph_.node("Equal", {children, graph_.column(places)}));
    return graph_.where(graph_.not_a_number(children), children, same);
  }

  Graph& graph_;
  const LoweredTree& tree_;
  Name cells_, typical_;
  std::array<Terms, 2> terms_;  // of cells, and with typical values
  std::array<Group, 7> groups_;
  std::array<std::vector<Wanted>, 7> wanted_;
};

}  // namespace

Name typical_cells(Graph& graph, const LoweredTree& tree, const Name& cells) {
  std::vector<double> typical;
  for (const LoweredInput& input : tree.inputs) typical.push_back(input.typical);
  return graph.where(graph.not_a_number(cells), graph.column(typical), cells);
}

Name child_weights(Graph& graph, const LoweredTree& tree, const Routes& routes, const Name& cells) {
  Pool pool(graph, tree, routes, cells);
  // By rank: the row of the pool for each node; the pool's NaN where there is no condition.
  struct Place {
    size_t group;
    int64_t row;
  };
  std::vector<std::vector<std::optional<Place>>> ranks;
  std::vector<double> otherwise;
  std::array<size_t, 7> asked{};  // conditions of each group so far
  const size_t edges = routes.nodes.size() - 1;
  for (const RouteNode& node : routes.nodes) {
    for (size_t rank = 0; rank < node.conditions.size(); ++rank) {
      if (ranks.size() <= rank) ranks.emplace_back(edges);
      const RouteCondition& one = node.conditions[rank];
      const size_t group = pool.group_index(one);
      const size_t number = asked[group]++;
      for (uint32_t c = 0; c < node.children; ++c) {
        ranks[rank][node.first_child + c - 1] = Place{group, pool.row(one, number, c)};
      }
    }
    otherwise.insert(otherwise.end(), node.otherwise.begin(), node.otherwise.end());
  }
  std::vector<int64_t> first;
  const Name matrix = pool.matrix(first);
  Name weights;
  for (const auto& places : ranks) {
    std::vector<int64_t> rows;
    for (const auto& place : places) {
      rows.push_back(place ? first[place->group] + place->row : first.back());
    }
    const Name next = graph.rows(matrix, rows);
    weights = weights.empty() ? next : graph.where(graph.not_a_number(weights), next, weights);
  }
  return graph.where(graph.not_a_number(weights), graph.column(otherwise), weights);
}

}  // namespace softwood::render::onnx
