// The table of timed work.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "tree/tree.h"

namespace softwood::bench {

struct Request {
  std::string work;  // folder with the files of peers.py
  size_t rows = 1'000'000;
  size_t columns = 0;  // not 0: generated data with so many inputs, instead of the files
  size_t classes = 2;
  int threads = 1;
  size_t reps = 3;
};

struct Result {
  std::vector<double> seconds;  // one a repetition
  long data_kib = 0;            // peak resident memory before the first repetition
  long peak_kib = 0;            // and after the last one
  size_t rows = 0;
  std::optional<Shape> shape;
  std::optional<double> train_accuracy, train_mse;
};

struct Item {
  std::string name;
  std::string help;
  Result (*run)(const Item& item, const Request& request);
  std::string recipe;  // of the tree that is timed, or used
  std::string file;    // stem of the data's file
  bool regression;
};

std::span<const Item> items();

}  // namespace softwood::bench
