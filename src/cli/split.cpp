#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/random.h"
#include "base/text.h"
#include "cli/common.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "data/content.h"
#include "data/convert.h"
#include "data/folds.h"
#include "data/readers/source.h"
#include "softwood/error.h"

namespace softwood {
namespace {

struct SplitOptions {
  DataOptions data;
  RunOptions run;
  std::string test = "0.3", group;
  std::vector<std::string> outputs;  // for training, for testing
};

double test_share(const SplitOptions& options) {
  double share = 0;
  if (parse_number(options.test, share) && share > 0 && share < 1) return share;
  throw Error(ErrorKind::usage, fmt::format("option '--test' can't be '{}'", options.test), {},
              "expected a share of the rows between 0 and 1, such as 0.3");
}

// The number of each row's group; rows without a group are groups of their own. Empty: there are no
// groups.
std::vector<uint32_t> groups_of(const Frame& frame, const std::string& name) {
  std::vector<uint32_t> groups;
  if (name.empty()) return groups;
  const FrameColumn* const column = frame.find(name);
  if (column == nullptr) {
    std::vector<std::string> names;
    for (const FrameColumn& known : frame.columns) names.push_back(known.name);
    throw Error(ErrorKind::usage, fmt::format("there is no column '{}' to group by", name),
                frame.source, known_names_hint(name, names));
  }
  std::map<std::string, uint32_t> numbers;
  uint32_t next = 0;
  for (size_t row = 0; row < frame.rows; ++row) {
    const std::string text = cell_text(*column, row);
    const auto [at, added] =
        text.empty() ? std::pair(numbers.end(), true) : numbers.emplace(text, next);
    groups.push_back(added ? next++ : at->second);
  }
  return groups;
}

// Where each line of a text begins, and its end.
std::vector<size_t> line_starts(std::string_view text) {
  std::vector<size_t> starts = {0};
  for (size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    starts.push_back(at + 1);
  }
  if (starts.back() != text.size()) starts.push_back(text.size());
  return starts;
}

// The lines of the rows as they stand in the file, under its first lines.
class RowTexts {
 public:
  RowTexts(std::string_view text, std::vector<size_t> first_lines)
      : text_(text), starts_(line_starts(text)), lines_(std::move(first_lines)) {}

  std::string_view header() const { return text_.substr(0, lines_.empty() ? 0 : begin(0)); }
  std::string row(size_t row) const {
    std::string text(lines(row));
    if (!text.ends_with('\n')) text += '\n';
    return text;
  }
  // The same wherever it stands in the file.
  std::string_view content(size_t row) const { return trim(lines(row)); }

 private:
  size_t begin(size_t row) const { return starts_[lines_[row] - 1]; }
  std::string_view lines(size_t row) const {
    const size_t end = row + 1 < lines_.size() ? begin(row + 1) : text_.size();
    return text_.substr(begin(row), end - begin(row));
  }

  std::string_view text_;
  std::vector<size_t> starts_;
  std::vector<size_t> lines_;  // counted from 1
};

// For each row of the table whether it is for testing. Groups are dealt out as one row of each is:
// the first in an order that does not depend on where rows stand. Rows that differ only in columns
// that are not in use, such as that of the groups, are ordered by their lines.
std::vector<char> tested_rows(const Prepared& prepared, const RowTexts& texts,
                              const std::vector<uint32_t>& groups, double share, uint64_t seed) {
  const auto in_file = [&](RowIndex row) {
    return prepared.kept_rows.empty() ? row : prepared.kept_rows[row];
  };
  std::vector<RowIndex> rows = all_rows(prepared.table);
  std::sort(rows.begin(), rows.end(), [&](RowIndex a, RowIndex b) {
    return texts.content(in_file(a)) < texts.content(in_file(b));
  });
  std::vector<RowIndex> dealt = rows;  // one of each group
  std::map<uint32_t, size_t> place;
  if (!groups.empty()) {
    dealt.clear();
    const uint64_t key = Random(seed, "groups").next();
    for (const uint32_t i : shuffled_by_content(prepared.table, rows, key)) {
      if (place.emplace(groups[in_file(rows[i])], dealt.size()).second) dealt.push_back(rows[i]);
    }
  }
  const std::vector<char> tested = stratified_part(prepared.table, dealt, share, seed);
  std::vector<char> result(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    result[rows[i]] = tested[groups.empty() ? i : place.at(groups[in_file(rows[i])])];
  }
  return result;
}

void drop_column(Frame& frame, const std::string& name) {
  std::erase_if(frame.columns, [&](const FrameColumn& column) { return column.name == name; });
}

void check_outputs(const SplitOptions& options) {
  if (options.outputs.size() != 2) {
    throw Error(ErrorKind::usage, "'data split' needs two files to write", {},
                "name them: -o train.csv test.csv");
  }
  if (options.outputs[0] == options.outputs[1]) {
    throw Error(ErrorKind::usage, "'-o' names the same file twice");
  }
  if (options.data.path == "-") {
    throw Error(ErrorKind::usage, "'data split' can't read standard input", {},
                "name a file: its lines are copied as they are");
  }
  for (const std::string& output : options.outputs) refuse_overwriting(output, {options.data.path});
}

void run_split(const SplitOptions& options) {
  Console console(options.run.quiet);
  const Control control = console.control();
  check_outputs(options);
  const double share = test_share(options);
  const Parallel parallel = options.run.parallel();
  Output train(options.outputs[0]), test(options.outputs[1]);
  Source source;
  Frame frame = options.data.read(parallel, &source);
  std::vector<size_t> lines;
  for (size_t row = 0; row < frame.rows; ++row) lines.push_back(frame.line(row));
  const RowTexts texts(source.bytes(), std::move(lines));
  const std::vector<uint32_t> groups = groups_of(frame, options.group);
  drop_column(frame, options.group);
  const Prepared prepared = training_table(std::move(frame), options.data.roles(), control);
  const std::vector<char> tested =
      tested_rows(prepared, texts, groups, share, static_cast<uint64_t>(options.run.seed));
  train.write(texts.header());
  test.write(texts.header());
  size_t count = 0;
  for (size_t row = 0; row < tested.size(); ++row) {
    count += tested[row] ? 1 : 0;
    (tested[row] ? test : train)
        .write(texts.row(prepared.kept_rows.empty() ? row : prepared.kept_rows[row]));
  }
  if (count == 0 || count == tested.size()) {
    throw Error(ErrorKind::data,
                fmt::format("{} of {} rows would be for testing", count, tested.size()),
                source_name(options.data.path), "choose another --test, or finer groups");
  }
  train.finish();
  test.finish();
  print(fmt::format("{}: {}\n{}: {}\n", options.outputs[0], counted(tested.size() - count, "row"),
                    options.outputs[1], counted(count, "row")));
}

}  // namespace

std::function<void()> declare_split(Arguments& arguments) {
  auto options = std::make_shared<SplitOptions>();
  arguments.pair("-o,--output", "TRAIN TEST", options->outputs,
                 "The two files to write; their lines are those of DATA.");
  arguments.text("--test", "SHARE", options->test, "Share of the rows for testing, default 0.3.");
  arguments.text("--group", "COLUMN", options->group,
                 "Rows that agree in this column stay together.");
  options->run.declare_seed(arguments);
  options->data.declare(arguments);
  arguments.group("Options");
  options->run.declare_threads(arguments);
  options->run.declare_quiet(arguments);
  return [options] { run_split(*options); };
}

}  // namespace softwood
