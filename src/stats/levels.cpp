#include "stats/levels.h"

#include <cmath>

namespace softwood::stats {
namespace {

// Eigenvector of the largest eigenvalue of a symmetric positive semidefinite matrix, by power
// iteration. The sign is fixed by the first component that is not 0.
std::vector<double> first_eigenvector(const std::vector<double>& matrix, size_t n) {
  std::vector<double> vector(n), next(n);
  // A start that is not orthogonal to the answer: the row with the largest diagonal.
  size_t start = 0;
  for (size_t i = 1; i < n; ++i) {
    if (matrix[i * n + i] > matrix[start * n + start]) start = i;
  }
  for (size_t j = 0; j < n; ++j) vector[j] = matrix[start * n + j];
  constexpr int rounds = 60;
  for (int round = 0; round < rounds; ++round) {
    double norm = 0;
    for (size_t i = 0; i < n; ++i) {
      next[i] = std::inner_product(vector.begin(), vector.end(), &matrix[i * n], 0.0);
      norm += next[i] * next[i];
    }
    if (!(norm > 0)) break;
    for (size_t i = 0; i < n; ++i) vector[i] = next[i] / std::sqrt(norm);
  }
  return vector;
}

}  // namespace

std::vector<uint32_t> principal_order(std::span<const double> cells, size_t classes) {
  const size_t levels = cells.size() / classes;
  std::vector<double> weight(levels), share(levels * classes), mean(classes);
  double total = 0;
  for (size_t level = 0; level < levels; ++level) {
    const double* cell = &cells[level * classes];
    weight[level] = std::accumulate(cell, cell + classes, 0.0);
    total += weight[level];
    for (size_t k = 0; k < classes; ++k) {
      share[level * classes + k] = cell[k] / weight[level];
      mean[k] += cell[k];
    }
  }
  for (double& m : mean) m /= total;
  std::vector<double> covariance(classes * classes);
  for (size_t level = 0; level < levels; ++level) {
    for (size_t i = 0; i < classes; ++i) {
      const double deviation = weight[level] * (share[level * classes + i] - mean[i]);
      for (size_t j = 0; j < classes; ++j) {
        covariance[i * classes + j] += deviation * (share[level * classes + j] - mean[j]);
      }
    }
  }
  const std::vector<double> axis = first_eigenvector(covariance, classes);
  std::vector<double> position(levels);
  for (size_t level = 0; level < levels; ++level) {
    position[level] = std::inner_product(axis.begin(), axis.end(), &share[level * classes], 0.0);
  }
  std::vector<uint32_t> order(levels);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return position[a] < position[b]; });
  return order;
}

}  // namespace softwood::stats
