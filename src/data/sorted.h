// Numeric columns sorted once, and shared by everything that grows trees on rows of the same table.
#pragma once

#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <vector>

#include "base/control.h"
#include "base/parallel.h"
#include "data/shared_work.h"
#include "data/table.h"

namespace softwood {

// Halfway between two neighbouring values; the lower one when the middle rounds up to the upper.
inline double middle(double lower, double upper) {
  const double half = std::midpoint(lower, upper);
  return half < upper ? half : lower;
}

// A row number whose highest bit says that its value is larger than the one before it.
constexpr uint32_t new_value_mark = 0x80000000U;

struct SortedColumn {
  // Rows with a value in ascending order of it (equal values: ascending row), the first of each
  // group of equal values marked; then the rows where it is missing, ascending, unmarked.
  std::vector<uint32_t> order;
  size_t known = 0;
};

// Working memory for sorting one column after the other.
struct SortSpace {
  std::vector<uint64_t> items, other;
};

// `column` is numeric or ordinal. Throws an Error when it is interrupted.
SortedColumn sort_column(const Column& column, SortSpace& space, const Control& control = {});

// Views of one table that are made when first asked for and then shared. Thread-safe. Whoever is
// interrupted while one is made leaves none behind.
class Derived {
 public:
  explicit Derived(const Table& table) : table_(table) {}
  const Table& table() const { return table_; }
  // One entry per feature; nominal features have an empty one.
  const std::vector<SortedColumn>& sorted(const Parallel& parallel, const Control& control = {});
  // The same, given away: for the last user, who needs no copy then.
  std::vector<SortedColumn> take_sorted(const Parallel& parallel, const Control& control = {});
  // What trainings on rows of the table have in common.
  SharedWork& shared_work() { return shared_work_; }

 private:
  void sort(const Parallel& parallel, const Control& control);

  const Table& table_;
  std::mutex mutex_;
  std::vector<SortedColumn> sorted_;
  SharedWork shared_work_;
};

}  // namespace softwood
