// Shapley values of rows that meet every condition wholly or not at all, from tables: for each end
// of a PathTree, a number per input and set of the inputs on its path whose conditions the row
// meets. For trees with few inputs per path and many rows; the game is that of ProductGame.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "explain/path_tree.h"

namespace softwood {

class EndTables {
 public:
  // None: they would hold more than `most_numbers`. The tree must outlive them.
  static std::optional<EndTables> make(const PathTree& tree, size_t most_numbers);

  // Of the rows for which PathTree::passes gave `passes`. Sets values: tree.inputs() x outputs() x
  // rows.
  void values(size_t rows, const uint16_t* passes, double* values) const;

 private:
  struct End {
    size_t line = 0;   // of its first input and output; each line has a number per set of inputs
    size_t first = 0;  // of its inputs in inputs_
    uint32_t inputs = 0;
  };

  explicit EndTables(const PathTree& tree) : tree_(tree) {}
  bool is_second_of_two(size_t edge) const;
  void merge_last_two(uint32_t bit);
  void fill(const End& end, const std::vector<double>& training, const double* value);
  void add(const End& end, size_t rows, const uint16_t* sets, double* values) const;

  const PathTree& tree_;
  std::vector<uint32_t> bit_;  // by edge: the place of its input among those on the path
  // By edge: the place of its table in ends_; no_end: rows do not end there, or their part is in
  // the table of its sibling.
  static constexpr uint32_t no_end = UINT32_MAX;
  std::vector<uint32_t> end_;
  std::vector<End> ends_;
  std::vector<uint32_t> inputs_;
  std::vector<double> lines_;
};

}  // namespace softwood
