// The public face, include/softwood/softwood.h, on the library's own types.
#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "data/frame.h"
#include "softwood/softwood.h"
#include "study/files.h"
#include "study/train.h"
#include "tree/costs.h"
#include "render/renderer.h"
#include "render/text/paths.h"
#include "study/lowered.h"
#include "use/evaluate.h"

namespace softwood {

struct DataSet::Held {
  Table table;
};
struct TreeModel::Held {
  Model model;
};

namespace {

Control collect(std::vector<std::string>* notes) {
  Control control;
  if (notes != nullptr) control.note = [notes](const std::string& text) { notes->push_back(text); };
  return control;
}

Roles roles_of(const DataSettings& settings) {
  Roles roles;
  roles.target = settings.target;
  roles.weights = settings.weights;
  roles.ordinal = settings.ordinal;
  roles.nominal = settings.nominal;
  if (settings.task == task_name(Task::classification)) {
    roles.task = Task::classification;
  } else if (settings.task == task_name(Task::regression)) {
    roles.task = Task::regression;
  } else if (!settings.task.empty()) {
    throw Error(ErrorKind::usage, "there is no task '" + settings.task + "'", {},
                "known: classification, regression");
  }
  return roles;
}

std::vector<bool> used_by(const Model& model) {
  return features_used(model.tree, model.schema.features.size());
}

FrameColumn text_column(const std::string& name, const std::vector<std::string>& cells) {
  FrameColumn column{name, {}, {}};
  ColumnDraft draft(Kind::nominal);
  std::unordered_map<std::string_view, int32_t> codes;
  for (const std::string& cell : cells) {
    if (cell.empty()) {
      draft.codes.push_back(missing_code);
      ++draft.missing;
      continue;
    }
    const auto [entry, is_new] = codes.try_emplace(cell, static_cast<int32_t>(codes.size()));
    if (is_new) column.levels.push_back(cell);
    draft.codes.push_back(entry->second);
  }
  column.cells = std::move(draft);
  return column;
}

FrameColumn number_column(const std::string& name, const std::vector<double>& cells) {
  FrameColumn column;
  column.name = name;
  column.cells.numbers = cells;
  for (const double cell : cells) column.cells.missing += std::isnan(cell) ? 1 : 0;
  return column;
}

}  // namespace

DataColumns& DataColumns::number(std::string name, std::vector<double> cells) {
  columns_.push_back({std::move(name), false, std::move(cells), {}});
  return *this;
}

DataColumns& DataColumns::text(std::string name, std::vector<std::string> cells) {
  columns_.push_back({std::move(name), true, {}, std::move(cells)});
  return *this;
}

// A frame of a program's own columns.
struct FrameMaker {
  template <class AllColumns>
  static Frame make(const AllColumns& columns) {
    Frame frame;
    frame.source = "columns";
    for (const auto& column : columns) {
      const size_t rows = column.is_text ? column.texts.size() : column.numbers.size();
      if (!frame.columns.empty() && rows != frame.rows) {
        throw Error(ErrorKind::data, "column '" + column.name + "' has " + std::to_string(rows) +
                                         " cells, the others have " + std::to_string(frame.rows));
      }
      frame.rows = rows;
      if (frame.find(column.name) != nullptr) {
        throw Error(ErrorKind::data, "two columns are named '" + column.name + "'");
      }
      frame.columns.push_back(column.is_text ? text_column(column.name, column.texts)
                                             : number_column(column.name, column.numbers));
    }
    return frame;
  }
};

namespace {

// What the readers check in files: the settings are about columns that are there.
void check_columns(const Frame& frame, const DataSettings& settings) {
  std::vector<std::string> names;
  for (const FrameColumn& column : frame.columns) names.push_back(column.name);
  for (const auto* list : {&settings.nominal, &settings.numeric, &settings.ignore}) {
    for (const std::string& name : *list) {
      if (frame.find(name) != nullptr) continue;
      throw Error(ErrorKind::data, "there is no column '" + name + "'", {},
                  known_names_hint(name, names));
    }
  }
  for (const std::string& name : settings.numeric) {
    if (frame.find(name)->cells.kind == Kind::numeric) continue;
    throw Error(ErrorKind::data, "column '" + name + "' is text, not numbers", {},
                "add it with DataColumns::number");
  }
}

}  // namespace

DataSet DataSet::read(const std::string& path, const DataSettings& settings,
                      std::vector<std::string>* notes) {
  ReadOptions options;
  options.header = settings.header;
  options.nominal = settings.nominal;
  options.numeric = settings.numeric;
  options.ignore = settings.ignore;
  for (const auto& [name, levels] : settings.ordinal) options.ordinal.push_back(name);
  options.weights = settings.weights;
  Frame frame = read_frame(path, options, Parallel(0));
  Prepared prepared = training_table(std::move(frame), roles_of(settings), collect(notes));
  return DataSet(std::make_shared<const Held>(Held{std::move(prepared.table)}));
}

DataSet DataSet::from(const DataColumns& columns, const DataSettings& settings,
                      std::vector<std::string>* notes) {
  Frame frame = FrameMaker::make(columns.columns_);
  check_columns(frame, settings);
  std::erase_if(frame.columns, [&](const FrameColumn& column) {
    return std::find(settings.ignore.begin(), settings.ignore.end(), column.name) !=
           settings.ignore.end();
  });
  Prepared prepared = training_table(std::move(frame), roles_of(settings), collect(notes));
  return DataSet(std::make_shared<const Held>(Held{std::move(prepared.table)}));
}

DataSet DataSet::read_with(const Schema& schema, const std::string& path, bool need_target,
                           std::vector<std::string>* notes, const std::vector<bool>& needed) {
  Frame frame = read_frame(path, read_options_for(schema, need_target, needed), Parallel(0));
  return DataSet(std::make_shared<const Held>(
      Held{table_for(std::move(frame), schema, need_target, collect(notes), needed)}));
}

DataSet DataSet::read_for(const TreeModel& model, const std::string& path,
                          std::vector<std::string>* notes) {
  return read_with(model.held_->model.schema, path, false, notes, used_by(model.held_->model));
}

DataSet DataSet::read_to_evaluate(const TreeModel& model, const std::string& path,
                                  std::vector<std::string>* notes) {
  return read_with(model.held_->model.schema, path, true, notes, used_by(model.held_->model));
}

DataSet DataSet::read_like(const DataSet& data, const std::string& path,
                           std::vector<std::string>* notes) {
  return read_with(data.held_->table.schema(), path, true, notes, {});
}

DataSet DataSet::from_for(const TreeModel& model, const DataColumns& columns,
                          std::vector<std::string>* notes) {
  Frame frame = FrameMaker::make(columns.columns_);
  const Model& held = model.held_->model;
  return DataSet(std::make_shared<const Held>(
      Held{table_for(std::move(frame), held.schema, false, collect(notes), used_by(held))}));
}

size_t DataSet::rows() const { return held_->table.rows(); }

std::vector<std::string> DataSet::inputs() const {
  std::vector<std::string> names;
  for (const Feature& feature : held_->table.schema().features) names.push_back(feature.name);
  return names;
}

std::vector<std::string> DataSet::classes() const { return held_->table.schema().target.levels; }

namespace {

std::vector<double> costs_by_name(const std::map<std::string, std::map<std::string, double>>& named,
                                  const Schema& schema) {
  const auto code_of = [&](const std::string& name) {
    const int32_t code = schema.target.level_code(name);
    if (code >= 0) return static_cast<size_t>(code);
    throw Error(ErrorKind::usage, "costs: there is no class '" + name + "'", {},
                classes_hint(schema));
  };
  refuse_numbers(schema, "costs");
  const size_t classes = schema.classes();
  std::vector<double> costs(classes * classes, 1.0);
  for (size_t k = 0; k < classes; ++k) costs[k * classes + k] = 0;
  for (const auto& [truth, answers] : named) {
    for (const auto& [answer, cost] : answers) {
      costs[code_of(truth) * classes + code_of(answer)] = cost;
    }
  }
  const std::string fault = fault_of_costs(costs, schema.target.levels);
  if (!fault.empty()) throw Error(ErrorKind::usage, "costs: " + fault);
  return costs;
}

ClassCosts class_costs_of(const TrainSettings& settings, const Schema& schema) {
  ClassCosts class_costs;
  if (!settings.class_weights.empty() && !settings.priors.empty()) {
    throw Error(ErrorKind::usage, "class_weights and priors can't be given together");
  }
  const auto named = [](const std::map<std::string, double>& numbers) {
    return NamedNumbers(numbers.begin(), numbers.end());
  };
  if (!settings.class_weights.empty()) {
    class_costs.classes = weights_by_class(named(settings.class_weights), schema, "class_weights");
  }
  if (!settings.priors.empty()) {
    class_costs.classes = priors_by_class(named(settings.priors), schema, "priors");
  }
  if (!settings.costs.empty()) class_costs.costs = costs_by_name(settings.costs, schema);
  return class_costs;
}

}  // namespace

TreeModel train(const DataSet& data, const TrainSettings& settings) {
  TrainRequest request;
  if (settings.recipe.empty()) request.method = settings.method;
  request.recipe =
      Recipe::parse(settings.recipe.empty() ? find_method(settings.method).recipe : settings.recipe,
                    settings.settings);
  request.seed = settings.seed;
  request.class_costs = class_costs_of(settings, data.held_->table.schema());
  if (settings.validation != nullptr) request.validation = &settings.validation->held_->table;
  TrainOutcome outcome = train(data.held_->table, request, Parallel(settings.threads), {});
  return TreeModel(
      std::make_shared<const TreeModel::Held>(TreeModel::Held{std::move(outcome.model)}));
}

TreeModel TreeModel::load(const std::string& path) {
  return TreeModel(
      std::make_shared<const Held>(Held{model_from_text(read_model_text(path), path)}));
}

TreeModel TreeModel::from_text(const std::string& text) {
  return TreeModel(std::make_shared<const Held>(Held{model_from_text(text, "model")}));
}

void TreeModel::save(const std::string& path) const {
  FileOutput output(path);
  output.write(text());
  output.finish();
}

std::string TreeModel::text() const { return model_to_text(held_->model); }

bool TreeModel::is_classifier() const { return held_->model.schema.task() == Task::classification; }
std::vector<std::string> TreeModel::classes() const { return held_->model.schema.target.levels; }
size_t TreeModel::nodes() const { return shape_of(held_->model.tree).nodes; }
size_t TreeModel::leaves() const { return shape_of(held_->model.tree).leaves; }
size_t TreeModel::depth() const { return shape_of(held_->model.tree).depth; }

namespace {

// Columns of other data would be read as if they were the model's.
void check_same_columns(const Model& model, const Table& table) {
  if (!(model.schema.features == table.schema().features)) {
    throw Error(ErrorKind::data, "the data do not have the model's columns and levels", {},
                "read them with DataSet::read_for or DataSet::from_for");
  }
}

Predictions answers(const Model& model, const Table& table) {
  check_same_columns(model, table);
  return softwood::predict(model.tree, table, all_rows(table), Parallel(0));
}

}  // namespace

std::vector<std::string> TreeModel::predict_class(const DataSet& data) const {
  if (!is_classifier()) {
    throw Error(ErrorKind::usage, "the model predicts a number, not a class", {}, "use predict");
  }
  const Predictions predictions = answers(held_->model, data.held_->table);
  std::vector<std::string> names(predictions.rows);
  for (size_t i = 0; i < names.size(); ++i) {
    names[i] = held_->model.schema.target.levels[predictions.top_class(i)];
  }
  return names;
}

std::vector<double> TreeModel::predict(const DataSet& data) const {
  return answers(held_->model, data.held_->table).answers;
}

std::vector<std::string> TreeModel::explain(const DataSet& data) const {
  const Table& table = data.held_->table;
  check_same_columns(held_->model, table);
  const std::vector<RowIndex> rows = all_rows(table);
  const std::vector<NodeIndex> ends = predict_nodes(held_->model.tree, table, rows, Parallel(0));
  render::PathTexts texts(held_->model);
  std::vector<std::string> lines;
  lines.reserve(rows.size());
  for (const RowIndex row : rows) lines.push_back(texts.text(ends[row], table, row));
  return lines;
}

std::map<std::string, double> TreeModel::evaluate(const DataSet& data) const {
  const Table& table = data.held_->table;
  if (!table.has_target() || !(table.schema().target == held_->model.schema.target)) {
    throw Error(ErrorKind::data, "the data do not have the model's target", {},
                "read them with DataSet::read_to_evaluate");
  }
  const Model& model = held_->model;
  const size_t majority = training_majority(model.tree, model.provenance.class_weights);
  const Predictions predictions = answers(model, table);
  std::map<std::string, double> figures;
  for (const auto& [name, value] : evaluation_figures(
           softwood::evaluate(predictions, table, all_rows(table), majority, missing_number))) {
    figures[name] = value;
  }
  return figures;
}

std::string TreeModel::show() const { return render::tree_text(lowered_with_recipe(held_->model)); }
std::string TreeModel::rules() const { return render::rules_text(lowered_with_recipe(held_->model)); }

}  // namespace softwood
