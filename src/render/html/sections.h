// The parts of the report. Each is a function that gives the body of a section, or nothing where
// the model or the data have nothing to show.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "render/html/markup.h"
#include "render/html/report.h"
#include "render/svg/plot.h"
#include "use/evaluate.h"

namespace softwood::render {

// What several sections need, found once.
struct ReportFacts {
  explicit ReportFacts(const ReportTask& task);

  const ReportTask& task;
  const LoweredTree& tree;
  // Inputs in use, as the script of the page numbers them: indices into tree.inputs.
  std::vector<uint32_t> inputs;
  std::vector<double> typical;  // by input of the tree; NaN: not known
  std::vector<RowIndex> all;    // rows of the data
  std::optional<Predictions> predictions;
  std::optional<Evaluation> evaluation;  // where the rows have a target
  std::optional<bool> training_rows;     // the data are those of the training
  std::vector<RowIndex> held;            // rows that the page holds, ascending
  std::vector<RowIndex> worst;           // of them, most wrong first

  bool has_target() const { return evaluation.has_value(); }
  bool is_shown(uint32_t input) const;  // its column was read
  // The rows that the page holds, as a table; none where it holds none.
  std::optional<Table> held_table() const;
  double wrongness(
      RowIndex row) const;  // 1 - probability of the class, or the size of the residual
  size_t number_of(RowIndex row) const { return task.options.row_number(row); }
};

// These rows of a table, in this order.
Table taken_rows(const Table& table, std::span<const RowIndex> rows);
// A picture of the model with these rows, or none.
std::string drawn(const ReportFacts& facts, std::string (*draw)(const PlotTask&), const Table* rows,
                  const PlotOptions& options = {});

struct Section {
  std::string id, title;
  std::string body;
};

// `left_out` says which sections there are none of, and why.
std::string summary_section(const ReportFacts& facts, const std::vector<std::string>& left_out);
std::string data_section(const ReportFacts& facts);
std::string tree_section(const ReportFacts& facts);
std::string rules_section(const ReportFacts& facts);
std::string ask_section(const ReportFacts& facts);
std::string importance_section(const ReportFacts& facts);
std::string evaluation_section(const ReportFacts& facts);
std::string errors_section(const ReportFacts& facts);
std::string pruning_section(const ReportFacts& facts);
std::string frontier_section(const ReportFacts& facts);
std::string regions_section(const ReportFacts& facts);
std::string gates_section(const ReportFacts& facts);

// What the script of the page works with.
Json page_data(const ReportFacts& facts);

// The whole file. `scripts` run in this order, after the page is there.
struct PageText {
  std::string title, subtitle;
  std::vector<Section> sections;
  Json data;
  std::vector<std::string> scripts;

  void add(const char* id, const char* heading, std::string body) {
    if (!body.empty()) sections.push_back({id, heading, std::move(body)});
  }
};
std::string page_text(const PageText& page);

// Texts of figures, as every section writes them.
std::string shown_share(double share);                   // "4.0 %"
std::string shown_figure(double value, int digits = 4);  // "–" where it is not defined
std::string figure_name(const std::string& key);         // "balanced_accuracy": "balanced accuracy"
std::string cell_of(const softwood::Feature& feature, const Column& column, RowIndex row);
// The target of a row; a class that the model does not know is not missing.
std::string observed_text(const Table& table, RowIndex row);
// "The data of this report are the rows that ... trained on."
std::string training_rows_text(const std::string& trained);
HtmlTable confusion_table(const Evaluation& evaluation);
// The value of a figure with its interval: "4.0 % (1.9 to 8.5)".
std::string with_interval(const Evaluation& evaluation, const std::string& name, double value);

}  // namespace softwood::render
