#include "reproduce/peers.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "data/frame.h"
#include "softwood/error.h"

namespace softwood {
namespace {

constexpr std::array<const char*, 4> key_columns = {"experiment", "set", "method", "figure"};
constexpr double most_runs = 100000;

const FrameColumn& column(const Frame& frame, const std::string& name) {
  const FrameColumn* found = frame.find(name);
  if (found != nullptr) return *found;
  throw Error(ErrorKind::data, fmt::format("has no column '{}'", name), frame.source,
              "figures of peers have the columns experiment, set, run, method, figure, value");
}

}  // namespace

PeerFigures PeerFigures::read(const std::string& path, const Parallel& parallel) {
  ReadOptions options;
  options.nominal.assign(key_columns.begin(), key_columns.end());
  options.numeric = {"run", "value"};
  const Frame frame = read_frame(path, options, parallel);
  const auto& run = column(frame, "run").cells.numbers;
  const auto& value = column(frame, "value").cells.numbers;
  PeerFigures figures;
  for (size_t row = 0; row < frame.rows; ++row) {
    if (!(run[row] >= 1 && run[row] <= most_runs && run[row] == std::floor(run[row]))) {
      throw Error(ErrorKind::data, fmt::format("run '{}' is not a whole number from 1", run[row]),
                  fmt::format("{}, line {}", frame.source, frame.line(row)));
    }
    const auto text = [&](const char* name) {
      const FrameColumn& cells = column(frame, name);
      const int32_t code = cells.cells.codes[row];
      return code < 0 ? std::string() : cells.levels[static_cast<size_t>(code)];
    };
    auto& list = figures.values_[{text("experiment"), text("set"), text("method"), text("figure")}];
    const auto index = static_cast<size_t>(run[row]) - 1;
    if (list.size() <= index) list.resize(index + 1, missing_number);
    list[index] = value[row];
  }
  return figures;
}

std::vector<double> PeerFigures::values(const std::string& experiment, const std::string& set,
                                        const std::string& method,
                                        const std::string& figure) const {
  const auto found = values_.find({experiment, set, method, figure});
  return found == values_.end() ? std::vector<double>() : found->second;
}

std::vector<std::string> PeerFigures::methods(const std::string& experiment,
                                              const std::string& set) const {
  std::vector<std::string> names;
  for (const auto& entry : values_) {
    const auto& [of, on, method, figure] = entry.first;
    if (of == experiment && on == set && (names.empty() || names.back() != method)) {
      names.push_back(method);
    }
  }
  return names;
}

}  // namespace softwood
