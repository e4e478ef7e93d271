#include "explain/partial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/sum.h"
#include "base/text.h"
#include "explain/rows.h"
#include "softwood/error.h"

namespace softwood {

uint32_t input_index(const LoweredTree& tree, const std::string& name) {
  std::vector<std::string> names;
  for (const LoweredInput& input : tree.inputs) names.push_back(input.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<uint32_t>(found - names.begin());
  throw Error(ErrorKind::usage, fmt::format("the model has no input '{}'", name), {},
              known_names_hint(name, names));
}

std::vector<double> grid_of(const LoweredInput& input, const Column& column, size_t points) {
  std::vector<double> values;
  if (input.kind != InputKind::numeric) {
    values.resize(input.levels.size());
    std::iota(values.begin(), values.end(), 0.0);
    return values;
  }
  for (const double value : column.numbers) {
    if (!std::isnan(value)) values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  std::vector<double> grid = values;
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  if (grid.size() <= points) return grid;
  grid.clear();
  for (size_t i = 0; i < points; ++i) {
    grid.push_back(
        values[points == 1 ? values.size() / 2 : i * (values.size() - 1) / (points - 1)]);
  }
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  return grid;
}

PartialDependence partial_dependence(const ExplainedTree& tree, const Table& table,
                                     const PartialSettings& settings, const Parallel& parallel,
                                     const Control& control) {
  if (settings.inputs.empty() || settings.inputs.size() > 2) {
    throw Error(ErrorKind::usage, "partial dependence is of one input or of two");
  }
  const Quantity quantity(tree.lowered, settings.scale);
  PartialDependence result;
  result.inputs = settings.inputs;
  result.outputs = quantity.names();
  result.scale = quantity.scale();
  result.rows = table.rows();
  std::vector<uint32_t> varied;
  for (const std::string& name : settings.inputs) {
    varied.push_back(input_index(tree.lowered, name));
    result.grid.push_back(
        grid_of(tree.lowered.inputs[varied.back()], table.input(varied.back()), settings.points));
    if (result.grid.back().empty()) {
      throw Error(ErrorKind::data, fmt::format("no row has a value of '{}'", name));
    }
  }
  if (varied.size() == 2 && varied[0] == varied[1]) {
    throw Error(ErrorKind::usage, fmt::format("'{}' is named twice", settings.inputs[0]));
  }

  const std::vector<uint32_t> used = inputs_in_use(tree.lowered);
  const size_t outputs = quantity.outputs();
  const size_t second = varied.size() == 2 ? result.grid[1].size() : 1;
  const size_t points = result.grid[0].size() * second;
  result.means.resize(points * outputs);
  if (settings.individual) result.curves.resize(table.rows() * points * outputs);
  const StoppableWork stoppable(control);
  parallel.each(points, [&](size_t point) {
    control.throw_if_interrupted();
    std::vector<Column> columns;
    for (const uint32_t input : used) {
      columns.push_back(table.input(input));
      for (size_t v = 0; v < varied.size(); ++v) {
        if (varied[v] != input) continue;
        const double value = result.grid[v][v == 0 ? point / second : point % second];
        columns.back() = constant_column(columns.back().kind, table.rows(), value);
      }
    }
    const Table changed = table_of_inputs(table.schema(), table.rows(), used, std::move(columns));
    const std::vector<double> answers =
        quantity.of_rows(tree.predictor, changed, all_rows(changed), Parallel(1));
    std::vector<Sum> sums(outputs);
    for (size_t i = 0; i < answers.size(); ++i) sums[i % outputs].add(answers[i]);
    for (size_t o = 0; o < outputs; ++o) {
      result.means[point * outputs + o] = sums[o].value() / static_cast<double>(table.rows());
    }
    for (size_t row = 0; settings.individual && row < table.rows(); ++row) {
      std::copy_n(&answers[row * outputs], outputs,
                  &result.curves[(row * points + point) * outputs]);
    }
  });
  return result;
}

}  // namespace softwood
