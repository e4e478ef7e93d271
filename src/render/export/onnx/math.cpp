#include <cmath>

#include "render/export/onnx/parts.h"

namespace softwood::render::onnx {
namespace {

using Name = Graph::Name;

constexpr int lowest_power = -538, highest_power = 512;

// 2^n for whole n between lowest_power and highest_power: every runtime has the same bits.
Name power_of_two(Graph& graph, const Name& n) {
  std::vector<double> table;
  for (int k = lowest_power; k <= highest_power; ++k) table.push_back(std::ldexp(1.0, k));
  const Name index = graph.as_integer(graph.node("Sub", {n, graph.number(lowest_power)}));
  return graph.node("Gather", {graph.numbers({int64_t(table.size())}, table), index},
                    {integer_attribute("axis", 0)});
}

}  // namespace

// The steps of src/base/math.h, in the same order, so that the bits are those of the library:
// Round, to even, for the magic number, and a table for powers of two.
Name exp_of(Graph& graph, const Name& x) {
  const auto number = [&](double value) { return graph.number(value); };
  const auto sub = [&](const Name& a, const Name& b) { return graph.node("Sub", {a, b}); };
  const auto round = [&](const Name& a) { return graph.node("Round", {a}); };
  const Name one = number(1);
  // NaN would be no place in the table.
  const Name is_nan = graph.not_a_number(x);
  const Name known = graph.where(is_nan, number(0), x);
  const Name at_most = graph.where(graph.node("Greater", {known, number(710)}), number(710), known);
  const Name held = graph.where(graph.node("Less", {at_most, number(-746)}), number(-746), at_most);
  const Name n = round(graph.multiply(held, number(0x1.71547652b82fep0)));
  const Name high = sub(held, graph.multiply(n, number(0x1.62e42feep-1)));
  const Name low = graph.multiply(n, number(0x1.a39ef35793c76p-33));
  const Name r = sub(high, low);
  const Name lost = sub(sub(high, r), low);
  Name series = number(1.0 / 6227020800);
  for (const double term :
       {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
        1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5}) {
    series = graph.add(graph.multiply(series, r), number(term));
  }
  const Name sum = graph.add(one, r);
  const Name rest = graph.add(graph.add(sub(one, sum), r),
                              graph.add(lost, graph.multiply(graph.multiply(r, r), series)));
  const Name half = round(graph.multiply(number(0.5), n));
  const Name value = graph.multiply(graph.multiply(graph.add(sum, rest), power_of_two(graph, half)),
                                    power_of_two(graph, sub(n, half)));
  return graph.where(is_nan, x, value);
}

}  // namespace softwood::render::onnx
