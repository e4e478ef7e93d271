#include "cli/class_costs.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "cli/common.h"
#include "data/frame.h"
#include "softwood/error.h"
#include "tree/costs.h"

namespace softwood {
namespace {

// "class=number" texts.
NamedNumbers parse_named(const std::vector<std::string>& texts, const char* option) {
  NamedNumbers named;
  for (const std::string& text : texts) {
    const size_t equals = text.rfind('=');
    double value = 0;
    if (equals == std::string::npos || !parse_number(text.substr(equals + 1), value) ||
        !(value > 0) || !std::isfinite(value)) {
      throw Error(ErrorKind::usage, fmt::format("option '{}' can't be '{}'", option, text), {},
                  "expected classes and positive numbers: yes=2,no=1");
    }
    named.emplace_back(text.substr(0, equals), value);
  }
  return named;
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
  refuse_numbers(schema, "option '--costs'");
  const std::string source = source_name(path);
  const size_t classes = schema.classes();
  const auto lines = read_square(path, classes + 1, parallel);
  std::vector<size_t> answers;
  std::vector<bool> seen(classes, false), seen_truth(classes, false);
  for (size_t c = 1; c <= classes; ++c) {
    answers.push_back(class_in_file(lines[0][c], schema, seen,
                                    fmt::format("{}, line 1, cell {}", source, c + 1)));
  }
  std::vector<double> costs(classes * classes);
  for (size_t line = 1; line <= classes; ++line) {
    const std::string place = fmt::format("{}, line {}", source, line + 1);
    const size_t truth = class_in_file(lines[line][0], schema, seen_truth, place + ", cell 1");
    for (size_t c = 0; c < classes; ++c) {
      const std::string& text = lines[line][c + 1];
      double& cost = costs[truth * classes + answers[c]];
      if (!parse_number(text, cost) || !std::isfinite(cost) || cost < 0) {
        throw Error(ErrorKind::data,
                    fmt::format("'{}' is not a cost of answering '{}' for '{}'", text,
                                schema.target.levels[answers[c]], schema.target.levels[truth]),
                    fmt::format("{}, cell {}", place, c + 2), "expected a number, 0 or more");
      }
    }
  }
  const std::string fault = fault_of_costs(costs, schema.target.levels);
  if (!fault.empty()) {
    throw Error(ErrorKind::data, fault, source,
                "right answers cost 0, and some error of every class costs more");
  }
  return costs;
}

void ClassCostOptions::declare(Arguments& arguments) {
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

ClassCosts ClassCostOptions::read(const Schema& schema, const Parallel& parallel) const {
  ClassCosts class_costs;
  if (class_weights == std::vector<std::string>{"balanced"}) {
    refuse_numbers(schema, "option '--class-weights'");
    class_costs.classes = balanced(schema.classes());
  } else if (!class_weights.empty()) {
    class_costs.classes = weights_by_class(parse_named(class_weights, "--class-weights"), schema,
                                           "option '--class-weights'");
  }
  if (!priors.empty()) {
    class_costs.classes =
        priors_by_class(parse_named(priors, "--priors"), schema, "option '--priors'");
  }
  if (!costs.empty()) class_costs.costs = read_costs(costs, schema, parallel);
  return class_costs;
}

}  // namespace softwood
