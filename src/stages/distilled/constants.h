// The constants of `grow-distilled`, and where each of them comes from.
#pragma once

#include <cstddef>

namespace softwood::distilled {

struct Constants {
  // Weight from which on a node of the ensemble's trees is divided. Geurts, Ernst & Wehenkel 2006
  // take 2 for classes and 5 for numbers; where the target is noisy larger leaves answer better.
  // The rows that trees have not seen choose.
  static constexpr double min_split[] = {5, 25};
  // Trees without each part of the rows: 12 make 60 in all. Fewer where a tree has many cells
  // (rows x (inputs + classes)), by time.
  static constexpr size_t least_trees = 3, most_trees = 12, cells = 32'000'000;
  // Synthetic rows: ten times the rows, and at most so many, or as many as there are rows. Of 0, 3
  // and 10 times, 10 lost least on inner rows of seven of ten sets and 3 on three, in a prototype;
  // the most is by time.
  static constexpr size_t synthetic_times = 10, most_synthetic = 40'000;
  // Of more rows than these so many teach, and the tree counts all of them: what is grown from
  // takes a row per likely class. `auto` judges by as many. By time and memory.
  static constexpr size_t most_teaching = 50'000;
  // A row's own target is worth as much as what trees that have not seen it answer. Chosen.
  static constexpr double own_share = 0.5;
  // Probabilities below this are left out: each makes a row to grow from. By time.
  static constexpr double least_share = 0.02;
  // The rows of a part are answered by trees of the others, so each needs some. Chosen.
  static constexpr size_t least_rows_per_part = 4;
};

}  // namespace softwood::distilled
