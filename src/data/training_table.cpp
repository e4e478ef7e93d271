#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_set>

#include "base/text.h"
#include "data/convert.h"
#include "data/frame.h"
#include "data/missing_marks.h"
#include "data/readers/fault.h"
#include "softwood/error.h"

namespace softwood {
namespace {

// A numeric target with so many different whole values is taken for classes.
constexpr size_t most_numeric_classes = 10;

// "2024-05-31", with or without a time after it.
bool is_iso_date(std::string_view text) {
  constexpr std::string_view pattern = "0000-00-00";
  if (text.size() < pattern.size()) return false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (pattern[i] == '0' ? !digit : text[i] != pattern[i]) return false;
  }
  return true;
}

class Preparation {
 public:
  Preparation(Frame frame, const Roles& roles, const Control& control)
      : frame_(std::move(frame)), roles_(roles), control_(control) {}
  Prepared run();

 private:
  size_t index_of(const std::string& name, const std::string& role) const;
  void find_roles();
  void check_ordinal(const std::string& name, const std::vector<std::string>& levels) const;
  void keep_rows_with_target();
  void decide_task();
  void warn_of_data_as_header() const;
  void warn_of_number_texts(const FrameColumn& column) const;
  void warn_of_rare_classes(bool numbers) const;
  Cells<double> take_weights();
  void warn_of_weights(std::span<const double> weights) const;
  void add_feature(size_t column);
  void warn_of_stray_texts(const FrameColumn& column) const;
  bool is_identifier(const FrameColumn& column) const;
  bool is_named_nominal(const FrameColumn& column) const;
  void note_other_meaning(const FrameColumn& column) const;
  bool counts_rows(const FrameColumn& column) const;
  [[noreturn]] void fail(const std::string& message, const Advice& hint = {}) const {
    throw Error(ErrorKind::data, message, frame_.source, hint);
  }
  [[noreturn]] void fail_at(size_t row, const FrameColumn& column, const std::string& message,
                            const Advice& hint) const {
    throw Error(ErrorKind::data, message, place(frame_, row, column), hint);
  }

  Frame frame_;
  const Roles& roles_;
  const Control& control_;
  size_t target_ = 0;
  std::optional<size_t> weights_;
  std::vector<RowIndex> kept_;  // rows of the frame
  Schema schema_;
  std::vector<Column> inputs_;
};

Prepared Preparation::run() {
  if (frame_.columns.empty()) fail("there are no columns");
  if (frame_.rows == 0) fail("there are no rows");
  find_roles();
  keep_rows_with_target();
  decide_task();
  warn_of_data_as_header();
  Cells<double> weights = take_weights();
  for (size_t c = 0; c < frame_.columns.size(); ++c) {
    control_.throw_if_interrupted();
    if (c != target_ && c != weights_) add_feature(c);
  }
  FrameColumn& target = frame_.columns[target_];
  select_rows(target.cells, kept_);
  order_levels(target);
  schema_.target = {target.name, target.cells.kind, std::move(target.levels)};
  add_missing_marks(roles_.missing_marks, schema_);
  if (!roles_.positive.empty()) schema_.positive = positive_code(schema_, roles_.positive);
  const size_t rows = kept_.size();
  const size_t frame_rows = frame_.rows;
  return {Table(std::move(schema_), rows, std::move(inputs_), std::move(target.cells),
                std::move(weights)),
          std::move(kept_), frame_rows};
}

// A file without a header loses its first row to the names of the columns. Numbers that count the
// columns are names; others, and the name of a class instead of the target's, hardly are.
void Preparation::warn_of_data_as_header() const {
  const auto warn = [&](const std::string& why) {
    control_.warn({why + ": is the first line data?",
                   {AdviceCode::columns_get_names,
                    "read without a header it is, and the columns are named c1, c2, ..."}});
  };
  const FrameColumn& target = frame_.columns[target_];
  if (std::find(target.levels.begin(), target.levels.end(), target.name) != target.levels.end()) {
    return warn(fmt::format("the target is called {}, as one of its classes", shown(target.name)));
  }
  std::optional<double> before;
  for (const FrameColumn& column : frame_.columns) {
    double number = 0;
    if (!parse_number(column.name, number)) continue;
    if (number != std::floor(number) || (before && number != *before + 1)) {
      return warn(fmt::format("a column is called {}, a number", shown(column.name)));
    }
    before = number;
  }
}

size_t Preparation::index_of(const std::string& name, const std::string& role) const {
  std::vector<std::string> names;
  for (size_t c = 0; c < frame_.columns.size(); ++c) {
    if (frame_.columns[c].name == name) return c;
    names.push_back(frame_.columns[c].name);
  }
  fail(fmt::format("there is no column {} for the {}", shown(name), role),
       known_names_hint(name, names));
}

void Preparation::find_roles() {
  if (!roles_.weights.empty()) weights_ = index_of(roles_.weights, "weights");
  if (!roles_.target.empty()) {
    target_ = index_of(roles_.target, "target");
  } else {
    target_ = frame_.columns.size() - 1;
    if (target_ == weights_ && target_ > 0) --target_;
  }
  if (weights_ == target_) {
    fail("column " + shown(roles_.weights) + " can't be both target and weights");
  }
  for (const auto& [name, levels] : roles_.ordinal) check_ordinal(name, levels);
}

void Preparation::check_ordinal(const std::string& name,
                                const std::vector<std::string>& levels) const {
  const size_t column = index_of(name, "ordinal");
  if (column == target_) fail("the target " + shown(name) + " can't be ordinal");
  if (column == weights_) fail("the weights " + shown(name) + " can't be ordinal");
  const std::string hint = "give all its values from low to high, as in size=small:medium:large";
  if (levels.size() < 2)
    fail("the ordinal column " + shown(name) + " needs at least 2 values", hint);
  std::unordered_set<std::string_view> seen;
  for (const std::string& level : levels) {
    if (level.empty()) fail("an empty value for the ordinal column " + shown(name), hint);
    if (!seen.insert(level).second) {
      fail(
          fmt::format("value {} occurs twice for the ordinal column {}", shown(level), shown(name)),
          hint);
    }
  }
}

void Preparation::keep_rows_with_target() {
  const FrameColumn& target = frame_.columns[target_];
  each_block(frame_.rows, control_, [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) {
      if (!target.cells.is_missing(row)) kept_.push_back(static_cast<RowIndex>(row));
    }
  });
  if (kept_.empty()) fail("no row has a value of the target " + shown(target.name));
  const size_t left_out = frame_.rows - kept_.size();
  if (left_out > 0) {
    control_.warn(fmt::format("{} without a value of the target {} left out",
                              counted(left_out, "row"), shown(target.name)));
  }
}

bool Preparation::is_named_nominal(const FrameColumn& column) const {
  return std::find(roles_.nominal.begin(), roles_.nominal.end(), column.name) !=
         roles_.nominal.end();
}

void Preparation::decide_task() {
  FrameColumn& target = frame_.columns[target_];
  const std::string name = shown(target.name);
  if (is_named_nominal(target)) {
    make_nominal(target);
  } else if (target.cells.kind == Kind::nominal) {
    warn_of_number_texts(target);
    warn_of_stray_texts(target);
  }
  if (target.cells.kind != Kind::numeric) {
    if (roles_.task == Task::regression) {
      fail_at(kept_.front(), target,
              fmt::format("regression needs a numeric target, but {} has values such as {}", name,
                          shown(cell_text(target, kept_.front()))),
              {AdviceCode::leave_task_out, "leave the task out, or choose another target"});
    }
    warn_of_rare_classes(false);
    return;
  }
  if (roles_.task == Task::regression) return;
  if (roles_.task == Task::classification) {
    make_nominal(target);
    warn_of_rare_classes(true);
    return;
  }
  std::unordered_set<double> values;
  for (RowIndex row : kept_) {
    const double value = target.cells.numbers[row];
    if (value != std::floor(value)) return;
    values.insert(value);
    if (values.size() > most_numeric_classes) return;
  }
  control_.say(
      {fmt::format("target {} has {}: taken as classes", name,
                   counted(values.size(), "distinct whole value")),
       {AdviceCode::take_as_number, "as the target of a regression it is taken as a number"}});
  make_nominal(target);
}

// Hardly a class has a second row to learn it from. Where none has and nobody asked for classes,
// `softwood train` refuses the target.
void Preparation::warn_of_rare_classes(bool numbers) const {
  const FrameColumn& target = frame_.columns[target_];
  std::unordered_set<int32_t> classes;
  for (const RowIndex row : kept_) classes.insert(target.cells.codes[row]);
  const size_t rows = kept_.size();
  if (classes.size() < fewest_identifiers || 2 * classes.size() <= rows) return;
  if (classes.size() == rows && !roles_.task) return;
  const std::string message = fmt::format(
      "target {} has {} classes in {} rows: most classes have no second row to be "
      "learned from",
      shown(target.name), classes.size(), rows);
  control_.warn(numbers ? Note(message, {AdviceCode::take_as_number,
                                         "as the target of a regression it is taken as a number"})
                        : Note(message, "is it the right target?"));
}

Cells<double> Preparation::take_weights() {
  if (!weights_) return {};
  FrameColumn& column = frame_.columns[*weights_];
  schema_.weight = column.name;
  const std::string hint = "weights are finite numbers that are not negative";
  bool any = false;
  for (RowIndex row : kept_) {
    if (column.cells.is_missing(row)) fail_at(row, column, "the weight is missing", hint);
    if (column.cells.kind != Kind::numeric) {
      double ignored = 0;
      const std::string text = cell_text(column, row);
      if (!parse_number(text, ignored)) fail_at(row, column, shown(text) + " is no weight", hint);
      continue;
    }
    const double weight = column.cells.numbers[row];
    if (!std::isfinite(weight) || weight < 0) {
      fail_at(row, column, number_text(weight) + " is no weight", hint);
    }
    any = any || weight > 0;
  }
  if (column.cells.kind != Kind::numeric) {
    fail("the column of weights " + shown(column.name) + " is nominal", hint);
  }
  if (!any) fail("all weights in column " + shown(column.name) + " are zero", hint);
  select_rows(column.cells, kept_);
  warn_of_weights(column.cells.numbers);
  return column.cells.numbers;
}

// Weights count rows, so that a weight of 2 is the row twice. Those that were made for another
// purpose (to sum to 1, say) change what min-leaf and standard errors mean.
void Preparation::warn_of_weights(std::span<const double> weights) const {
  size_t rows = 0, copied = 0;
  bool whole = true;
  double sum = 0, least = std::numeric_limits<double>::infinity(), largest = 0;
  for (const double weight : weights) {
    if (weight == 0) continue;
    ++rows;
    whole = whole && weight == std::floor(weight);
    if (weight >= 2) ++copied;
    sum += weight;
    least = std::min(least, weight);
    largest = std::max(largest, weight);
  }
  const std::string name = shown(frame_.columns[*weights_].name);
  constexpr double few = 0.5;  // of the rows
  if (sum < few * static_cast<double>(rows)) {
    control_.warn({fmt::format("the weights {} sum to {} in {}: a weight counts rows, so this is "
                               "as little as {} to learn from",
                               name, short_number(sum), counted(rows, "row"),
                               sum == 1 ? "1 row" : short_number(sum) + " rows"),
                   "rescale them to a mean of 1"});
  } else if (least == largest && least != 1 && rows > 1) {
    control_.warn({fmt::format("every weight {} is {}: a weight counts rows, so every row counts "
                               "as {} rows",
                               name, short_number(least), short_number(least)),
                   "leave the weights out unless each row stands for so many"});
  } else if (constexpr double many = 0.1;  // of the rows
             whole && static_cast<double>(copied) > many * static_cast<double>(rows)) {
    control_.warn({fmt::format("{} of {} have a weight {} of 2 or more: each counts as copies, "
                               "which folds divide, so that cross-validated errors may be too low",
                               copied, counted(rows, "row"), name),
                   "where the weights do not count copies, divide them by their mean"});
  }
}

bool Preparation::is_identifier(const FrameColumn& column) const {
  if (is_named_nominal(column)) return false;
  std::vector<bool> seen(column.levels.size(), false);
  size_t known = 0;
  for (RowIndex row : kept_) {
    const int32_t code = column.cells.codes[row];
    if (code < 0) continue;
    if (seen[static_cast<size_t>(code)]) return false;
    seen[static_cast<size_t>(code)] = true;
    ++known;
  }
  return known >= fewest_identifiers;
}

// A few texts among numbers may be mistakes, and they make the column nominal: that must be said.
void Preparation::warn_of_stray_texts(const FrameColumn& column) const {
  constexpr size_t fewest_numbers = 10;  // for each text, and different ones
  std::vector<bool> is_number(column.levels.size());
  double ignored = 0;
  for (size_t i = 0; i < is_number.size(); ++i) {
    is_number[i] = parse_number(column.levels[i], ignored);
  }
  if (std::count(is_number.begin(), is_number.end(), true) < ptrdiff_t{fewest_numbers}) return;
  size_t numbers = 0;
  std::vector<RowIndex> texts;
  for (const RowIndex row : kept_) {
    const int32_t code = column.cells.codes[row];
    if (code < 0) continue;
    if (is_number[static_cast<size_t>(code)]) {
      ++numbers;
    } else {
      texts.push_back(row);
    }
  }
  if (texts.empty() || numbers < fewest_numbers * texts.size()) return;
  // So few different texts may stand for missing cells.
  constexpr size_t most_marks = 3;
  std::vector<std::string> marks;
  for (const RowIndex row : texts) {
    const std::string text = csv_cell(cell_text(column, row));
    if (std::find(marks.begin(), marks.end(), text) != marks.end()) continue;
    marks.push_back(text);
    if (marks.size() > most_marks) break;
  }
  const std::string named = marks.size() > most_marks ? "" : join(marks, ",");
  control_.warn(
      {fmt::format("column {} has {} and {}, first {} in {}: taken as categories",
                   shown(column.name), counted(numbers, "number"), counted(texts.size(), "text"),
                   shown(cell_text(column, texts.front())), frame_.row_name(texts.front())),
       {AdviceCode::declare_nominal,
        "correct the texts, leave the cells empty or declare the texts missing to have numbers; "
        "declare the column nominal if it is right",
        {named, csv_cell(column.name)}}});
}

// Numbers in a form that is not read as a number.
void Preparation::warn_of_number_texts(const FrameColumn& column) const {
  const auto all_levels = [&](bool (*is)(std::string_view)) {
    return !column.levels.empty() && std::all_of(column.levels.begin(), column.levels.end(), is);
  };
  const bool commas = all_levels(has_number_commas);
  if (!commas && !all_levels(has_number_signs)) return;
  control_.warn(fmt::format(
      "column {} looks like numbers with {}, such as {}, and is taken as {}: {}",
      shown(column.name), commas ? "commas" : "signs of percent or currency",
      shown(column.levels[0]), &column == &frame_.columns[target_] ? "classes" : "categories",
      number_hint(column.levels[0]).text));
}

void Preparation::note_other_meaning(const FrameColumn& column) const {
  const auto all_levels = [&](bool (*is)(std::string_view)) {
    return !column.levels.empty() && std::all_of(column.levels.begin(), column.levels.end(), is);
  };
  if (is_named_nominal(column) || roles_.ordinal.contains(column.name)) return;
  if (column.cells.kind == Kind::numeric) {
    if (!counts_rows(column)) return;
    control_.say(
        {fmt::format(
             "column {} looks like an identifier, whole numbers one after the other, each once",
             shown(column.name)),
         {AdviceCode::leave_column_out, "it can be left out"}});
    return;
  }
  warn_of_number_texts(column);
  if (all_levels(is_iso_date)) {
    control_.say(
        fmt::format("column {} looks like dates and is taken as categories: a tree learns more "
                    "from numbers, such as the year, the month or the days since a day",
                    shown(column.name)));
  }
}

// Whole numbers without a gap, each once.
bool Preparation::counts_rows(const FrameColumn& column) const {
  if (kept_.size() < fewest_identifiers) return false;
  double low = column.cells.numbers[kept_[0]];
  for (const RowIndex row : kept_) {
    const double value = column.cells.numbers[row];
    if (!(value == std::floor(value))) return false;  // nor a missing one
    low = std::min(low, value);
  }
  std::vector<bool> seen(kept_.size(), false);
  for (const RowIndex row : kept_) {
    const double place = column.cells.numbers[row] - low;
    if (!(place < static_cast<double>(seen.size())) || seen[static_cast<size_t>(place)]) {
      return false;
    }
    seen[static_cast<size_t>(place)] = true;
  }
  return true;
}

void Preparation::add_feature(size_t index) {
  FrameColumn& column = frame_.columns[index];
  note_other_meaning(column);
  if (is_named_nominal(column) && !roles_.ordinal.contains(column.name)) make_nominal(column);
  Feature feature{column.name, column.cells.kind, {}};
  Column cells;
  const auto ordinal = roles_.ordinal.find(column.name);
  if (ordinal != roles_.ordinal.end()) {
    feature.kind = Kind::ordinal;
    feature.levels = ordinal->second;
    cells = column_with_levels(column, feature.levels, Kind::ordinal, [&](size_t row) {
      fail_at(row, column, shown(cell_text(column, row)) + " is none of the values given for it",
              known_names_hint(cell_text(column, row), feature.levels));
    });
  } else {
    if (feature.kind == Kind::nominal && !is_named_nominal(column)) warn_of_stray_texts(column);
    if (feature.kind == Kind::nominal && is_identifier(column)) {
      control_.say(
          {fmt::format("column {} is left out: all its values are different", shown(column.name)),
           {AdviceCode::keep_column, "declared nominal it is kept"}});
      return;
    }
    order_levels(column);
    feature.levels = std::move(column.levels);
    cells = std::move(column.cells);
  }
  if (kept_.size() < frame_.rows) select_rows(cells, kept_);
  schema_.features.push_back(std::move(feature));
  inputs_.push_back(std::move(cells));
}

}  // namespace

Prepared training_table(Frame frame, const Roles& roles, const Control& control) {
  const StoppableWork work(control);
  return Preparation(std::move(frame), roles, control).run();
}

}  // namespace softwood
