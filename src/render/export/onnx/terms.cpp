#include <algorithm>

#include "render/export/onnx/parts.h"

namespace softwood::render::onnx {
namespace {

using Name = Graph::Name;

// asinh(x) = sign(x) log(1 + y) with y = |x| + x^2 / (1 + sqrt(1 + x^2)), where what 1 + y loses
// by rounding is added again; log(2 |x|) where the difference is below the last digit. As
// src/base/math.h, with the runtime's logarithm.
Name asinh_of(Graph& graph, const Name& x) {
  const Name one = graph.number(1);
  const Name size = graph.node("Abs", {x});
  const Name large = graph.node("GreaterOrEqual", {size, graph.number(0x1p28)});
  const Name held = graph.where(large, one, size);
  const Name square = graph.multiply(held, held);
  const Name root = graph.node("Sqrt", {graph.add(one, square)});
  const Name y = graph.add(held, graph.node("Div", {square, graph.add(one, root)}));
  const Name u = graph.add(one, y);
  const Name lost = graph.node("Sub", {y, graph.node("Sub", {u, one})});
  const Name small_log = graph.add(graph.node("Log", {u}), graph.node("Div", {lost, u}));
  const Name large_log = graph.add(graph.node("Log", {size}), graph.number(0x1.62e42fefa39efp-1));
  const Name value =
      graph.multiply(graph.node("Sign", {x}), graph.where(large, large_log, small_log));
  return graph.where(graph.not_a_number(x), x, value);
}

}  // namespace

Terms::Key Terms::key_of(const LoweredTerm& term) {
  const uint32_t other = term.kind == TermKind::product ? term.second
                         : term.kind == TermKind::level ? term.level
                                                        : 0;
  const bool scaled = term.kind == TermKind::asinh;
  return {term.kind, term.input, other, scaled ? term.centre : 0, scaled ? term.scale : 1};
}

void Terms::collect(const LoweredTerm& term) { rows_.try_emplace(key_of(term), 0); }

Name Terms::rows_of_kind(Graph& graph, const Name& cells, TermKind kind) const {
  std::vector<int64_t> inputs, others;
  std::vector<double> levels, centres, scales;
  for (const auto& [key, row] : rows_) {
    const auto& [key_kind, input, other, centre, scale] = key;
    if (key_kind != kind) continue;
    inputs.push_back(input);
    others.push_back(other);
    levels.push_back(other);
    centres.push_back(centre);
    scales.push_back(scale);
  }
  if (inputs.empty()) return {};
  const Name x = graph.rows(cells, inputs);
  switch (kind) {
    case TermKind::value:
      return x;
    case TermKind::square:
      return graph.multiply(x, x);
    case TermKind::product:
      return graph.multiply(x, graph.rows(cells, others));
    case TermKind::asinh: {
      const Name moved = graph.node("Sub", {x, graph.column(centres)});
      return asinh_of(graph, graph.node("Div", {moved, graph.column(scales)}));
    }
    case TermKind::level: {
      const Name same = graph.as_number(graph.node("Equal", {x, graph.column(levels)}));
      return graph.where(graph.not_a_number(x), x, same);
    }
  }
  return {};
}

void Terms::build(Graph& graph, const Name& cells) {
  const Name zero = graph.number(0);
  zeros_ = graph.where(graph.not_a_number(graph.rows(cells, {0})), zero, zero);
  int64_t next = 1;
  for (auto& [key, row] : rows_) row = next++;  // sorted by kind
  std::vector<Name> parts{zeros_};
  for (const TermKind kind :
       {TermKind::value, TermKind::square, TermKind::product, TermKind::asinh, TermKind::level}) {
    if (const Name part = rows_of_kind(graph, cells, kind); !part.empty()) parts.push_back(part);
  }
  matrix_ = graph.joined(parts);
}

Name Terms::sums(Graph& graph, const std::vector<Sum>& sums) const {
  size_t longest = 0;
  std::vector<double> constants;
  for (const Sum& sum : sums) {
    longest = std::max(longest, sum.terms.size());
    constants.push_back(sum.constant);
  }
  // + 0 * 0 where a sum has fewer terms.
  Name total = graph.add(graph.column(constants), zeros_);
  for (size_t j = 0; j < longest; ++j) {
    std::vector<int64_t> rows;
    std::vector<double> coefficients;
    for (const Sum& sum : sums) {
      const bool is_there = j < sum.terms.size();
      rows.push_back(is_there ? rows_.at(key_of(*sum.terms[j].first)) : 0);
      coefficients.push_back(is_there ? sum.terms[j].second : 0);
    }
    const Name products = graph.multiply(graph.column(coefficients), graph.rows(matrix_, rows));
    total = graph.add(total, products);
  }
  return total;
}

}  // namespace softwood::render::onnx
