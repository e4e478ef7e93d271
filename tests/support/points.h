// Points of a square with classes by where they lie, and errors of trees, for tests of soft trees.
#pragma once

#include <cmath>

#include "support/tables.h"
#include "use/predict.h"

namespace softwood::test {

// Points of a square with what `inside` says of them.
template <class Inside>
inline Table points(size_t rows, uint64_t seed, const Inside& inside) {
  Random random(seed, "points");
  std::vector<double> a, b;
  std::vector<int32_t> classes;
  for (size_t i = 0; i < rows; ++i) {
    a.push_back(10 + 4 * random.normal());
    b.push_back(0.01 * random.normal());
    classes.push_back(inside((a[i] - 10) / 4, b[i] / 0.01) ? 1 : 0);
  }
  return classes_table({numbers(a), numbers(b)}, classes);
}

inline Table slanted(size_t rows, uint64_t seed) {
  return points(rows, seed, [](double a, double b) { return a + b > 0.2; });
}
inline Table ring(size_t rows, uint64_t seed) {
  return points(rows, seed, [](double a, double b) { return a * a + b * b < 1.4; });
}
// One label in ten is wrong.
inline Table noisy_ring(size_t rows, uint64_t seed) {
  Random random(seed, "wrong labels");
  return points(rows, seed, [&](double a, double b) {
    return (a * a + b * b < 1.4) != (random.uniform() < 0.1);
  });
}
inline Table noise(size_t rows, uint64_t seed) {
  Random random(seed, "noise");
  return points(rows, seed, [&](double, double) { return random.below(2) == 0; });
}

// Two classes that pass into each other.
inline Table passing(size_t rows, uint64_t seed) {
  Random random(seed, "passing");
  return points(rows, seed, [&](double a, double b) {
    return random.uniform() < 1 / (1 + std::exp(-2 * a - b));
  });
}

inline double error_on(const Tree& tree, const Table& table) {
  const std::vector<RowIndex> rows = all_rows(table);
  const std::vector<uint32_t> classes = predict_classes(tree, table, rows, Parallel(1));
  double wrong = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    wrong += static_cast<int32_t>(classes[i]) != table.target().codes[i] ? 1 : 0;
  }
  return wrong / static_cast<double>(rows.size());
}

inline double squared_error(const Tree& tree, const Table& table) {
  const Predictions answers = predict(tree, table, all_rows(table), Parallel(1));
  double sum = 0;
  for (size_t i = 0; i < table.rows(); ++i) {
    const double error = answers.answers[i] - table.target().numbers[i];
    sum += error * error;
  }
  return sum / static_cast<double>(table.rows());
}

inline size_t most_terms(const Tree& tree) {
  size_t most = 0;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) continue;
    most = std::max(most, linear_form(tree.node(i).gate())->terms.size());
  }
  return most;
}

}  // namespace softwood::test
