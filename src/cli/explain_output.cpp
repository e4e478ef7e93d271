#include "cli/explain_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "explain/shapley.h"

namespace softwood {
namespace {

using render::ExplainedRow;

const char* scale_name(AnswerScale scale) {
  switch (scale) {
    case AnswerScale::log_odds:
      return "log_odds";
    case AnswerScale::value:
      return "value";
    default:
      return "probability";
  }
}

const char* method_name(ExplainMethod method) {
  return method == ExplainMethod::path_dependent ? "path-dependent" : "interventional";
}

Json cell_json(const LoweredInput& input, double cell) {
  if (std::isnan(cell)) return nullptr;
  if (input.kind == InputKind::numeric) return cell;
  return input.levels[static_cast<size_t>(cell)];
}

std::string cell_csv(const LoweredInput& input, double cell) {
  if (std::isnan(cell)) return "";
  if (input.kind == InputKind::numeric) return number_text(cell);
  return csv_cell(input.levels[static_cast<size_t>(cell)]);
}

Json numbers_json(std::span<const double> numbers) {
  Json list = Json::array();
  for (const double number : numbers) list.push_back(json_number(number));
  return list;
}

Json change_json(const Explained& explained, const Change& change) {
  Json object;
  object["found"] = change.found;
  object["reached_already"] = change.reached_already;
  object["exact"] = change.is_exact;
  object["inputs"] = Json::array();
  for (const InputChange& one : change.inputs) {
    const LoweredInput& input = explained.tree.inputs[one.input];
    object["inputs"].push_back({{"input", input.name},
                                {"from", cell_json(input, one.from)},
                                {"to", cell_json(input, one.to)},
                                {"distance", one.distance}});
  }
  object["distance"] = change.distance;
  object["answer"] = numbers_json(change.answer);
  return object;
}

Json row_json(const Explained& explained, size_t i, size_t top) {
  const Explanation& explanation = explained.explanation;
  const size_t outputs = explanation.outputs.size();
  const std::vector<double> cells = explained.cells(i);
  const ExplainedRow shown = explained.shown(i, cells);
  Json object;
  object["row"] = explained.rows[i] + 1;
  object["prediction"] = explained.classes.empty()
                             ? json_number(explained.answers[i])
                             : Json(explained.tree.target.classes[explained.classes[i]]);
  object["answer"] = numbers_json(std::span(explanation.answers).subspan(i * outputs, outputs));
  object["reasons"] = Json::array();
  std::vector<uint32_t> ranked = shown.ranked();
  ranked.resize(std::min(ranked.size(), top));
  for (const uint32_t f : ranked) {
    const LoweredInput& input = explained.tree.inputs[f];
    const size_t at = (i * explanation.feature_names.size() + f) * outputs;
    Json reason;
    reason["input"] = input.name;
    reason["value"] = cell_json(input, cells[f]);
    reason["typical"] = cell_json(input, explained.typical[f]);
    reason["effects"] = numbers_json(std::span(explanation.values).subspan(at, outputs));
    if (!explanation.is_exact()) {
      reason["standard_errors"] =
          numbers_json(std::span(explanation.standard_errors).subspan(at, outputs));
    }
    object["reasons"].push_back(std::move(reason));
  }
  if (!explained.changes.empty()) object["change"] = change_json(explained, explained.changes[i]);
  return object;
}

}  // namespace

std::vector<double> Explained::cells(size_t i) const {
  std::vector<double> cells;
  for (size_t f = 0; f < table.features(); ++f) cells.push_back(table.input(f).value(rows[i]));
  return cells;
}

ExplainedRow Explained::shown(size_t i, std::span<const double> cells) const {
  ExplainedRow row{tree, explanation, i, 0, false, cells, typical};
  if (classes.empty()) return row;
  if (explanation.outputs.size() == 1) {
    row.other_class = shown_class && *shown_class != tree.target.positive;
  } else {
    row.output = shown_class ? *shown_class : classes[i];
  }
  return row;
}

std::string Explained::answer_text(size_t i) const {
  return classes.empty() ? short_number(answers[i]) : printable(tree.target.classes[classes[i]]);
}

std::string explanation_heading(const Explained& explained) {
  const Explanation& explanation = explained.explanation;
  std::string text = fmt::format("What each input adds to the answer: {} Shapley values",
                                 method_name(explanation.method));
  if (explanation.method == ExplainMethod::interventional) {
    text += fmt::format(" over {} background rows", explanation.background_rows);
  }
  if (explanation.is_exact()) return text + ".\n";
  const double largest =
      *std::max_element(explanation.standard_errors.begin(), explanation.standard_errors.end());
  return text + fmt::format(",\nsampled, with a standard error of at most {}.\n",
                            short_number(largest, 2));
}

std::string explained_row_text(const Explained& explained, size_t i, size_t top) {
  const std::vector<double> cells = explained.cells(i);
  const ExplainedRow shown = explained.shown(i, cells);
  const AnswerScale scale = explained.explanation.scale;
  std::string text;
  if (explained.classes.empty()) {
    text = fmt::format("row {}: {} {}, on average {}\n", explained.rows[i] + 1, shown.name(),
                       render::quantity_number(scale, shown.answer()),
                       render::quantity_number(scale, shown.base()));
  } else {
    text = fmt::format("row {}: {}, {} {}, on average {}\n", explained.rows[i] + 1,
                       explained.answer_text(i), shown.name(),
                       render::quantity_number(scale, shown.answer()),
                       render::quantity_number(scale, shown.base()));
  }
  text += render::reasons_text(shown, top);
  if (!explained.changes.empty()) {
    text +=
        "  change: " + render::change_text(explained.tree, explained.changes[i], explained.goal) +
        "\n";
  }
  return text;
}

std::string explanation_csv(const Explained& explained) {
  const Explanation& explanation = explained.explanation;
  const std::vector<uint32_t> used = inputs_in_use(explained.tree);
  const bool several = explanation.outputs.size() > 1;
  std::vector<std::string> header = {"row", "prediction"};
  if (!explained.classes.empty()) header.emplace_back("class");
  header.emplace_back("base");
  header.emplace_back("answer");
  for (const uint32_t f : used)
    header.push_back(csv_cell("effect_" + explanation.feature_names[f]));
  if (!explained.changes.empty()) header.emplace_back("change");
  std::string text = join(header, ",") + "\n";
  for (size_t i = 0; i < explained.rows.size(); ++i) {
    const std::vector<double> cells = explained.cells(i);
    for (size_t o = 0; o < explanation.outputs.size(); ++o) {
      ExplainedRow row = explained.shown(i, cells);
      if (several) {
        if (explained.shown_class && *explained.shown_class != o) continue;
        row.output = o;
      }
      std::vector<std::string> line = {fmt::format("{}", explained.rows[i] + 1)};
      if (explained.classes.empty()) {
        line.push_back(number_text(explained.answers[i]));
      } else {
        const std::vector<std::string>& classes = explained.tree.target.classes;
        line.push_back(csv_cell(classes[explained.classes[i]]));
        line.push_back(csv_cell(row.other_class ? classes[1 - explained.tree.target.positive]
                                                : explanation.outputs[o]));
      }
      line.push_back(number_text(row.base()));
      line.push_back(number_text(row.answer()));
      for (const uint32_t f : used) line.push_back(number_text(row.effect(f)));
      if (!explained.changes.empty()) {
        line.push_back(
            csv_cell(render::change_text(explained.tree, explained.changes[i], explained.goal)));
      }
      text += join(line, ",") + "\n";
    }
  }
  return text;
}

Json explanation_json(const Explained& explained, size_t top) {
  const Explanation& explanation = explained.explanation;
  Json object;
  object["scale"] = scale_name(explanation.scale);
  object["outputs"] = explanation.outputs;
  object["method"] = method_name(explanation.method);
  object["background_rows"] = explanation.background_rows;
  object["exact"] = explanation.is_exact();
  object["base_values"] = numbers_json(explanation.base_values);
  object["rows"] = Json::array();
  for (size_t i = 0; i < explained.rows.size(); ++i) {
    object["rows"].push_back(row_json(explained, i, top));
  }
  return object;
}

std::string partial_text(const LoweredTree& tree, const PartialDependence& partial) {
  const auto input_of = [&](size_t v) -> const LoweredInput& {
    return *std::find_if(tree.inputs.begin(), tree.inputs.end(), [&](const LoweredInput& input) {
      return input.name == partial.inputs[v];
    });
  };
  const size_t outputs = partial.outputs.size();
  std::string text;
  if (partial.inputs.size() == 1) {
    std::vector<std::string> header = {partial.inputs[0]};
    for (const std::string& output : partial.outputs) {
      header.push_back(render::quantity_text(tree, partial.scale, output));
    }
    TextTable table(header);
    for (size_t p = 0; p < partial.grid[0].size(); ++p) {
      std::vector<std::string> line = {render::cell_text(input_of(0), partial.grid[0][p])};
      for (size_t o = 0; o < outputs; ++o) {
        line.push_back(render::quantity_number(partial.scale, partial.means[p * outputs + o]));
      }
      table.add(line);
    }
    text = table.text();
  }
  for (size_t o = 0; partial.inputs.size() == 2 && o < outputs; ++o) {
    std::vector<std::string> header = {partial.inputs[0] + " \\ " + partial.inputs[1]};
    for (const double value : partial.grid[1]) {
      header.push_back(render::cell_text(input_of(1), value));
    }
    TextTable table(header);
    for (size_t p = 0; p < partial.grid[0].size(); ++p) {
      std::vector<std::string> line = {render::cell_text(input_of(0), partial.grid[0][p])};
      for (size_t q = 0; q < partial.grid[1].size(); ++q) {
        line.push_back(render::quantity_number(
            partial.scale, partial.means[(p * partial.grid[1].size() + q) * outputs + o]));
      }
      table.add(line);
    }
    text += (o > 0 ? "\n" : "") + render::quantity_text(tree, partial.scale, partial.outputs[o]) +
            "\n" + table.text();
  }
  return fmt::format("Partial dependence on {}: mean over {} rows\n\n",
                     join(partial.inputs, " and "), partial.rows) +
         printable_lines(text);
}

namespace {

// The inputs of a point of the grid.
std::vector<std::pair<const LoweredInput*, double>> point_of(const LoweredTree& tree,
                                                             const PartialDependence& partial,
                                                             size_t point) {
  std::vector<std::pair<const LoweredInput*, double>> cells;
  const size_t second = partial.inputs.size() == 2 ? partial.grid[1].size() : 1;
  for (size_t v = 0; v < partial.inputs.size(); ++v) {
    const auto found =
        std::find_if(tree.inputs.begin(), tree.inputs.end(),
                     [&](const LoweredInput& input) { return input.name == partial.inputs[v]; });
    cells.emplace_back(&*found, partial.grid[v][v == 0 ? point / second : point % second]);
  }
  return cells;
}

}  // namespace

std::string partial_csv(const LoweredTree& tree, const PartialDependence& partial) {
  const size_t outputs = partial.outputs.size(), points = partial.means.size() / outputs;
  const bool individual = !partial.curves.empty();
  std::string text = individual ? "row," : "";
  for (const std::string& name : partial.inputs) text += csv_cell(name) + ",";
  std::vector<std::string> names;
  for (const std::string& output : partial.outputs) {
    names.push_back(
        csv_cell(tree.is_classifier()
                     ? (partial.scale == AnswerScale::log_odds ? "log_odds_" : "proba_") + output
                     : "prediction"));
  }
  text += join(names, ",") + "\n";
  const auto add = [&](const std::string& row, size_t point, const double* values) {
    text += row;
    for (const auto& [input, cell] : point_of(tree, partial, point)) {
      text += cell_csv(*input, cell) + ",";
    }
    for (size_t o = 0; o < outputs; ++o) {
      text += number_text(values[o]) + (o + 1 < outputs ? "," : "\n");
    }
  };
  for (size_t p = 0; p < points; ++p)
    add(individual ? "mean," : "", p, &partial.means[p * outputs]);
  for (size_t row = 0; individual && row < partial.rows; ++row) {
    for (size_t p = 0; p < points; ++p) {
      add(fmt::format("{},", row + 1), p, &partial.curves[(row * points + p) * outputs]);
    }
  }
  return text;
}

Json partial_json(const LoweredTree& tree, const PartialDependence& partial) {
  const size_t outputs = partial.outputs.size(), points = partial.means.size() / outputs;
  Json object;
  object["inputs"] = partial.inputs;
  object["scale"] = scale_name(partial.scale);
  object["outputs"] = partial.outputs;
  object["rows"] = partial.rows;
  object["points"] = Json::array();
  for (size_t p = 0; p < points; ++p) {
    Json point;
    point["at"] = Json::array();
    for (const auto& [input, cell] : point_of(tree, partial, p)) {
      point["at"].push_back(cell_json(*input, cell));
    }
    point["mean"] = numbers_json(std::span(partial.means).subspan(p * outputs, outputs));
    if (!partial.curves.empty()) {
      point["individual"] = Json::array();
      for (size_t row = 0; row < partial.rows; ++row) {
        point["individual"].push_back(
            numbers_json(std::span(partial.curves).subspan((row * points + p) * outputs, outputs)));
      }
    }
    object["points"].push_back(std::move(point));
  }
  return object;
}

}  // namespace softwood
