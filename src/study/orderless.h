// Rows as stages get them: in whatever order they came, the tree is the same.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stages/recipe.h"

namespace softwood {

// Whether the order of rows, or a row twice instead of one of weight 2, could change what a recipe
// makes of them. It can't where all sums are exact in any order, as counts are. `reweighted`:
// classes will get factors.
bool order_may_show(const Recipe& recipe, const Table& table, std::span<const RowIndex> rows,
                    bool reweighted, const Parallel& parallel, const Control& control);

// The given rows as they are, or those of a canonical table of their own (canonical.h).
class OrderlessRows {
 public:
  OrderlessRows(const Table& table, std::span<const RowIndex> rows, bool canonical,
                const Recipe& recipe, const Parallel& parallel, const Control& control);
  OrderlessRows(const OrderlessRows&) = delete;

  // Gives the classes factors; none: leaves the rows as they are.
  void reweigh(std::span<const double> factors);

  const Table& table() const { return weighted_ ? *weighted_ : plain(); }
  const Table& plain() const { return own_ ? *own_ : given_; }  // without factors
  std::span<const RowIndex> rows() const { return rows_; }
  Sample sample() const { return {&table(), rows_}; }

 private:
  const Table& given_;
  std::optional<Table> own_, weighted_;
  std::vector<RowIndex> own_rows_;
  std::span<const RowIndex> rows_;
};

}  // namespace softwood
