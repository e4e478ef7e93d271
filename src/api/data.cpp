#include "softwood/data.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/border.h"
#include "api/columns.h"
#include "api/held.h"
#include "base/text.h"
#include "data/convert.h"
#include "data/frame.h"
#include "data/missing_marks.h"
#include "data/readers/fault.h"

namespace softwood {
namespace {

Control collect(NoteList* notes) {
  Control control;
  if (notes != nullptr) control.note = [notes](const Note& note) { notes->push_back(note); };
  return control;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Roles roles_of(const DataSettings& settings) {
  Roles roles;
  roles.target = settings.target;
  roles.weights = settings.weights;
  roles.ordinal = settings.ordinal;
  roles.nominal = settings.nominal;
  roles.positive = settings.positive;
  roles.missing_marks = settings.missing;
  for (const auto& [name, levels] : settings.levels) roles.nominal.push_back(name);
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

FrameColumn& named_column(Frame& frame, const std::string& name) {
  std::vector<std::string> names;
  for (FrameColumn& column : frame.columns) {
    if (column.name == name) return column;
    names.push_back(column.name);
  }
  throw Error(ErrorKind::data, fmt::format("there is no column {}", shown(name)), {},
              known_names_hint(name, names));
}

// What the readers check in files: the settings are about columns that are there.
void check_columns(Frame& frame, const DataSettings& settings) {
  for (const auto* list : {&settings.nominal, &settings.numeric, &settings.ignore}) {
    for (const std::string& name : *list) named_column(frame, name);
  }
  for (const std::string& name : settings.numeric) {
    if (named_column(frame, name).cells.kind == Kind::numeric) continue;
    throw Error(ErrorKind::data, "column " + shown(name) + " is text, not numbers");
  }
}

// Gives columns the levels that the caller has fixed.
void fix_levels(Frame& frame, const DataSettings& settings) {
  for (const auto& [name, levels] : settings.levels) {
    FrameColumn& column = named_column(frame, name);
    const FrameColumn& before = column;
    const std::vector<std::string>& known = levels;
    column.cells = column_with_levels(column, levels, Kind::nominal, [&](size_t row) {
      const std::string text = cell_text(before, row);
      throw Error(ErrorKind::data, shown(text) + " is none of the levels given for it",
                  place(frame, row, before), known_names_hint(text, known));
    });
    column.levels = levels;
    column.declared = true;
  }
}

DataSet prepared(Frame frame, const DataSettings& settings, NoteList* notes) {
  fix_levels(frame, settings);
  return data_set(training_table(std::move(frame), roles_of(settings), collect(notes)).table);
}

ReadOptions read_options(const DataSettings& settings) {
  ReadOptions options;
  options.header = settings.header;
  options.nominal = settings.nominal;
  options.numeric = settings.numeric;
  options.ignore = settings.ignore;
  for (const auto& [name, levels] : settings.ordinal) options.ordinal.push_back(name);
  options.weights = settings.weights;
  return options;
}

// The column that is the target where nobody names one: the last, but for the weights.
std::string default_target(const Frame& frame, const std::string& weights) {
  for (size_t c = frame.columns.size(); c-- > 0;) {
    if (frame.columns[c].name != weights) return frame.columns[c].name;
  }
  return {};
}

// The settings with what the columns say about themselves: roles, and orders of levels.
DataSettings with_declared(const DataColumns& columns, const Frame& frame, DataSettings settings) {
  if (!columns.target_name().empty()) settings.target = columns.target_name();
  if (!columns.weights_name().empty()) settings.weights = columns.weights_name();
  const std::string target =
      settings.target.empty() ? default_target(frame, settings.weights) : settings.target;
  for (size_t c = 0; c < frame.columns.size(); ++c) {
    const FrameColumn& column = frame.columns[c];
    const bool settled = column.name == target || column.levels.size() < 2 ||
                         contains(settings.nominal, column.name) ||
                         settings.levels.contains(column.name);
    if (columns.columns()[c].ordered && !settled) {
      settings.ordinal.try_emplace(column.name, column.levels);
    }
  }
  return settings;
}

DataSet apply(Frame frame, const Schema& schema, bool need_target, const std::vector<bool>& needed,
              NoteList* notes) {
  return data_set(table_for(std::move(frame), schema, need_target, collect(notes), needed));
}

DataSet read_with(const Schema& schema, const std::string& path, bool need_target,
                  const std::vector<bool>& needed, NoteList* notes) {
  Frame frame = read_frame(path, read_options_for(schema, need_target, needed),
                           schema.missing_marks, Parallel(0));
  return apply(std::move(frame), schema, need_target, needed, notes);
}

// The columns by the names that the schema has for target and weights: separate arrays have others.
DataColumns renamed(const DataColumns& columns, const Schema& schema) {
  DataColumns result;
  for (ColumnView view : columns.columns()) {
    if (view.name == columns.target_name()) view.name = schema.target.name;
    if (view.name == columns.weights_name() && !schema.weight.empty()) view.name = schema.weight;
    result.add(std::move(view));
  }
  return result;
}

DataSet take_with(const Schema& schema, const DataColumns& columns, bool need_target,
                  const std::vector<bool>& needed, NoteList* notes) {
  Frame frame = frame_of(renamed(columns, schema));
  mark_missing(frame, schema.missing_marks, read_options_for(schema, need_target, needed).nominal);
  return apply(std::move(frame), schema, need_target, needed, notes);
}

std::vector<bool> used_by(const Model& model) {
  return features_used(model.tree, model.schema.features.size());
}

}  // namespace

DataColumns DataColumns::read(const std::string& path, const DataSettings& settings) {
  return at_border([&] {
    return columns_of(read_frame(path, read_options(settings), settings.missing, Parallel(0)));
  });
}

DataColumns& DataColumns::add(ColumnView column) {
  columns_.push_back(std::move(column));
  return *this;
}

DataColumns& DataColumns::target(ColumnView column) {
  target_ = column.name;
  return add(std::move(column));
}

DataColumns& DataColumns::weights(ColumnView column) {
  weights_ = column.name;
  return add(std::move(column));
}

DataColumns& DataColumns::number(std::string name, std::vector<double> cells) {
  return at_border([&]() -> DataColumns& {
    const auto owner = std::make_shared<const std::vector<double>>(std::move(cells));
    return add({std::move(name), {chunk_of(*owner)}, owner});
  });
}

DataColumns& DataColumns::text(std::string name, const std::vector<std::string>& cells) {
  return at_border([&]() -> DataColumns& {
    const std::vector<std::string_view> views(cells.begin(), cells.end());
    const FrameColumn column = frame_column({name, {chunk_of(views)}, nullptr});
    return add(view_of(name, column.cells, column.levels));
  });
}

size_t DataColumns::rows() const {
  size_t rows = 0;
  if (!columns_.empty()) {
    for (const ColumnChunk& chunk : columns_.front().chunks) rows += chunk.rows;
  }
  return rows;
}

DataSet DataSet::read(const std::string& path, const DataSettings& settings, NoteList* notes) {
  return at_border([&] {
    return prepared(read_frame(path, read_options(settings), settings.missing, Parallel(0)),
                    settings, notes);
  });
}

DataSet DataSet::from(const DataColumns& columns, const DataSettings& given, NoteList* notes) {
  return at_border([&] {
    Frame frame = frame_of(columns);
    const DataSettings settings = with_declared(columns, frame, given);
    mark_missing(frame, settings.missing, settings.nominal);
    check_columns(frame, settings);
    std::erase_if(frame.columns, [&](const FrameColumn& column) {
      return contains(settings.ignore, column.name);
    });
    return prepared(std::move(frame), settings, notes);
  });
}

DataSet DataSet::read_for(const TreeModel& model, const std::string& path, NoteList* notes) {
  const Model& held = model.held().model;
  return at_border([&] { return read_with(held.schema, path, false, used_by(held), notes); });
}

DataSet DataSet::from_for(const TreeModel& model, const DataColumns& columns, NoteList* notes) {
  const Model& held = model.held().model;
  return at_border([&] { return take_with(held.schema, columns, false, used_by(held), notes); });
}

DataSet DataSet::read_to_evaluate(const TreeModel& model, const std::string& path,
                                  NoteList* notes) {
  const Model& held = model.held().model;
  return at_border([&] { return read_with(held.schema, path, true, used_by(held), notes); });
}

DataSet DataSet::from_to_evaluate(const TreeModel& model, const DataColumns& columns,
                                  NoteList* notes) {
  const Model& held = model.held().model;
  return at_border([&] { return take_with(held.schema, columns, true, used_by(held), notes); });
}

DataSet DataSet::read_like(const DataSet& data, const std::string& path, NoteList* notes) {
  const Schema& schema = data.held().table.schema();
  return at_border([&] { return read_with(schema, path, true, {}, notes); });
}

DataSet DataSet::from_like(const DataSet& data, const DataColumns& columns, NoteList* notes) {
  const Schema& schema = data.held().table.schema();
  return at_border([&] { return take_with(schema, columns, true, {}, notes); });
}

size_t DataSet::rows() const { return held_->table.rows(); }

std::vector<std::string> DataSet::inputs() const {
  return at_border([&] {
    std::vector<std::string> names;
    for (const Feature& feature : held_->table.schema().features) names.push_back(feature.name);
    return names;
  });
}

const std::string& DataSet::target() const { return held_->table.schema().target.name; }

std::vector<std::string> DataSet::classes() const {
  return at_border([&] { return held_->table.schema().target.levels; });
}

std::string DataSet::positive() const {
  return at_border([&] { return std::string(held_->table.schema().positive_class()); });
}

const std::vector<std::string>& DataSet::missing_marks() const {
  return held_->table.schema().missing_marks;
}

bool DataSet::is_classification() const {
  return held_->table.schema().task() == Task::classification;
}

std::vector<ColumnView> DataSet::input_columns() const {
  return at_border([&] {
    std::vector<ColumnView> views;
    const Table& table = held_->table;
    for (size_t f = 0; f < table.features(); ++f) {
      const Feature& feature = table.schema().features[f];
      views.push_back(view_of(feature.name, table.input(f), feature.levels));
    }
    return views;
  });
}

std::string DataSet::fingerprint() const {
  return at_border([&] { return held_->table.fingerprint(); });
}

}  // namespace softwood
