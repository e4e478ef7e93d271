#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "base/text.h"
#include "data/convert.h"
#include "data/frame.h"
#include "data/readers/fault.h"
#include "data/truth.h"
#include "softwood/error.h"

namespace softwood {
namespace {

bool is_needed(const std::vector<bool>& needed, size_t feature) {
  return needed.empty() || needed[feature];
}

// Columns without a value. All that it gives share their cells, so that a model that asks about few
// of many inputs needs memory for those alone.
class MissingColumns {
 public:
  explicit MissingColumns(size_t rows) : rows_(rows) {}

  Column column(Kind kind) {
    Column column;
    column.kind = kind;
    column.missing = rows_;
    if (kind == Kind::numeric) {
      if (numbers_.size() != rows_) numbers_ = std::vector<double>(rows_, missing_number);
      column.numbers = numbers_;
    } else {
      if (codes_.size() != rows_) codes_ = std::vector<int32_t>(rows_, missing_code);
      column.codes = codes_;
    }
    return column;
  }

 private:
  size_t rows_;
  Cells<double> numbers_;
  Cells<int32_t> codes_;
};

// Counts cells that the schema does not know, for one note about all of them.
struct UnknownLevels {
  size_t cells = 0;
  std::vector<std::string> columns;
  std::string example;

  void add(const FrameColumn& column, size_t row) {
    if (cells++ == 0) example = shown(cell_text(column, row));
    if (columns.empty() || columns.back() != column.name) columns.push_back(column.name);
  }
  void warn(const Control& control) const {
    if (cells == 0) return;
    constexpr size_t most = 5;
    std::string names;
    for (size_t i = 0; i < columns.size() && i < most; ++i) {
      names += (i == 0 ? "" : ", ") + shown(columns[i]);
    }
    if (columns.size() > most) names += ", ...";
    control.warn(
        fmt::format("{} with a level that the model does not know, such as {}, taken as "
                    "missing (column {})",
                    counted(cells, "cell"), example, names));
  }
};

// A column of truth values as 0 and 1; nothing for other texts.
std::optional<Column> numbers_of_truth(const FrameColumn& column) {
  if (column.levels.empty()) return std::nullopt;
  std::vector<double> number_of;
  for (const std::string& level : column.levels) {
    const std::optional<bool> value = truth_of_word(level);
    if (!value) return std::nullopt;
    number_of.push_back(*value ? 1 : 0);
  }
  ColumnDraft result(Kind::numeric);
  result.numbers.reserve(column.cells.codes.size());
  for (const int32_t code : column.cells.codes) {
    result.numbers.push_back(code < 0 ? missing_number : number_of[static_cast<size_t>(code)]);
  }
  return result;
}

// All columns have the names that those of a file without a header get: c1, c2, ...
bool named_by_number(const Schema& schema) {
  return std::all_of(schema.features.begin(), schema.features.end(), [](const Feature& feature) {
    long number = 0;
    return feature.name.starts_with('c') && parse_integer(feature.name.substr(1), number) &&
           number > 0;
  });
}

class Application {
 public:
  Application(Frame frame, const Schema& schema, bool need_target, const Control& control,
              const std::vector<bool>& needed, UnknownCells* unknown_cells)
      : frame_(std::move(frame)),
        schema_(schema),
        need_target_(need_target),
        control_(control),
        needed_(needed),
        unknown_cells_(unknown_cells) {
    for (FrameColumn& column : frame_.columns) by_name_.emplace(column.name, &column);
  }
  Table run();

 private:
  FrameColumn* find(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }
  [[noreturn]] void fail_absent(const std::string& name, const std::string& role) const;
  [[noreturn]] void fail_at_text(const FrameColumn& column) const;
  Column take_input(size_t index);
  Column take_target();
  Cells<double> take_weights() const;
  void drop_rows_without_target(const FrameColumn& target);

  Frame frame_;
  const Schema& schema_;
  bool need_target_;
  const Control& control_;
  const std::vector<bool>& needed_;
  UnknownCells* unknown_cells_;
  std::unordered_map<std::string_view, FrameColumn*> by_name_;
  std::vector<RowIndex> kept_;
  UnknownLevels unknown_;
};

Table Application::run() {
  if (need_target_) {
    const FrameColumn* target = find(schema_.target.name);
    if (target == nullptr) fail_absent(schema_.target.name, "target");
    drop_rows_without_target(*target);
  }
  std::vector<Column> inputs;
  MissingColumns missing(frame_.rows);
  for (size_t f = 0; f < schema_.features.size(); ++f) {
    control_.throw_if_interrupted();
    inputs.push_back(is_needed(needed_, f) ? take_input(f)
                                           : missing.column(schema_.features[f].kind));
  }
  control_.throw_if_interrupted();
  unknown_.warn(control_);
  Cells<double> weights = take_weights();
  Column target = take_target();
  return Table(schema_, frame_.rows, std::move(inputs), std::move(target), std::move(weights));
}

void Application::fail_absent(const std::string& name, const std::string& role) const {
  // A column that the model has a use for is not the one that was meant.
  std::vector<std::string> names = frame_.skipped;
  for (const FrameColumn& column : frame_.columns) {
    const bool known =
        std::any_of(schema_.features.begin(), schema_.features.end(),
                    [&](const Feature& feature) { return feature.name == column.name; });
    if (!known) names.push_back(column.name);
  }
  const std::string message =
      fmt::format("the {} column {} of the model is not there", role, shown(name));
  if (named_by_number(schema_)) {
    throw Error(ErrorKind::data, message, frame_.source,
                {AdviceCode::first_line_is_data,
                 "the model was trained without a header: the first line may be data here, too",
                 {"the model was trained on data without a header; "}});
  }
  const std::string nearest = nearest_name(name, names);
  std::vector<std::string> wanted;
  for (size_t f = 0; f < schema_.features.size(); ++f) {
    if (is_needed(needed_, f)) wanted.push_back(schema_.features[f].name);
  }
  const std::string why = role == "target"
                              ? "the target is needed to compare the answers with"
                              : fmt::format("the model asks about {}", names_list(wanted));
  throw Error(ErrorKind::data, message, frame_.source,
              nearest.empty() ? why : fmt::format("did you mean '{}'?", nearest));
}

// A text in a column that the model knows as numeric.
void Application::fail_at_text(const FrameColumn& column) const {
  for (size_t row = 0; row < frame_.rows; ++row) {
    const std::string text = cell_text(column, row);
    double ignored = 0;
    if (text.empty() || parse_number(text, ignored)) continue;
    throw Error(ErrorKind::data, shown(text) + " is not a number", place(frame_, row, column),
                number_hint(text, "the model knows this column as numeric: "));
  }
  throw Error(ErrorKind::data,
              "column " + shown(column.name) + " is nominal, the model knows it as numeric",
              frame_.source);
}

void Application::drop_rows_without_target(const FrameColumn& target) {
  for (size_t row = 0; row < frame_.rows; ++row) {
    if (!target.cells.is_missing(row)) kept_.push_back(static_cast<RowIndex>(row));
  }
  if (kept_.size() == frame_.rows) return;
  if (kept_.empty()) {
    throw Error(ErrorKind::data, "no row has a value of the target " + shown(target.name),
                frame_.source);
  }
  control_.warn(fmt::format("{} without a value of the target {} left out",
                            counted(frame_.rows - kept_.size(), "row"), shown(target.name)));
  std::vector<size_t> lines;
  for (RowIndex row : kept_) lines.push_back(frame_.line(row));
  for (FrameColumn& column : frame_.columns) select_rows(column.cells, kept_);
  frame_.lines = std::move(lines);
  frame_.rows = kept_.size();
}

Column Application::take_input(size_t index) {
  const Feature& feature = schema_.features[index];
  FrameColumn* column = find(feature.name);
  if (column == nullptr) fail_absent(feature.name, "input");
  if (feature.kind != Kind::numeric) {
    return column_with_levels(*column, feature.levels, feature.kind, [&](size_t row) {
      unknown_.add(*column, row);
      if (unknown_cells_ == nullptr) return;
      const auto cell = std::pair(static_cast<RowIndex>(row), static_cast<uint32_t>(index));
      unknown_cells_->emplace(cell, cell_text(*column, row));
    });
  }
  if (column->cells.kind == Kind::numeric) return std::move(column->cells);
  if (std::optional<Column> numbers = numbers_of_truth(*column)) return std::move(*numbers);
  fail_at_text(*column);
}

Column Application::take_target() {
  Column none;
  none.kind = schema_.target.kind;
  if (!need_target_) return none;
  FrameColumn* column = find(schema_.target.name);
  if (schema_.task() == Task::regression) {
    if (column->cells.kind == Kind::numeric) return std::move(column->cells);
    fail_at_text(*column);
  }
  size_t unknown = 0;
  std::string example;
  // Classes made of numbers are named "1" also when the file says 1.0.
  Column target = column_with_levels(
      *column, schema_.target.levels, Kind::nominal,
      [&](size_t row) {
        if (unknown++ == 0) example = shown(cell_text(*column, row));
      },
      Compare::numbers);
  if (unknown > 0) {
    control_.warn(
        fmt::format("{} of a class that the model was not trained on, such as {}: they "
                    "count as errors of the model",
                    counted(unknown, "row"), example));
  }
  return target;
}

Cells<double> Application::take_weights() const {
  if (schema_.weight.empty() || !need_target_) return {};
  const FrameColumn* column = find(schema_.weight);
  if (column == nullptr) {
    control_.say(fmt::format(
        "the model was trained with weights from column {}, which is not there: every row counts 1",
        shown(schema_.weight)));
    return {};
  }
  if (column->cells.kind != Kind::numeric) fail_at_text(*column);
  for (size_t row = 0; row < frame_.rows; ++row) {
    const double weight = column->cells.numbers[row];
    if (std::isfinite(weight) && weight >= 0) continue;
    throw Error(
        ErrorKind::data,
        std::isnan(weight) ? "the weight is missing" : number_text(weight) + " is no weight",
        place(frame_, row, *column), "weights are finite numbers that are not negative");
  }
  return column->cells.numbers;
}

}  // namespace

ReadOptions read_options_for(const Schema& schema, bool need_target,
                             const std::vector<bool>& needed) {
  ReadOptions options;
  options.absent_columns_allowed = true;
  for (size_t f = 0; f < schema.features.size(); ++f) {
    if (!is_needed(needed, f)) continue;
    const Feature& feature = schema.features[f];
    options.only.push_back(feature.name);
    (feature.kind == Kind::numeric ? options.numeric : options.nominal).push_back(feature.name);
  }
  // A target or weights that make no sense are no reason to stop when nobody asks for them.
  if (!need_target) return options;
  options.only.push_back(schema.target.name);
  if (schema.target.kind != Kind::numeric) options.nominal.push_back(schema.target.name);
  if (!schema.weight.empty()) options.only.push_back(schema.weight);
  return options;
}

Table table_for(Frame frame, const Schema& schema, bool need_target, const Control& control,
                const std::vector<bool>& needed, UnknownCells* unknown) {
  return Application(std::move(frame), schema, need_target, control, needed, unknown).run();
}

}  // namespace softwood
