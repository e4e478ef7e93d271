#include "softwood/data.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
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

void check_levels(const std::string& column, const std::vector<std::string>& levels) {
  std::unordered_set<std::string_view> seen;
  for (const std::string& level : levels) {
    if (level.empty()) {
      throw Error(ErrorKind::data, "an empty level is given for column " + shown(column), {},
                  "empty text is a missing cell");
    }
    if (!seen.insert(level).second) {
      throw Error(ErrorKind::data, fmt::format("level {} is given twice for column {}",
                                               shown(level), shown(column)));
    }
  }
}

// Gives columns the levels that the caller has fixed.
void fix_levels(Frame& frame, const DataSettings& settings) {
  for (const auto& [name, levels] : settings.levels) {
    FrameColumn& column = named_column(frame, name);
    check_levels(name, levels);
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

// The column that is the target where nobody names one: the last, but for the weights and those
// that are left out.
std::string default_target(const Frame& frame, const DataSettings& settings) {
  for (size_t c = frame.columns.size(); c-- > 0;) {
    const std::string& name = frame.columns[c].name;
    if (name != settings.weights && !contains(settings.ignore, name)) return name;
  }
  return {};
}

// Columns whose levels stay texts, also where all of them are numbers.
std::vector<std::string> texts_of(const DataColumns& columns, const DataSettings& settings) {
  std::vector<std::string> names = settings.nominal;
  for (const auto& [name, levels] : settings.ordinal) names.push_back(name);
  for (const auto& [name, levels] : settings.levels) names.push_back(name);
  for (const ColumnView& view : columns.columns()) {
    if (view.ordered) names.push_back(view.name);
  }
  return names;
}

// The settings with what the columns say about themselves: roles, and orders of levels.
DataSettings with_declared(const DataColumns& columns, const Frame& frame, DataSettings settings) {
  if (!columns.target_name().empty()) settings.target = columns.target_name();
  if (!columns.weights_name().empty()) settings.weights = columns.weights_name();
  const std::string target =
      settings.target.empty() ? default_target(frame, settings) : settings.target;
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

// What data are used for: which inputs are read.
enum class Use {
  predict,   // those that the model asks about, and no target
  evaluate,  // those must be there; the others are read where they are
  learn      // all
};

// `used` are the inputs that the model asks about; all where there is no model.
DataSet apply(Frame frame, const Schema& schema, const std::vector<bool>& used, Use use,
              NoteList* notes) {
  std::unordered_set<std::string_view> there;
  for (const FrameColumn& column : frame.columns) there.insert(column.name);
  std::vector<bool> needed = used;
  for (size_t f = 0; use == Use::evaluate && f < used.size(); ++f) {
    if (there.contains(schema.features[f].name)) needed[f] = true;
  }
  std::vector<bool> absent = needed;
  absent.flip();
  UnknownCells unknown;
  Table table =
      table_for(std::move(frame), schema, use != Use::predict, collect(notes), needed, &unknown);
  return data_set(std::move(table), std::move(absent), std::move(unknown));
}

DataSet read_with(const Schema& schema, const std::string& path, const std::vector<bool>& used,
                  Use use, NoteList* notes) {
  const ReadOptions options =
      use == Use::predict ? read_options_for(schema, false, used) : read_options_for(schema, true);
  return apply(read_frame(path, options, schema.missing_marks, Parallel(0)), schema, used, use,
               notes);
}

// The columns that are of use; what is in others is no concern of the model. Separate arrays of
// target and weights get the names that the schema has for them.
Frame frame_with(const DataColumns& columns, const Schema& schema, const std::vector<bool>& used,
                 Use use, NoteList* notes) {
  std::unordered_set<std::string_view> wanted;
  for (size_t f = 0; f < schema.features.size(); ++f) {
    if (use != Use::predict || used[f]) wanted.insert(schema.features[f].name);
  }
  if (use != Use::predict) wanted.insert({schema.target.name, schema.weight});
  DataColumns kept;
  std::vector<std::string> others;
  for (ColumnView view : columns.columns()) {
    if (!view.name.empty() && view.name == columns.target_name()) {
      view.name = schema.target.name;
    } else if (!view.name.empty() && view.name == columns.weights_name()) {
      view.name = schema.weight;
    }
    if (wanted.contains(view.name)) {
      kept.add(std::move(view));
    } else {
      others.push_back(std::move(view.name));
    }
  }
  Frame frame = frame_of(kept, notes);
  if (frame.columns.empty()) frame.rows = columns.rows();
  frame.skipped = std::move(others);
  return frame;
}

DataSet take_with(Schema schema, const DataColumns& columns, const std::vector<bool>& used, Use use,
                  NoteList* notes) {
  // Weights count in evaluating, and in what is learned from now on, also where there were none
  // before.
  if (schema.weight.empty() && use != Use::predict) schema.weight = columns.weights_name();
  Frame frame = frame_with(columns, schema, used, use, notes);
  mark_missing(frame, schema.missing_marks, read_options_for(schema, true).nominal);
  return apply(std::move(frame), schema, used, use, notes);
}

}  // namespace

DataColumns DataColumns::read(const std::string& path, const DataSettings& settings) {
  return at_border([&] {
    return columns_of(read_frame(path, read_options(settings), settings.missing, Parallel(0)));
  });
}

DataColumns& DataColumns::add(ColumnView column) {
  return at_border([&]() -> DataColumns& {
    columns_.push_back(std::move(column));
    return *this;
  });
}

DataColumns& DataColumns::target(ColumnView column) {
  at_border([&] { target_ = column.name; });
  return add(std::move(column));
}

DataColumns& DataColumns::weights(ColumnView column) {
  at_border([&] { weights_ = column.name; });
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
    Frame frame = frame_of(columns, notes);
    mark_missing(frame, given.missing, texts_of(columns, given));
    const DataSettings settings = with_declared(columns, frame, given);
    check_columns(frame, settings);
    std::erase_if(frame.columns, [&](const FrameColumn& column) {
      return contains(settings.ignore, column.name);
    });
    return prepared(std::move(frame), settings, notes);
  });
}

DataSet DataSet::read_for(const TreeModel& model, const std::string& path, NoteList* notes) {
  const TreeModel::Held& held = model.held();
  return at_border(
      [&] { return read_with(held.model.schema, path, held.used, Use::predict, notes); });
}

DataSet DataSet::from_for(const TreeModel& model, const DataColumns& columns, NoteList* notes) {
  const TreeModel::Held& held = model.held();
  return at_border(
      [&] { return take_with(held.model.schema, columns, held.used, Use::predict, notes); });
}

DataSet DataSet::read_to_evaluate(const TreeModel& model, const std::string& path,
                                  NoteList* notes) {
  const TreeModel::Held& held = model.held();
  return at_border(
      [&] { return read_with(held.model.schema, path, held.used, Use::evaluate, notes); });
}

DataSet DataSet::from_to_evaluate(const TreeModel& model, const DataColumns& columns,
                                  NoteList* notes) {
  const TreeModel::Held& held = model.held();
  return at_border(
      [&] { return take_with(held.model.schema, columns, held.used, Use::evaluate, notes); });
}

DataSet DataSet::read_like(const DataSet& data, const std::string& path, NoteList* notes) {
  const Schema& schema = data.held().table.schema();
  return at_border([&] { return read_with(schema, path, {}, Use::learn, notes); });
}

DataSet DataSet::from_like(const DataSet& data, const DataColumns& columns, NoteList* notes) {
  const Schema& schema = data.held().table.schema();
  return at_border([&] { return take_with(schema, columns, {}, Use::learn, notes); });
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
