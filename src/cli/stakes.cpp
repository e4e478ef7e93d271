#include "cli/stakes.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "base/text.h"
#include "cli/common.h"
#include "data/class_weights.h"
#include "data/frame.h"
#include "softwood/error.h"
#include "tree/costs.h"

namespace softwood {
namespace {

constexpr double not_given = missing_number;

void refuse_numbers(const Schema& schema, const char* option) {
  if (schema.task() == Task::classification) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("'{}' is for classes, and target '{}' is a number", option, schema.target.name),
      {}, "leave it out, or use --task classification");
}

std::string classes_hint(const Schema& schema) {
  return "the classes are " + join(schema.target.levels, ", ");
}

// "class=number" texts as numbers by class; NaN where a class is not named.
std::vector<double> parse_by_class(const std::vector<std::string>& texts, const Schema& schema,
                                   const char* option) {
  std::vector<double> values(schema.classes(), not_given);
  for (const std::string& text : texts) {
    const size_t equals = text.rfind('=');
    double value = 0;
    if (equals == std::string::npos || !parse_number(text.substr(equals + 1), value) ||
        !(value > 0) || !std::isfinite(value)) {
      throw Error(ErrorKind::usage, fmt::format("option '{}' can't be '{}'", option, text), {},
                  "expected classes and positive numbers: yes=2,no=1");
    }
    const std::string name = text.substr(0, equals);
    const int32_t code = schema.target.level_code(name);
    if (code < 0) {
      throw Error(ErrorKind::usage,
                  fmt::format("option '{}': there is no class '{}'", option, name), {},
                  classes_hint(schema));
    }
    double& place = values[static_cast<size_t>(code)];
    if (!std::isnan(place)) {
      throw Error(ErrorKind::usage,
                  fmt::format("option '{}' names class '{}' twice", option, name));
    }
    place = value;
  }
  return values;
}

std::vector<double> parse_priors(const std::vector<std::string>& texts, const Schema& schema) {
  const std::vector<double> priors = parse_by_class(texts, schema, "--priors");
  for (size_t k = 0; k < priors.size(); ++k) {
    if (!std::isnan(priors[k])) continue;
    throw Error(
        ErrorKind::usage,
        fmt::format("option '--priors' says nothing of class '{}'", schema.target.levels[k]), {},
        classes_hint(schema));
  }
  const double sum = std::accumulate(priors.begin(), priors.end(), 0.0);
  if (std::abs(sum - 1) > 1e-6) {
    throw Error(ErrorKind::usage, fmt::format("the priors sum to {}, not to 1", short_number(sum)));
  }
  return priors;
}

// The text of every cell of a square of cells, line by line; empty where there is none. Read at one
// go: the file may be a pipe.
std::vector<std::vector<std::string>> read_square(const std::string& path, size_t size,
                                                  const Parallel& parallel) {
  ReadOptions options;
  options.header = false;
  options.absent_columns_allowed = true;
  for (size_t c = 1; c <= size; ++c) options.nominal.push_back("c" + std::to_string(c));
  const Frame frame = read_frame(path, options, parallel);
  if (frame.rows != size || frame.columns.size() != size) {
    throw Error(
        ErrorKind::data,
        fmt::format("a matrix of costs for {} classes has {} lines of {} cells, this has {} "
                    "of {}",
                    size - 1, size, size, frame.rows, frame.columns.size()),
        source_name(path),
        "the first line names the answers, each other one a true class and its costs");
  }
  std::vector<std::vector<std::string>> lines(size);
  for (size_t row = 0; row < size; ++row) {
    for (const FrameColumn& column : frame.columns) {
      const int32_t code = column.cells.codes[row];
      lines[row].push_back(code < 0 ? "" : column.levels[static_cast<size_t>(code)]);
    }
  }
  return lines;
}

size_t class_in_file(const std::string& name, const Schema& schema, std::vector<bool>& seen,
                     const std::string& place) {
  const int32_t code = schema.target.level_code(name);
  if (code < 0) {
    throw Error(ErrorKind::data, fmt::format("there is no class '{}'", name), place,
                classes_hint(schema));
  }
  if (seen[static_cast<size_t>(code)]) {
    throw Error(ErrorKind::data, fmt::format("class '{}' is there twice", name), place);
  }
  seen[static_cast<size_t>(code)] = true;
  return static_cast<size_t>(code);
}

}  // namespace

std::vector<double> read_costs(const std::string& path, const Schema& schema,
                               const Parallel& parallel) {
  refuse_numbers(schema, "--costs");
  const std::string source = source_name(path);
  const size_t classes = schema.classes();
  const auto lines = read_square(path, classes + 1, parallel);
  std::vector<size_t> answers;
  std::vector<bool> seen(classes, false), seen_truth(classes, false);
  for (size_t c = 1; c <= classes; ++c) {
    answers.push_back(class_in_file(lines[0][c], schema, seen, source + ", line 1"));
  }
  std::vector<double> costs(classes * classes);
  for (size_t line = 1; line <= classes; ++line) {
    const std::string place = fmt::format("{}, line {}", source, line + 1);
    const size_t truth = class_in_file(lines[line][0], schema, seen_truth, place);
    for (size_t c = 0; c < classes; ++c) {
      const std::string& text = lines[line][c + 1];
      if (!parse_number(text, costs[truth * classes + answers[c]])) {
        throw Error(ErrorKind::data, fmt::format("'{}' is not a cost", text), place,
                    "expected a number, 0 or more");
      }
    }
  }
  const std::string fault = fault_of_costs(costs, schema.target.levels);
  if (!fault.empty()) throw Error(ErrorKind::data, fault, source);
  return costs;
}

void StakesOptions::declare(Arguments& arguments) {
  arguments.group("Classes");
  arguments.list(
      "--class-weights", "A=2,B=1", class_weights, true,
      "How much the rows of each class count, 1 by default; or 'balanced'. The weight of "
      "all rows stays as it is.");
  arguments.list("--priors", "A=0.5,B=0.5", priors, true,
                 "Shares of the classes where the tree will be used; rows count accordingly.");
  arguments.text("--costs", "FILE", costs,
                 "What wrong answers cost: a CSV file, true classes down, answers across.");
  arguments.exclusive("--class-weights", "--priors");
}

Stakes StakesOptions::read(const Table& table, const Parallel& parallel) const {
  Stakes stakes;
  const Schema& schema = table.schema();
  const std::vector<RowIndex> rows = all_rows(table);
  if (!class_weights.empty()) {
    refuse_numbers(schema, "--class-weights");
    if (class_weights == std::vector<std::string>{"balanced"}) {
      const std::vector<double> equal(schema.classes(), 1 / static_cast<double>(schema.classes()));
      stakes.class_weights = factors_for_priors(table, rows, equal);
    } else {
      std::vector<double> relative = parse_by_class(class_weights, schema, "--class-weights");
      for (double& weight : relative) weight = std::isnan(weight) ? 1 : weight;
      stakes.class_weights = class_factors(table, rows, relative);
    }
  }
  if (!priors.empty()) {
    refuse_numbers(schema, "--priors");
    stakes.class_weights = factors_for_priors(table, rows, parse_priors(priors, schema));
  }
  if (!costs.empty()) stakes.costs = read_costs(costs, schema, parallel);
  return stakes;
}

}  // namespace softwood
