#include "data/folds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string_view>

#include "base/random.h"
#include "base/text.h"
#include "data/content.h"
#include "data/convert.h"
#include "softwood/error.h"

namespace softwood {
namespace {

// Runs list their rows, so many parts of many rows would not fit into memory.
constexpr size_t most_listed_rows = size_t{1} << 31;

// Positions in `rows`, class after class, in each class by a seeded hash of the row's content; for
// regression one group. Unknown classes are a group as well. Equal rows come one after the other.
std::vector<uint32_t> shuffled_by_class(const Table& table, std::span<const RowIndex> rows,
                                        uint64_t seed, std::string_view purpose,
                                        const Control& control) {
  std::vector<uint32_t> all =
      shuffled_by_content(table, rows, Random(seed, purpose).next(), control);
  if (!table.has_target() || table.schema().task() != Task::classification) return all;
  std::vector<std::vector<uint32_t>> groups(table.schema().classes() + 1);
  for (const uint32_t i : all) {
    const int32_t code = table.target().codes[rows[i]];
    groups[code < 0 ? groups.size() - 1 : static_cast<size_t>(code)].push_back(i);
  }
  all.clear();
  for (const std::vector<uint32_t>& group : groups) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

}  // namespace

uint64_t fold_key(uint64_t seed) { return Random(seed, "folds").next(); }

// Which fold gets the first row of the first class is drawn as well.
std::vector<uint32_t> fold_order(size_t folds, uint64_t seed) {
  std::vector<uint32_t> order(folds);
  std::iota(order.begin(), order.end(), 0U);
  Random(seed, "fold order").shuffle(order);
  return order;
}

std::vector<uint32_t> stratified_folds(const Table& table, std::span<const RowIndex> rows,
                                       size_t folds, uint64_t seed, const Control& control) {
  if (folds < 2) throw Error(ErrorKind::usage, "there must be at least 2 folds");
  if (folds > rows.size()) {
    throw Error(ErrorKind::data,
                fmt::format("{} {} too few for {} folds", counted(rows.size(), "row"),
                            rows.size() == 1 ? "is" : "are", folds),
                {}, "ask for fewer folds");
  }
  // Each class goes on where the one before it stopped, so that the folds differ by at most one
  // row.
  const std::vector<uint32_t> order = fold_order(folds, seed);
  std::vector<uint32_t> fold(rows.size());
  size_t next = 0;
  for (const uint32_t i : shuffled_by_class(table, rows, seed, "folds", control)) {
    fold[i] = order[next++ % folds];
  }
  return fold;
}

std::vector<char> stratified_part(const Table& table, std::span<const RowIndex> rows, double share,
                                  uint64_t seed, const Control& control) {
  std::vector<char> inside(rows.size(), 0);
  // Of the first n rows, class after class, round(n * share) belong to the part.
  const auto taken = [&](size_t n) { return std::floor(static_cast<double>(n) * share + 0.5); };
  size_t next = 0;
  for (const uint32_t i : shuffled_by_class(table, rows, seed, "part", control)) {
    inside[i] = taken(next + 1) > taken(next) ? 1 : 0;
    ++next;
  }
  return inside;
}

std::vector<Run> cross_validation_runs(const Table& table, size_t folds, size_t repeats,
                                       uint64_t seed) {
  const std::vector<RowIndex> rows = all_rows(table);
  if (static_cast<double>(folds) * static_cast<double>(repeats) * static_cast<double>(rows.size()) >
      static_cast<double>(most_listed_rows)) {
    throw Error(ErrorKind::usage, "too many folds and repeats for so many rows", {},
                "use fewer folds or repeats");
  }
  std::vector<Run> runs(folds * repeats);
  for (size_t repeat = 0; repeat < repeats; ++repeat) {
    const uint64_t own_seed = Random(seed, "repeat", repeat).next();
    const std::vector<uint32_t> fold = stratified_folds(table, rows, folds, own_seed);
    for (RowIndex row : rows) {
      for (size_t f = 0; f < folds; ++f) {
        Run& run = runs[repeat * folds + f];
        (fold[row] == f ? run.test : run.train).push_back(row);
      }
    }
  }
  return runs;
}

namespace {

constexpr double largest_part = 1e6;
constexpr size_t most_name = 60;  // characters of a name in a message

// The part that each row of the data file belongs to in one repeat.
std::vector<uint32_t> parts_of(const Frame& folds, const FrameColumn& column) {
  const auto fail = [&](const std::string& message, size_t row) {
    throw Error(ErrorKind::data, message,
                fmt::format("{}, line {}, column '{}'", folds.source, folds.line(row),
                            printable(column.name, most_name)),
                "a folds file holds whole numbers: the part that each row belongs to");
  };
  if (column.cells.kind != Kind::numeric) {
    for (size_t row = 0; row < folds.rows; ++row) {
      double ignored = 0;
      const int32_t code = column.cells.codes[row];
      if (code < 0) continue;
      const std::string& text = column.levels[static_cast<size_t>(code)];
      if (!parse_number(text, ignored)) fail("'" + printable(text, 40) + "' is not a number", row);
    }
    throw Error(ErrorKind::data,
                "column '" + printable(column.name, most_name) + "' is nominal, not numeric",
                folds.source);
  }
  std::vector<uint32_t> parts(folds.rows);
  for (size_t row = 0; row < folds.rows; ++row) {
    const double number = column.cells.numbers[row];
    if (std::isnan(number)) fail("the cell is empty", row);
    if (number != std::floor(number) || number < 0 || number > largest_part) {
      fail(number_text(number) + " is not the number of a part", row);
    }
    parts[row] = static_cast<uint32_t>(number);
  }
  return parts;
}

// The runs of one repeat. `part[i]` is the part of row i of the table.
std::vector<Run> runs_of_repeat(const std::vector<uint32_t>& part) {
  const std::set<uint32_t> parts(part.begin(), part.end());
  const bool fixed_test = parts.contains(0);
  std::map<uint32_t, size_t> run_of;
  for (uint32_t p : parts) {
    if (p != 0 || !fixed_test) run_of.emplace(p, run_of.size());
  }
  std::vector<Run> runs(run_of.size());
  for (size_t row = 0; row < part.size(); ++row) {
    const auto index = static_cast<RowIndex>(row);
    for (const auto& [p, r] : run_of) {
      if (fixed_test && part[row] == 0) {
        runs[r].test.push_back(index);
      } else if (part[row] != p) {
        runs[r].train.push_back(index);
      } else {
        (fixed_test ? runs[r].validation : runs[r].test).push_back(index);
      }
    }
  }
  return runs;
}

// Of all repeats together. `listed` is what the columns before this one have.
void check_size(const Frame& folds, const FrameColumn& column, const std::vector<uint32_t>& part,
                size_t& listed) {
  const size_t parts = std::set<uint32_t>(part.begin(), part.end()).size();
  const bool alone = listed == 0;
  listed += parts * part.size();
  if (listed <= most_listed_rows) return;
  throw Error(ErrorKind::data,
              alone ? fmt::format("column '{}' has {} parts: too many for {} rows",
                                  printable(column.name, most_name), parts, part.size())
                    : fmt::format("the columns up to '{}' have too many parts for {} rows",
                                  printable(column.name, most_name), part.size()),
              folds.source);
}

void check_counts(const Frame& folds, const Table& table, std::span<const RowIndex> kept_rows,
                  size_t data_rows) {
  const size_t needed = kept_rows.empty() ? table.rows() : size_t{kept_rows.back()} + 1;
  const bool fits = data_rows > 0 ? folds.rows == data_rows : folds.rows >= needed;
  if (fits) return;
  throw Error(ErrorKind::data,
              fmt::format("{} lines of folds, but the data has {} rows", folds.rows,
                          data_rows > 0 ? data_rows : needed),
              folds.source, "a folds file has a header and one line for each row of the data");
}

}  // namespace

FoldRuns runs_from_file(const Frame& folds, const Table& table, std::span<const RowIndex> kept_rows,
                        size_t data_rows) {
  check_counts(folds, table, kept_rows, data_rows);
  FoldRuns result;
  result.repeats = folds.columns.size();
  std::vector<std::vector<uint32_t>> parts;  // by column and row of the table
  size_t listed = 0;
  for (const FrameColumn& column : folds.columns) {
    const std::vector<uint32_t> of_file = parts_of(folds, column);
    std::vector<uint32_t>& part = parts.emplace_back(table.rows());
    for (size_t row = 0; row < part.size(); ++row) {
      part[row] = of_file[kept_rows.empty() ? row : kept_rows[row]];
    }
    check_size(folds, column, part, listed);
  }
  for (size_t c = 0; c < parts.size(); ++c) {
    const FrameColumn& column = folds.columns[c];
    const std::vector<uint32_t>& part = parts[c];
    result.fixed_test = result.fixed_test || std::count(part.begin(), part.end(), 0U) > 0;
    std::vector<Run> runs = runs_of_repeat(part);
    const bool usable = !runs.empty() && std::all_of(runs.begin(), runs.end(), [](const Run& run) {
      return !run.train.empty() && !run.test.empty();
    });
    if (!usable) {
      throw Error(ErrorKind::data,
                  "column '" + printable(column.name, most_name) +
                      "' leaves a run without rows to train on",
                  folds.source,
                  "a folds file needs at least two parts besides 0, or two parts without 0");
    }
    if (result.folds != 0 && result.folds != runs.size()) {
      throw Error(ErrorKind::data,
                  fmt::format("column '{}' gives {} runs, the columns before it {}",
                              printable(column.name, most_name), runs.size(), result.folds),
                  folds.source, "every repeat needs equally many parts");
    }
    result.folds = runs.size();
    for (Run& run : runs) result.runs.push_back(std::move(run));
  }
  return result;
}

}  // namespace softwood
