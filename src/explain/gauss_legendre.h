// Gauss-Legendre quadrature on [0, 1]: n nodes integrate polynomials of degree 2n - 1 exactly.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

namespace softwood {

struct Quadrature {
  std::vector<double> nodes, weights;
};

// The nodes are the zeros of the Legendre polynomial P_n, found by Newton's method from Tricomi's
// first approximation; the weights are 2 / ((1 - x^2) P_n'(x)^2) (Abramowitz & Stegun 25.4.29).
inline Quadrature gauss_legendre(size_t n) {
  Quadrature rule{std::vector<double>(n), std::vector<double>(n)};
  const auto count = static_cast<double>(n);
  for (size_t i = 0; i < n; ++i) {
    double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (count + 0.5));
    double slope = 1;
    constexpr int enough_steps = 8;  // convergence is quadratic
    for (int step = 0; step < enough_steps; ++step) {
      double before = 1, value = x;
      for (size_t k = 2; k <= n; ++k) {
        const auto degree = static_cast<double>(k);
        const double next = ((2 * degree - 1) * x * value - (degree - 1) * before) / degree;
        before = value;
        value = next;
      }
      slope = count * (x * value - before) / (x * x - 1);
      x -= value / slope;
    }
    rule.nodes[i] = 0.5 * (1 - x);
    rule.weights[i] = 1 / ((1 - x * x) * slope * slope);
  }
  return rule;
}

}  // namespace softwood
