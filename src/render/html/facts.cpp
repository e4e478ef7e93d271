#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "data/typical.h"
#include "render/export/exporter.h"
#include "render/html/sections.h"
#include "study/train.h"
#include "tree/tree.h"

namespace softwood::render {
namespace {

constexpr size_t most_worst = 20;

// Those in use keep their order, so that names are found one after the other.
std::vector<uint32_t> inputs_in_use(const LoweredTree& tree) {
  std::vector<uint32_t> places;
  uint32_t next = 0;
  for (const LoweredInput& input : exported_tree(tree).inputs) {
    while (tree.inputs[next].name != input.name) ++next;
    places.push_back(next++);
  }
  return places;
}

// A value between the cuts, where nothing better is known.
double middle_of_cuts(const LoweredTree& tree, uint32_t input) {
  if (tree.inputs[input].kind != InputKind::numeric) return 0;
  std::vector<double> cuts;
  for (const LoweredNode& node : tree.nodes) {
    const auto* const score =
        node.split ? std::get_if<LoweredScore>(&node.split->condition) : nullptr;
    if (score != nullptr && score->terms.size() == 1 && score->terms[0].input == input &&
        score->terms[0].kind == TermKind::value && std::fabs(score->cut) < 1e300) {
      cuts.push_back(score->cut / score->terms[0].coefficient);
    }
  }
  const double low = tree.inputs[input].low, high = tree.inputs[input].high;
  if (cuts.empty()) return std::isnan(low) ? 0 : low + (high - low) / 2;
  std::sort(cuts.begin(), cuts.end());
  return cuts[cuts.size() / 2];
}

}  // namespace

ReportFacts::ReportFacts(const ReportTask& of) : task(of), tree(of.tree) {
  inputs = inputs_in_use(tree);
  for (const LoweredInput& input : tree.inputs) typical.push_back(input.typical);
  if (task.rows != nullptr && task.rows->rows() > 0) {
    const Table& table = *task.rows;
    all = all_rows(table);
    const std::vector<double> found = typical_values(table, all, task.control);
    for (size_t f = 0; f < typical.size(); ++f) {
      if (std::isnan(typical[f])) typical[f] = found[f];
    }
    predictions = predict(task.model.tree, table, all, task.parallel);
    if (table.has_target()) {
      const size_t majority =
          training_majority(task.model.tree, task.model.provenance.class_weights);
      evaluation = evaluate(*predictions, table, all, majority);
      training_rows = task.options.absent.empty() ? are_training_rows(table, task.model)
                                                  : std::optional<bool>();
    }
  }
  for (const uint32_t f : inputs) {
    if (std::isnan(typical[f])) typical[f] = middle_of_cuts(tree, f);
  }
  // The most wrong rows, then others at equal distances.
  const size_t room = std::min(task.options.rows, all.size());
  if (has_target()) {
    worst = all;
    const size_t count = std::min({most_worst, room, all.size()});
    std::partial_sort(worst.begin(), worst.begin() + static_cast<std::ptrdiff_t>(count),
                      worst.end(), [this](RowIndex a, RowIndex b) {
                        const double x = wrongness(a), y = wrongness(b);
                        return x != y ? x > y : a < b;
                      });
    worst.resize(count);
  }
  held = worst;
  std::vector<bool> taken(all.size(), false);
  for (const RowIndex row : held) taken[row] = true;
  for (size_t i = 0; i < room && held.size() < room; ++i) {
    const size_t row = i * all.size() / room;
    if (!taken[row]) held.push_back(static_cast<RowIndex>(row));
    taken[row] = true;
  }
  for (RowIndex row = 0; row < all.size() && held.size() < room; ++row) {
    if (!taken[row]) held.push_back(row);
  }
  std::sort(held.begin(), held.end());
}

bool ReportFacts::is_shown(uint32_t input) const {
  return task.options.absent.empty() || !task.options.absent[input];
}

double ReportFacts::wrongness(RowIndex row) const {
  const Table& table = *task.rows;
  if (!tree.is_classifier()) {
    return std::fabs(table.target().numbers[row] - predictions->answers[row]);
  }
  const int32_t code = table.target().codes[row];
  if (code < 0) return 1;
  return 1 - predictions->answers[row * predictions->width + static_cast<size_t>(code)];
}

std::optional<Table> ReportFacts::held_table() const {
  if (held.empty()) return {};
  return taken_rows(*task.rows, held);
}

Table taken_rows(const Table& table, std::span<const RowIndex> rows) {
  const auto taken = [&](const Column& from) {
    ColumnDraft column(from.kind);
    if (from.size() == 0) return column;
    for (const RowIndex row : rows) {
      if (from.kind == Kind::numeric) {
        column.numbers.push_back(from.numbers[row]);
      } else {
        column.codes.push_back(from.codes[row]);
      }
    }
    return column;
  };
  std::vector<Column> columns;
  for (size_t f = 0; f < table.features(); ++f) columns.emplace_back(taken(table.input(f)));
  std::vector<double> weights;
  if (table.weighted()) {
    for (const RowIndex row : rows) weights.push_back(table.weight(row));
  }
  return {table.schema(), rows.size(), std::move(columns), taken(table.target()),
          std::move(weights)};
}

std::string drawn(const ReportFacts& facts, std::string (*draw)(const PlotTask&), const Table* rows,
                  const PlotOptions& options) {
  const ReportTask& task = facts.task;
  return draw({task.model, task.tree, rows, options, task.parallel, task.control});
}

std::string shown_share(double share) {
  return std::isnan(share) ? "–" : fmt::format("{:.1f} %", 100 * share);
}

std::string shown_figure(double value, int digits) {
  return std::isfinite(value) ? short_number(value, digits) : "–";
}

std::string figure_name(const std::string& key) {
  std::string name = key;
  std::replace(name.begin(), name.end(), '_', ' ');
  for (const std::string_view letters : {"auc", "mcc", "mse", "rmse", "mae", "nmse"}) {
    if (name == letters) {
      for (char& c : name) c = static_cast<char>(c - 'a' + 'A');
    }
  }
  if (name == "r2") return "R²";
  if (name == "majority error") return "error of the majority class";
  return name;
}

std::string cell_of(const softwood::Feature& feature, const Column& column, RowIndex row) {
  if (column.size() == 0 || column.is_missing(row)) return "missing";
  if (column.kind == Kind::numeric) return short_number(column.numbers[row], 6);
  return feature.levels[static_cast<size_t>(column.codes[row])];
}

std::string observed_text(const Table& table, RowIndex row) {
  if (table.schema().task() == Task::classification && table.target().codes[row] < 0) {
    return "unknown to the model";
  }
  return cell_of(table.schema().target, table.target(), row);
}

std::string training_rows_text(const std::string& trained) {
  return fmt::format(
      "The data of this report are the rows that {} trained on: expect worse on others.", trained);
}

std::string with_interval(const Evaluation& evaluation, const std::string& name, double value) {
  const bool is_share = name == "error" || name == "accuracy" || name == "majority_error" ||
                        name == "balanced_accuracy";
  const auto shown = [&](double x) { return is_share ? shown_share(x) : shown_figure(x); };
  for (const auto& [key, interval] : evaluation.intervals) {
    if (key == name && std::isfinite(interval.low)) {
      return fmt::format("{} ({} to {})", shown(value), shown(interval.low), shown(interval.high));
    }
  }
  return shown(value);
}

}  // namespace softwood::render
