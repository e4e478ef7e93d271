#include "data/readers/columns.h"

#include <fmt/format.h>

#include <cstddef>
#include <exception>
#include <span>
#include <unordered_map>

#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/text.h"
#include "data/readers/fault.h"
#include "data/readers/number.h"
#include "softwood/error.h"

namespace softwood {
namespace {

std::vector<std::string> names_of(const std::vector<ColumnSpec>& specs) {
  std::vector<std::string> names;
  names.reserve(specs.size());
  for (const ColumnSpec& spec : specs) names.push_back(spec.name);
  return names;
}

}  // namespace

void check_names(const std::vector<ColumnSpec>& specs, const std::string& where,
                 const Advice& hint) {
  std::unordered_map<std::string_view, size_t> seen;
  for (size_t i = 0; i < specs.size(); ++i) {
    const std::string& name = specs[i].name;
    if (name.empty()) {
      throw Error(ErrorKind::data, fmt::format("column {} has no name", i + 1), where, hint);
    }
    const auto [first, is_new] = seen.emplace(name, i);
    if (is_new) continue;
    throw Error(
        ErrorKind::data,
        fmt::format("columns {} and {} are both named {}", first->second + 1, i + 1, shown(name)),
        where, hint);
  }
}

namespace {

void refuse_two_kinds(const ReadOptions& options, const std::string& file) {
  std::unordered_map<std::string_view, std::string_view> kinds;
  const auto settle = [&](const std::string& name, std::string_view kind) {
    const std::string_view before = kinds.emplace(name, kind).first->second;
    if (before == kind) return;
    throw Error(ErrorKind::data,
                fmt::format("column {} can't be {} and {}", shown(name), kind, before), file,
                "name it in one of the lists only");
  };
  for (const std::string& name : options.nominal) settle(name, "nominal");
  for (const std::string& name : options.ordinal) settle(name, "ordinal");
  for (const std::string& name : options.numeric) settle(name, "numeric");
  if (!options.weights.empty()) settle(options.weights, "numeric");
}

}  // namespace

std::vector<std::string> skipped_names(const std::vector<ColumnSpec>& specs) {
  std::vector<std::string> names;
  for (const ColumnSpec& spec : specs) {
    if (spec.use == Use::skip) names.push_back(spec.name);
  }
  return names;
}

void apply_options(std::vector<ColumnSpec>& specs, const ReadOptions& options,
                   const std::string& file) {
  std::unordered_map<std::string_view, ColumnSpec*> by_name;
  for (ColumnSpec& spec : specs) by_name.emplace(spec.name, &spec);

  const auto each = [&](const std::vector<std::string>& wanted, std::string_view role,
                        const std::function<void(ColumnSpec&)>& apply) {
    for (const std::string& name : wanted) {
      const auto found = by_name.find(name);
      if (found != by_name.end()) {
        apply(*found->second);
      } else if (!options.absent_columns_allowed) {
        throw Error(ErrorKind::data, fmt::format("no column {} to be {}", shown(name), role), file,
                    known_names_hint(name, names_of(specs)));
      }
    }
  };
  if (!options.only.empty()) {
    std::unordered_map<std::string_view, bool> wanted;
    for (const std::string& name : options.only) wanted.emplace(name, true);
    for (ColumnSpec& spec : specs) {
      if (!wanted.contains(spec.name)) spec.use = Use::skip;
    }
    each(options.only, "kept", [](ColumnSpec&) {});
  }
  refuse_two_kinds(options, file);
  const auto take_as_text = [](ColumnSpec& spec) {
    if (spec.use == Use::skip) return;
    spec.use = Use::text;
    spec.settled = true;
  };
  const auto take_as_numbers = [](ColumnSpec& spec) {
    if (spec.use == Use::skip) return;
    spec.use = Use::number;
    spec.closed = false;
    spec.declared.clear();
    spec.settled = true;
  };
  each(options.nominal, "nominal", take_as_text);
  each(options.ordinal, "ordinal", take_as_text);
  each(options.numeric, "numeric", take_as_numbers);
  if (!options.weights.empty()) each({options.weights}, "the weights", take_as_numbers);
  each(options.ignore, "ignored", [](ColumnSpec& spec) { spec.use = Use::skip; });
}

void ChunkWriter::cell(size_t column, size_t row, std::string_view text, const char* at,
                       bool lasting) {
  if (uses_[column] == Use::number) {
    number_cell(column, row, text, at);
  } else if (uses_[column] == Use::text) {
    text_cell(column, row, text, at, lasting);
  }
}

void ChunkWriter::number_cell(size_t column, size_t row, std::string_view text, const char* at) {
  ChunkColumn& found = found_[column];
  const std::string_view trimmed = trim(text);
  double& value = numbers_[column][row];
  if (is_missing_text(trimmed)) {
    value = missing_number;
    ++found.missing;
    return;
  }
  switch (read_number(trimmed, value)) {
    case NumberText::finite:
      return;
    case NumberText::infinite:
      if (found.infinite == nullptr) found.infinite = at;
      return;
    case NumberText::none:
      break;
  }
  const ColumnSpec& spec = filler_->specs_[column];
  if (spec.settled) {
    fail_at(filler_->source_, at, spec.name, shown(text) + " is not a number", number_hint(text));
  }
  found.has_text = true;
  uses_[column] = Use::skip;  // it will be read again as text
}

void ChunkWriter::text_cell(size_t column, size_t row, std::string_view text, const char* at,
                            bool lasting) {
  ChunkColumn& found = found_[column];
  int32_t& code = codes_[column][row];
  // A level that was declared is one even if it looks like a mark for missing cells.
  const LevelIndex* declared = filler_->declared_[column].get();
  if (declared != nullptr && (code = declared->find(text)) >= 0) return;
  if (is_missing_text(trim(text))) {
    code = missing_code;
    ++found.missing;
    return;
  }
  if (declared == nullptr) {
    code = lasting ? found.levels->code(text) : found.levels->code_of_copy(text);
    return;
  }
  const ColumnSpec& spec = filler_->specs_[column];
  fail_at(filler_->source_, at, spec.name, shown(text) + " is not one of the declared values",
          known_names_hint(text, spec.declared));
}

ColumnFiller::ColumnFiller(const Source& source, std::vector<ColumnSpec> specs,
                           std::vector<size_t> first_rows, const Parallel& parallel)
    : source_(source),
      specs_(std::move(specs)),
      first_rows_(std::move(first_rows)),
      parallel_(parallel),
      columns_(specs_.size()),
      drafts_(specs_.size()),
      declared_(specs_.size()),
      found_(chunks()) {
  check_row_count(first_rows_.back(), source_.name());
  for (size_t c = 0; c < specs_.size(); ++c) {
    columns_[c].name = specs_[c].name;
    if (!specs_[c].closed) continue;
    declared_[c] = std::make_unique<LevelIndex>();
    for (const std::string& level : specs_[c].declared) declared_[c]->code(level);
  }
  for (auto& found : found_) found.resize(specs_.size());
}

std::vector<FrameColumn> ColumnFiller::fill(const Parse& parse) {
  std::vector<size_t> columns;
  for (size_t c = 0; c < specs_.size(); ++c) {
    if (specs_[c].use != Use::skip) columns.push_back(c);
  }
  run_pass(parse, columns);
  const std::vector<size_t> late = turn_to_text(columns);
  for (size_t c : columns) {
    if (specs_[c].use == Use::number) check_finite(c);
  }
  if (!late.empty()) run_pass(parse, late);
  parallel_.each(columns.size(), [&](size_t i) { finish_column(columns[i]); });

  std::vector<FrameColumn> kept;
  kept.reserve(columns.size());
  for (size_t c : columns) kept.push_back(std::move(columns_[c]));
  return kept;
}

// A few bytes of a sparse file can stand for a row of very many cells.
void ColumnFiller::check_memory(const std::vector<size_t>& columns) const {
  uint64_t row_bytes = 0;
  for (const size_t c : columns) {
    row_bytes += specs_[c].use == Use::number ? sizeof(double) : sizeof(int32_t);
  }
  const uint64_t rows = first_rows_.back();
  if (rows == 0 || row_bytes <= most_memory() / rows) return;
  throw Error(ErrorKind::failure,
              fmt::format("there is no memory for {} rows of {} columns", rows, columns.size()),
              source_.name(), "use a part of it, or a machine with more memory");
}

void ColumnFiller::run_pass(const Parse& parse, const std::vector<size_t>& columns) {
  const size_t rows = first_rows_.back();
  check_memory(columns);
  ChunkWriter blank;
  blank.filler_ = this;
  blank.uses_.assign(specs_.size(), Use::skip);
  blank.numbers_.resize(specs_.size());
  blank.codes_.resize(specs_.size());
  parallel_.each(columns.size(), [&](size_t i) {
    const size_t c = columns[i];
    CellDraft& cells = drafts_[c];
    blank.uses_[c] = specs_[c].use;
    if (specs_[c].use == Use::number) {
      cells.numbers = zeros<double>(rows);
      blank.numbers_[c] = cells.numbers.get();
    } else {
      cells.codes = zeros<int32_t>(rows);
      blank.codes_[c] = cells.codes.get();
    }
  });

  std::vector<std::exception_ptr> errors(chunks());
  parallel_.each(chunks(), [&](size_t chunk) {
    ChunkWriter writer;
    writer.filler_ = blank.filler_;
    writer.uses_ = blank.uses_;
    writer.numbers_ = blank.numbers_;
    writer.codes_ = blank.codes_;
    writer.found_ = std::move(found_[chunk]);
    for (size_t c : columns) {
      writer.found_[c] = {};
      if (specs_[c].use == Use::text) writer.found_[c].levels = std::make_unique<LevelIndex>();
    }
    try {
      parse(chunk, writer);
    } catch (...) {
      errors[chunk] = std::current_exception();
    }
    found_[chunk] = std::move(writer.found_);
  });
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

std::vector<size_t> ColumnFiller::turn_to_text(const std::vector<size_t>& columns) {
  std::vector<size_t> turned;
  for (size_t c : columns) {
    bool has_text = false;
    for (const auto& found : found_) has_text |= found[c].has_text;
    if (!has_text) continue;
    specs_[c].use = Use::text;
    drafts_[c] = {};
    turned.push_back(c);
  }
  return turned;
}

void ColumnFiller::check_finite(size_t column) const {
  for (const auto& found : found_) {
    if (found[column].infinite == nullptr) continue;
    const char* const at = found[column].infinite;
    const std::string_view bytes = source_.bytes();
    const size_t from = source_.holds(at) ? static_cast<size_t>(at - bytes.data()) : 0;
    std::string_view text = bytes.substr(from);
    text.remove_prefix(std::min(text.find_first_not_of("\"' "), text.size()));
    text = text.substr(0, text.find_first_not_of("+-.0123456789abcdefghijklmnopqrstuvwxyz"
                                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
    fail_at(source_, at, specs_[column].name, shown(text) + " is infinite",
            "leave the cell empty if the value is unknown, or write a finite number");
  }
}

void ColumnFiller::finish_column(size_t column) {
  for (const auto& found : found_) drafts_[column].missing += found[column].missing;
  if (specs_[column].use == Use::text) {
    if (specs_[column].closed) {
      columns_[column].levels = specs_[column].declared;
      columns_[column].declared = true;
    } else {
      merge_levels(column);
    }
  }
  CellDraft& draft = drafts_[column];
  Column& cells = columns_[column].cells;
  const size_t rows = first_rows_.back();
  cells.kind = draft.codes != nullptr ? Kind::nominal : Kind::numeric;
  if (cells.kind == Kind::nominal) {
    cells.codes = {draft.codes.get(), rows, draft.codes};
  } else {
    cells.numbers = {draft.numbers.get(), rows, draft.numbers};
  }
  cells.missing = draft.missing;
  draft = {};
}

void ColumnFiller::merge_levels(size_t column) {
  LevelIndex all;
  int32_t* const codes = drafts_[column].codes.get();
  std::vector<int32_t> map;
  for (size_t chunk = 0; chunk < chunks(); ++chunk) {
    map.clear();
    bool same = true;
    for (std::string_view level : found_[chunk][column].levels->levels()) {
      map.push_back(all.code(level));
      same &= map.back() == static_cast<int32_t>(map.size() - 1);
    }
    if (same) continue;
    for (size_t row = first_rows_[chunk]; row < first_rows_[chunk + 1]; ++row) {
      if (codes[row] >= 0) codes[row] = map[static_cast<size_t>(codes[row])];
    }
  }
  columns_[column].levels.assign(all.levels().begin(), all.levels().end());
}

}  // namespace softwood
