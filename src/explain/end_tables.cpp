#include "explain/end_tables.h"

#include <algorithm>

#include "explain/gauss_legendre.h"

namespace softwood {
namespace {

constexpr uint32_t most_inputs = 16;  // on a path: sets are bits of a number

}  // namespace

std::optional<EndTables> EndTables::make(const PathTree& tree, size_t most_numbers) {
  if (tree.most_inputs() > most_inputs) return {};
  EndTables tables(tree);
  const std::vector<PathEdge>& edges = tree.edges();
  std::vector<double> weights(edges.size());
  tree.training_weights(weights.data(), 0, 1);
  // By depth: the bit of the edge's input; by bit the inputs so far and their training shares.
  std::vector<uint32_t> bits(tree.depth() + 1, 0);
  std::vector<std::vector<double>> shares(tree.depth() + 1);
  std::vector<std::vector<uint32_t>> inputs(tree.depth() + 1);
  tables.end_.assign(edges.size(), no_end);
  for (size_t e = 0; e < edges.size(); ++e) {
    const PathEdge& edge = edges[e];
    const uint32_t d = edge.depth;
    shares[d] = shares[d - 1];
    inputs[d] = inputs[d - 1];
    if (edge.earlier == 0) {
      bits[d] = static_cast<uint32_t>(shares[d].size());
      shares[d].push_back(weights[e]);
      inputs[d].push_back(edge.input);
    } else {
      bits[d] = bits[edge.earlier];
      shares[d][bits[d]] *= weights[e];
    }
    tables.bit_.push_back(bits[d]);
    if (!edge.is_end) continue;
    const End end{tables.lines_.size(), tables.inputs_.size(),
                  static_cast<uint32_t>(inputs[d].size())};
    const size_t numbers = (size_t{1} << end.inputs) * end.inputs * tree.outputs();
    if (tables.lines_.size() + numbers > most_numbers) return {};
    tables.end_[e] = static_cast<uint32_t>(tables.ends_.size());
    tables.ends_.push_back(end);
    tables.inputs_.insert(tables.inputs_.end(), inputs[d].begin(), inputs[d].end());
    tables.lines_.resize(tables.lines_.size() + numbers);
    tables.fill(end, shares[d], tree.value(e));
    if (edge.earlier == 0 && tables.is_second_of_two(e)) {
      tables.merge_last_two(bits[d]);
      tables.end_[e] = no_end;
    }
  }
  return tables;
}

// The split of this edge has two children, and both are ends.
bool EndTables::is_second_of_two(size_t edge) const {
  const std::vector<PathEdge>& edges = tree_.edges();
  const auto is_end = [&](size_t e) {
    return edges[e].is_end && edges[e].depth == edges[edge].depth;
  };
  const auto is_above = [&](size_t e) { return edges[e].depth < edges[edge].depth; };
  return edge > 0 && is_end(edge - 1) && (edge == 1 || is_above(edge - 2)) &&
         (edge + 1 == edges.size() || is_above(edge + 1));
}

// A row passes to one of two children: where it meets the condition of the first, it does not meet
// that of the second. One table with the sum of both is enough.
void EndTables::merge_last_two(uint32_t bit) {
  const End second = ends_.back();
  ends_.pop_back();
  const size_t first = ends_.back().line, sets = size_t{1} << second.inputs;
  for (size_t i = 0; i < lines_.size() - second.line; ++i) {
    const size_t line = i / sets * sets, set = i % sets;
    lines_[first + line + set] += lines_[second.line + line + (set ^ size_t{1} << bit)];
  }
  lines_.resize(second.line);
  inputs_.resize(second.first);
}

// For input i and the set s: value (a_i - b_i) times the integral over t of the product over j != i
// of t a_j + (1 - t) b_j, with a_j = 1 for inputs of the set, else 0.
void EndTables::fill(const End& end, const std::vector<double>& training, const double* value) {
  const Quadrature rule = gauss_legendre((end.inputs + 1) / 2);
  const size_t outputs = tree_.outputs(), sets = size_t{1} << end.inputs;
  std::vector<double> factors(end.inputs);
  for (size_t set = 0; set < sets; ++set) {
    double* const first = &lines_[end.line + set];
    const auto own = [set](uint32_t i) { return (set >> i & 1) != 0 ? 1.0 : 0.0; };
    for (size_t q = 0; q < rule.nodes.size(); ++q) {
      const double t = rule.nodes[q];
      for (uint32_t i = 0; i < end.inputs; ++i) factors[i] = t * own(i) + (1 - t) * training[i];
      for (uint32_t i = 0; i < end.inputs; ++i) {
        double slope = rule.weights[q] * (own(i) - training[i]);
        for (uint32_t j = 0; j < end.inputs; ++j) slope *= j == i ? 1 : factors[j];
        for (size_t o = 0; o < outputs; ++o) first[(i * outputs + o) * sets] += slope * value[o];
      }
    }
  }
}

void EndTables::values(size_t rows, const uint16_t* passes, double* values) const {
  const std::vector<PathEdge>& edges = tree_.edges();
  std::fill_n(values, tree_.inputs().size() * tree_.outputs() * rows, 0.0);
  // By depth: the inputs whose conditions each row meets so far.
  std::vector<uint16_t> sets((tree_.depth() + 1) * rows, 0xffff);
  for (size_t e = 0; e < edges.size(); ++e) {
    const PathEdge& edge = edges[e];
    if (edge.is_end && end_[e] == no_end) continue;
    const auto others = static_cast<uint16_t>(~(1U << bit_[e]));
    const uint16_t* const above = &sets[(edge.depth - 1) * rows];
    const uint16_t* const pass = passes + e * rows;
    uint16_t* const here = &sets[edge.depth * rows];
    for (size_t r = 0; r < rows; ++r) {
      here[r] = static_cast<uint16_t>(above[r] & (pass[r] | others));
    }
    if (edge.is_end) add(ends_[end_[e]], rows, here, values);
  }
}

void EndTables::add(const End& end, size_t rows, const uint16_t* sets, double* values) const {
  const size_t outputs = tree_.outputs(), all = (size_t{1} << end.inputs) - 1;
  const double* line = &lines_[end.line];
  for (uint32_t i = 0; i < end.inputs; ++i) {
    double* to = values + inputs_[end.first + i] * outputs * rows;
    for (size_t o = 0; o < outputs; ++o, to += rows, line += all + 1) {
      for (size_t r = 0; r < rows; ++r) to[r] += line[sets[r] & all];
    }
  }
}

}  // namespace softwood
