#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "lower/condition.h"
#include "render/export/exporter.h"
#include "render/renderer.h"
#include "render/text/words.h"
#include "softwood/error.h"

namespace softwood::render {
namespace {

std::vector<bool> inputs_in_use(const LoweredTree& tree) {
  std::vector<bool> used(tree.inputs.size(), false);
  const auto add = [&used](const std::vector<uint32_t>& inputs) {
    for (const uint32_t input : inputs) used[input] = true;
  };
  for (const LoweredNode& node : tree.nodes) {
    if (node.formula) add(term_inputs(node.formula->terms));
    if (!node.split) continue;
    add(condition_inputs(node.split->condition));
    for (const LoweredSurrogate& surrogate : node.split->missing.surrogates) {
      add(condition_inputs(surrogate.condition));
    }
  }
  return used;
}

// New numbers of inputs, in everything that names one.
class Renumbering {
 public:
  explicit Renumbering(const std::vector<bool>& used) {
    for (const bool use : used) places_.push_back(use ? next_++ : 0);
  }

  void apply(LoweredTree& tree) const {
    for (LoweredNode& node : tree.nodes) {
      if (node.formula) apply(node.formula->terms);
      if (!node.split) continue;
      apply(node.split->condition);
      for (LoweredSurrogate& surrogate : node.split->missing.surrogates) {
        apply(surrogate.condition);
      }
      node.split->competitors.clear();
    }
  }

 private:
  void apply(std::vector<LoweredTerm>& terms) const {
    for (LoweredTerm& term : terms) {
      term.input = places_[term.input];
      if (term.kind == TermKind::product) term.second = places_[term.second];
    }
  }
  void apply(LoweredCondition& condition) const {
    if (auto* const score = std::get_if<LoweredScore>(&condition)) return apply(score->terms);
    auto& levels = std::get<LoweredLevels>(condition);
    levels.input = places_[levels.input];
  }

  uint32_t next_ = 0;
  std::vector<uint32_t> places_;
};

std::vector<std::string> shown_names(const LoweredTree& tree) {
  std::vector<std::string> names;
  for (const LoweredInput& input : tree.inputs) names.push_back(printable(input.name));
  return names;
}

// The rules of a small tree, after an empty line.
std::vector<std::string> rule_lines(const LoweredTree& tree) {
  constexpr size_t most_lines = 48, width = 90;
  const std::string text = tree.leaves < most_lines ? rules_text(tree, {width}) : "";
  std::vector<std::string> lines = {""};
  for (const std::string_view line : split(text, '\n')) lines.push_back(printable(line));
  while (lines.back().empty() && lines.size() > 1) lines.pop_back();
  lines.emplace_back();
  if (!text.empty() && lines.size() <= most_lines) return lines;
  return {"", fmt::format("The rules of its {} leaves are too long to print here.", tree.leaves),
          ""};
}

// An option that only one format has.
void refuse_elsewhere(const Exporter& exporter, const std::string& format, bool given,
                      const std::string& option) {
  if (!given || exporter.name == format) return;
  throw Error(ErrorKind::usage,
              fmt::format("the format {} has no option '{}'", exporter.name, option), {},
              fmt::format("it is for {}", format));
}

void refuse_other_than(const std::string& option, const std::string& value,
                       const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), value) != known.end()) return;
  throw Error(ErrorKind::usage, fmt::format("option '{}' can't be '{}'", option, value), {},
              "expected one of " + join(known, ", "));
}

}  // namespace

std::span<const Exporter> exporters() {
  static const std::vector<Exporter> table = {
      {"c",
       ".c",
       "C99 without a library, for firmware, too.",
       Exactness::bits,
       {},
       c_export,
       c_header},
      {"cpp", ".hpp", "A header for C++17 and later.", Exactness::bits, {}, cpp_export},
      {"java", ".java", "A class for Java 8 and later.", Exactness::bits, {}, java_export},
      {"javascript",
       ".mjs",
       "A module, or a script for web pages.",
       Exactness::bits,
       {},
       javascript_export},
      {"python",
       ".py",
       "A module without dependencies; with NumPy also for many rows at once.",
       Exactness::bits,
       {},
       python_export},
      {"sql",
       ".sql",
       "One SELECT over a table, for SQLite, DuckDB or PostgreSQL.",
       Exactness::rounding,
       {},
       sql_export},
      {"onnx",
       ".onnx",
       "A graph for ONNX runtimes, with one input per column.",
       Exactness::rounding,
       {},
       onnx_export},
      {"pmml", ".pmml", "PMML 4.4, for scoring engines.", Exactness::rounding, {}, pmml_export},
      {"dot",
       ".dot",
       "A picture of the tree in colours, for Graphviz.",
       Exactness::rounding,
       {},
       dot_export},
  };
  return table;
}

const Exporter& find_exporter(std::string_view name) {
  const auto all = exporters();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [=](const Exporter& exporter) { return exporter.name == name; });
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  for (const Exporter& exporter : all) names.push_back(exporter.name);
  throw Error(ErrorKind::usage, fmt::format("there is no export format '{}'", name), {},
              known_names_hint(name, names));
}

const std::vector<std::string>& javascript_modules() {
  static const std::vector<std::string> names = {"esm", "script"};
  return names;
}

bool is_identifier(const std::string& name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || digit(c); });
}

void check_options(const Exporter& exporter, const ExportOptions& options) {
  const ExportOptions usual;
  refuse_elsewhere(exporter, "sql", options.dialect != usual.dialect, "dialect");
  refuse_elsewhere(exporter, "sql", options.table != usual.table, "table");
  refuse_elsewhere(exporter, "sql", !options.keep.empty(), "keep");
  refuse_elsewhere(exporter, "javascript", options.module != usual.module, "module");
  refuse_elsewhere(exporter, "c", options.single_precision, "float");
  refuse_other_than("dialect", options.dialect, sql_dialects());
  refuse_other_than("module", options.module, javascript_modules());
  if (!is_identifier(options.name)) {
    throw Error(ErrorKind::usage, fmt::format("option 'name' can't be '{}'", options.name), {},
                "expected letters, digits and underscores, no digit first");
  }
}

LoweredTree exported_tree(LoweredTree tree) {
  std::vector<bool> used = inputs_in_use(tree);
  if (std::find(used.begin(), used.end(), true) == used.end() && !used.empty()) used[0] = true;
  Renumbering(used).apply(tree);
  std::vector<LoweredInput> inputs;
  for (size_t f = 0; f < used.size(); ++f) {
    if (used[f]) inputs.push_back(std::move(tree.inputs[f]));
  }
  tree.inputs = std::move(inputs);
  return tree;
}

std::string export_tree(const LoweredTree& tree, const Exporter& exporter,
                        const ExportOptions& options) {
  std::vector<std::string> refused, cures;
  for (const Feature feature : features_of(tree)) {
    const auto& list = exporter.refused;
    if (std::find(list.begin(), list.end(), feature) == list.end()) continue;
    const FeatureRow& row = feature_row(feature);
    refused.push_back(row.name);
    if (!row.cure.empty() && std::find(cures.begin(), cures.end(), row.cure) == cures.end()) {
      cures.push_back(row.cure);
    }
  }
  if (!refused.empty()) {
    throw Error(ErrorKind::failure,
                fmt::format("{} cannot express: {}", exporter.name, join(refused, ", ")), {},
                join(cures, "; "));
  }
  return exporter.render(exported_tree(tree), options);
}

std::string export_features_table() {
  std::vector<std::string> header = {"feature"};
  for (const Exporter& exporter : exporters()) header.push_back(exporter.name);
  TextTable table(std::move(header));
  for (const FeatureRow& row : features()) {
    std::vector<std::string> cells = {row.name};
    for (const Exporter& exporter : exporters()) {
      const auto& list = exporter.refused;
      const bool refused = std::find(list.begin(), list.end(), row.feature) != list.end();
      cells.emplace_back(refused ? "-" : "yes");
    }
    table.add(std::move(cells));
  }
  return table.text();
}

std::vector<std::string> export_heading(const LoweredTree& tree, const ExportOptions& options) {
  const LoweredOrigin& origin = tree.origin;
  std::vector<std::string> lines;
  const std::string of = printable(tree.target.name);
  lines.push_back(fmt::format("{}: a decision tree that answers {} '{}' from {}.", options.name,
                              tree.is_classifier() ? "the class" : "the number", of,
                              shortened_list(shown_names(tree), 200)));
  lines.push_back(
      fmt::format("Written by Softwood {}; do not edit, export again.", origin.version));
  lines.push_back(origin.method.empty() ? fmt::format("Recipe: {}", printable(origin.recipe))
                                        : fmt::format("Method: {}; recipe: {}", origin.method,
                                                      printable(origin.recipe)));
  lines.push_back(fmt::format("Seed: {}; {} training rows with fingerprint {}.", origin.seed,
                              origin.rows, origin.fingerprint));
  lines.push_back("Size: " + size_text(tree) + ".");
  if (!tree.missing_marks.empty()) {
    std::vector<std::string> marks;
    for (const std::string& mark : tree.missing_marks) marks.push_back("'" + printable(mark) + "'");
    lines.push_back(fmt::format("Cells of {} count as missing, as in the training data.",
                                shortened_list(marks, 80)));
  }
  for (std::string& line : rule_lines(tree)) lines.push_back(std::move(line));
  return lines;
}

}  // namespace softwood::render
