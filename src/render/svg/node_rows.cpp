#include "render/svg/node_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lower/condition.h"
#include "softwood/error.h"
#include "use/predict.h"

namespace softwood::render {
namespace {

constexpr size_t bins = 24, most_points = 150;

// What a row is on the axis of a score.
double score_value(const LoweredScore& score, const Table& table, RowIndex row) {
  double sum = 0;
  const auto cell = [&](uint32_t input) { return table.input(input).value(row); };
  for (const LoweredTerm& term : score.terms) sum += term.coefficient * term_value(term, cell);
  return sum / value_factor(score);
}

struct WeightedMean {
  double sum = 0, weight = 0;
  void add(double value, double by) {
    sum += by * value;
    weight += by;
  }
  double mean() const { return sum / weight; }
};

// Every which row is drawn as a point.
size_t step_of(const std::vector<RowIndex>& rows) {
  return (rows.size() + most_points - 1) / most_points;
}

class Histograms {
 public:
  explicit Histograms(const PlotTask& task) : tree_(task.tree), table_(*task.rows) {
    by_class_ = table_.has_target() && tree_.is_classifier();
    by_answer_ = table_.has_target() && !tree_.is_classifier();
  }

  std::optional<NodeHistogram> of(uint32_t node, const std::vector<RowIndex>& rows) const {
    const auto& split = tree_.nodes[node].split;
    if (!split || rows.empty()) return {};
    if (const auto* const levels = std::get_if<LoweredLevels>(&split->condition)) {
      return of_levels(*levels, rows);
    }
    return of_score(std::get<LoweredScore>(split->condition), rows);
  }

 private:
  std::vector<double> no_rows() const {
    return std::vector<double>(by_class_ ? tree_.target.classes.size() : 1, 0.0);
  }
  void count(std::vector<double>& bin, RowIndex row) const {
    const int32_t code = by_class_ ? table_.target().codes[row] : 0;
    if (code >= 0) bin[static_cast<size_t>(code)] += table_.weight(row);
  }

  std::optional<NodeHistogram> of_score(const LoweredScore& score,
                                        const std::vector<RowIndex>& rows) const {
    if (score.cut == cut_above_all_values) return {};
    std::vector<double> values;
    for (const RowIndex row : rows) values.push_back(score_value(score, table_, row));
    NodeHistogram found;
    found.low = INFINITY;
    found.high = -INFINITY;
    for (const double value : values) {
      if (!std::isfinite(value)) continue;
      found.low = std::min(found.low, value);
      found.high = std::max(found.high, value);
    }
    if (!(found.high > found.low) || !std::isfinite(found.high - found.low)) return {};
    by_answer_ ? add_points(found, score, rows, values) : add_bins(found, rows, values);
    return found;
  }

  void add_bins(NodeHistogram& found, const std::vector<RowIndex>& rows,
                const std::vector<double>& values) const {
    found.bins.assign(bins, no_rows());
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!std::isfinite(values[i])) continue;
      const double share = (values[i] - found.low) / (found.high - found.low);
      count(found.bins[std::min(bins - 1, static_cast<size_t>(share * bins))], rows[i]);
    }
  }

  void add_points(NodeHistogram& found, const LoweredScore& score,
                  const std::vector<RowIndex>& rows, const std::vector<double>& values) const {
    const double cut = score.cut / value_factor(score);
    WeightedMean below, above;
    const size_t step = step_of(rows);
    for (size_t i = 0; i < rows.size(); ++i) {
      const double answer = table_.target().numbers[rows[i]];
      if (!std::isfinite(values[i]) || std::isnan(answer)) continue;
      if (i % step == 0) found.points.push_back({values[i], answer});
      (values[i] <= cut ? below : above).add(answer, table_.weight(rows[i]));
    }
    const double at = std::clamp(cut, found.low, found.high);
    if (below.weight > 0) found.means.push_back({found.low, at, below.mean()});
    if (above.weight > 0) found.means.push_back({at, found.high, above.mean()});
  }

  // Levels that no row of the node has are left out.
  std::optional<NodeHistogram> of_levels(const LoweredLevels& levels,
                                         const std::vector<RowIndex>& rows) const {
    const std::vector<std::string>& names = tree_.inputs[levels.input].levels;
    std::vector<std::vector<double>> counts(names.size(), no_rows());
    std::vector<bool> seen(names.size(), false);
    for (const RowIndex row : rows) {
      const double level = table_.input(levels.input).value(row);
      if (std::isnan(level)) continue;
      seen[static_cast<size_t>(level)] = true;
      count(counts[static_cast<size_t>(level)], row);
    }
    NodeHistogram found;
    for (uint32_t child = 0; child < levels.children; ++child) {
      const size_t before = found.bins.size();
      for (size_t level = 0; level < names.size(); ++level) {
        if (!seen[level] || levels.child_of_level[level] != static_cast<int32_t>(child)) continue;
        found.bins.push_back(counts[level]);
        found.levels.push_back(names[level]);
      }
      if (before > 0 && found.bins.size() > before) {
        found.dividers.push_back(static_cast<double>(before));
      }
    }
    if (found.bins.empty()) return {};
    found.high = static_cast<double>(found.bins.size());
    if (by_answer_) add_points_of_levels(found, levels, rows);
    return found;
  }

  // Rows of a level beside each other within its place.
  void add_points_of_levels(NodeHistogram& found, const LoweredLevels& levels,
                            const std::vector<RowIndex>& rows) const {
    const std::vector<std::string>& names = tree_.inputs[levels.input].levels;
    std::vector<double> places = found.dividers;  // where the children begin
    places.insert(places.begin(), 0.0);
    std::vector<WeightedMean> means(places.size());
    const size_t step = step_of(rows);
    for (size_t i = 0; i < rows.size(); ++i) {
      const double level = table_.input(levels.input).value(rows[i]);
      const double answer = table_.target().numbers[rows[i]];
      if (std::isnan(level) || std::isnan(answer)) continue;
      const auto at =
          std::find(found.levels.begin(), found.levels.end(), names[static_cast<size_t>(level)]);
      if (at == found.levels.end()) continue;  // a level that no child takes
      const auto bin = static_cast<double>(at - found.levels.begin());
      const auto group = std::upper_bound(places.begin(), places.end(), bin) - places.begin() - 1;
      means[static_cast<size_t>(group)].add(answer, table_.weight(rows[i]));
      constexpr size_t columns = 7;
      const double beside = (static_cast<double>(i / step % columns) + 1.5) / (columns + 2);
      if (i % step == 0) found.points.push_back({bin + beside, answer});
    }
    for (size_t group = 0; group < places.size(); ++group) {
      if (!(means[group].weight > 0)) continue;
      found.means.push_back({places[group],
                             group + 1 < places.size() ? places[group + 1] : found.high,
                             means[group].mean()});
    }
  }

  const LoweredTree& tree_;
  const Table& table_;
  bool by_class_ = false, by_answer_ = false;
};

void add_histograms(const PlotTask& task, NodeRows& found) {
  const LoweredTree& tree = task.tree;
  const std::vector<RowIndex> rows = all_rows(*task.rows);
  const std::vector<NodeIndex> ends =
      predict_nodes(task.model.tree, *task.rows, rows, task.parallel);
  std::vector<std::vector<RowIndex>> of_node(tree.nodes.size());
  for (const RowIndex row : rows) {
    for (uint32_t node = ends[row];; node = tree.nodes[node].parent) {
      of_node[node].push_back(row);
      if (node == 0) break;
    }
  }
  const Histograms histograms(task);
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    found.histograms.push_back(histograms.of(i, of_node[i]));
  }
}

void follow_row(const PlotTask& task, NodeRows& found) {
  const LoweredTree& tree = task.tree;
  const Table& table = *task.rows;
  const auto row = static_cast<RowIndex>(*task.options.row);
  const Predictor predictor(task.model.tree);
  std::vector<double> weights(predictor.end_nodes().size());
  predictor.weights(table, std::vector<RowIndex>{row}, weights, task.parallel);
  found.share.assign(tree.nodes.size(), 0);
  for (size_t e = 0; e < weights.size(); ++e) {
    for (uint32_t node = predictor.end_nodes()[e];; node = tree.nodes[node].parent) {
      found.share[node] += weights[e];
      if (node == 0) break;
    }
  }
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    double value = unknown_number;
    const auto& split = tree.nodes[i].split;
    if (split && std::holds_alternative<LoweredScore>(split->condition)) {
      value = score_value(std::get<LoweredScore>(split->condition), table, row);
    } else if (split && found.histograms[i]) {
      const auto& levels = std::get<LoweredLevels>(split->condition);
      const double level = table.input(levels.input).value(row);
      const auto& names = found.histograms[i]->levels;
      const auto at = std::isnan(level)
                          ? names.end()
                          : std::find(names.begin(), names.end(),
                                      tree.inputs[levels.input].levels[static_cast<size_t>(level)]);
      if (at != names.end()) value = static_cast<double>(at - names.begin()) + 0.5;
    }
    found.value.push_back(value);
  }
}

}  // namespace

NodeRows node_rows(const PlotTask& task) {
  NodeRows found;
  if (task.rows != nullptr) add_histograms(task, found);
  if (!task.options.row) return found;
  if (task.rows == nullptr) {
    throw Error(ErrorKind::usage, "a row can be followed where there are data", {},
                "name DATA after MODEL");
  }
  if (*task.options.row >= task.rows->rows()) {
    throw Error(ErrorKind::usage, fmt::format("there is no row {}", *task.options.row + 1), {},
                fmt::format("the data have {} rows", task.rows->rows()));
  }
  follow_row(task, found);
  return found;
}

}  // namespace softwood::render
