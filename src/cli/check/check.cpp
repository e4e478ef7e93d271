#include "cli/check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "base/text.h"
#include "softwood/error.h"
#include "use/evaluate.h"

namespace softwood {
namespace {

using render::Exactness;
using render::ExportOptions;

// Of probabilities, and of the range of a numeric target.
constexpr double largest_rounding = 1e-12;
constexpr size_t shown_differences = 5;

void append_cell(fmt::memory_buffer& text, const LoweredInput& input, double value,
                 const std::string* unknown) {
  const auto out = std::back_inserter(text);
  const std::string* level = unknown;
  if (level == nullptr && !std::isnan(value) && input.kind != InputKind::numeric) {
    level = &input.levels[static_cast<size_t>(value)];
  }
  if (level != nullptr) {
    text.push_back('t');
    for (const char byte : *level) fmt::format_to(out, "{:02x}", static_cast<uint8_t>(byte));
  } else if (std::isnan(value)) {
    text.push_back('m');
  } else {
    fmt::format_to(out, "n{:.17g}", value);
  }
  text.push_back('\n');
}

// The features of the schema that the export reads.
std::vector<uint32_t> exported_features(const Model& model, const LoweredTree& exported) {
  std::map<std::string, uint32_t> places;
  for (uint32_t f = 0; f < model.schema.features.size(); ++f) {
    places[model.schema.features[f].name] = f;
  }
  std::vector<uint32_t> features;
  for (const LoweredInput& input : exported.inputs) features.push_back(places.at(input.name));
  return features;
}

// One line of an answers file.
struct Answer {
  size_t class_code = 0;
  std::vector<double> numbers;
};

[[noreturn]] void refuse_answers(size_t row, std::string_view line) {
  throw Error(ErrorKind::failure,
              fmt::format("the export's answer for row {} is '{}'", row + 1, printable(line, 60)));
}

Answer parse_answer(std::string_view line, size_t row, bool classes) {
  Answer answer;
  for (const std::string_view word : split(line, ' ')) {
    if (!parse_number(word, answer.numbers.emplace_back())) refuse_answers(row, line);
  }
  if (!classes) return answer;
  const double code = answer.numbers[0];
  if (!(code >= 0 && code < static_cast<double>(answer.numbers.size()) - 1)) {
    refuse_answers(row, line);
  }
  answer.class_code = static_cast<size_t>(code);
  answer.numbers.erase(answer.numbers.begin());
  return answer;
}

// Compares answers row by row.
class Comparison {
 public:
  Comparison(const LoweredTree& tree, Exactness exactness, const ExportOptions& options,
             const Predictions& expected)
      : tree_(tree),
        exact_(exactness == Exactness::bits),
        single_(options.single_precision),
        options_(options),
        expected_(expected),
        unit_(tree.is_classifier() ? 1 : target_range()) {}

  void compare(size_t row, const Answer& answer) {
    const auto numbers = std::span(expected_.answers).subspan(row * expected_.width, width());
    if (answer.numbers.size() != width()) {
      throw Error(ErrorKind::failure,
                  fmt::format("the export answers {} numbers per row instead of {}",
                              answer.numbers.size(), width()));
    }
    ++result_.rows;
    bool same = true;
    for (size_t k = 0; k < width(); ++k) same &= compare_numbers(answer.numbers[k], numbers[k]);
    if (tree_.is_classifier()) same &= compare_classes(row, answer.class_code, numbers);
    if (same) return;
    ++result_.differing;
    if (result_.first_differences.size() < shown_differences) note(row, answer, numbers);
  }

  CheckResult take() { return std::move(result_); }

 private:
  size_t width() const { return expected_.width; }

  // Between the answers of nodes and of all rows.
  double target_range() const {
    double low = expected_.rows > 0 ? expected_.answers[0] : 0, high = low;
    const auto add = [&](double answer) {
      low = std::min(low, answer);
      high = std::max(high, answer);
    };
    for (const double answer : expected_.answers) add(answer);
    for (const LoweredNode& node : tree_.nodes) add(node.answer[0]);
    return high > low ? high - low : std::max(1.0, std::fabs(high));
  }

  bool compare_numbers(double answer, double exact_answer) {
    // In single precision the model's answer, rounded.
    const double expected =
        single_ ? static_cast<double>(static_cast<float>(exact_answer)) : exact_answer;
    if (std::bit_cast<uint64_t>(answer) == std::bit_cast<uint64_t>(expected)) return true;
    const double difference = std::fabs(answer - expected);
    if (!(difference / unit_ <= result_.largest_difference)) {
      result_.largest_difference = difference / unit_;
    }
    if (exact_) return false;
    // Of targets that are far from 0 only so many digits are there.
    const double last_digits =
        tree_.is_classifier() ? 0
                              : 4 * std::numeric_limits<double>::epsilon() * std::fabs(expected);
    return difference <= std::max(largest_rounding * unit_, last_digits);
  }

  size_t decided(size_t row) const {
    return answered_class(expected_, row, {options_.threshold_class, options_.threshold});
  }

  // Where two classes are equal but for rounding, an export that rounds may decide for either.
  bool compare_classes(size_t row, size_t answered, std::span<const double> probabilities) const {
    const size_t right = decided(row);
    if (answered == right) return true;
    if (exact_) return false;
    if (!std::isnan(options_.threshold)) {
      const double probability = probabilities[options_.threshold_class];
      return std::fabs(probability - options_.threshold) <= largest_rounding;
    }
    const double a = expected_loss(probabilities, answered),
                 b = expected_loss(probabilities, right);
    return a - b <= largest_rounding * std::max(1.0, std::fabs(b));
  }

  // Expected cost of an answer, or 1 minus its probability.
  double expected_loss(std::span<const double> probabilities, size_t answer) const {
    const std::vector<double>& costs = tree_.decision.costs;
    if (costs.empty()) return 1 - probabilities[answer];
    double cost = 0;
    for (size_t k = 0; k < width(); ++k) cost += probabilities[k] * costs[k * width() + answer];
    return cost;
  }

  void note(size_t row, const Answer& answer, std::span<const double> numbers) {
    const auto text = [&](size_t code, std::span<const double> all) {
      std::vector<std::string> words;
      if (tree_.is_classifier()) words.push_back(printable(tree_.target.classes[code], 30));
      for (size_t k = 0; k < std::min<size_t>(width(), 3); ++k) {
        words.push_back(number_text(all[k]));
      }
      return join(words, " ");
    };
    result_.first_differences.push_back(
        fmt::format("row {}: the model answers {}, the export {}", row + 1,
                    text(tree_.is_classifier() ? decided(row) : 0, numbers),
                    text(answer.class_code, answer.numbers)));
  }

  const LoweredTree& tree_;
  bool exact_, single_;
  const ExportOptions& options_;
  const Predictions& expected_;
  double unit_;
  CheckResult result_;
};

CheckResult compare_answers(const LoweredTree& exported, Exactness exactness,
                            const ExportOptions& options, const std::string& answers,
                            const Predictions& expected) {
  Comparison comparison(exported, exactness, options, expected);
  size_t row = 0;
  for (const std::string_view line : split(answers, '\n')) {
    if (line.empty()) continue;
    if (row == expected.rows) break;
    comparison.compare(row, parse_answer(line, row, exported.is_classifier()));
    ++row;
  }
  if (row != expected.rows) {
    throw Error(ErrorKind::failure,
                fmt::format("the export answered {} rows of {}", row, expected.rows));
  }
  return comparison.take();
}

}  // namespace

const char* const python_rows_source = R"(
def read_rows(path):
    with open(path, encoding="ascii") as file:
        rows, inputs = map(int, file.readline().split())
        columns = [[] for _ in range(inputs)]
        for row in range(rows):
            for column in columns:
                cell = file.readline().rstrip("\n")
                if cell == "m":
                    column.append(None)
                elif cell[0] == "n":
                    column.append(float(cell[1:]))
                else:
                    column.append(bytes.fromhex(cell[1:]).decode())
    return columns


def write_answers(path, classes, answers):
    with open(path, "w", encoding="ascii") as file:
        for row, answer in enumerate(answers):
            numbers = [repr(float(number)) for number in answer]
            if classes is not None:
                numbers.insert(0, str(int(classes[row])))
            file.write(" ".join(numbers) + "\n")
)";

std::span<const Checker> checkers() {
  static const std::vector<Checker> table = {
      {"c", check_c},
      {"cpp", check_cpp},
      {"java", check_java},
      {"javascript", check_javascript},
      {"python", check_python},
      {"sql", check_sql},
      {"onnx", check_onnx},
      {"pmml", check_pmml},
      {"dot", check_dot, false},
  };
  return table;
}

CheckRows check_rows(const Model& model, const LoweredTree& exported, const Table& given,
                     const UnknownCells& unknown, const Table& table, const Parallel& parallel) {
  const std::vector<uint32_t> features = exported_features(model, exported);
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), "{} {}\n", table.rows(), features.size());
  for (RowIndex row = 0; row < table.rows(); ++row) {
    for (size_t i = 0; i < features.size(); ++i) {
      const auto known = unknown.find({row, features[i]});
      append_cell(text, exported.inputs[i], given.input(features[i]).value(row),
                  known == unknown.end() ? nullptr : &known->second);
    }
  }
  return {table.rows(), fmt::to_string(text),
          predict(model.tree, table, all_rows(table), parallel)};
}

CheckResult check_export(const LoweredTree& exported, const render::Exporter& exporter,
                         const ExportOptions& options, const std::string& text,
                         const CheckRows& rows) {
  const auto all = checkers();
  const auto checker = std::find_if(
      all.begin(), all.end(), [&](const Checker& one) { return one.format == exporter.name; });
  if (checker == all.end()) {
    throw Error(ErrorKind::usage, fmt::format("there is no check of {}", exporter.name), {},
                "leave --check out");
  }
  const TemporaryFolder folder;
  CheckTask task{exported,
                 options,
                 folder.path(),
                 folder.file(options.name + exporter.extension),
                 {},
                 folder.file("rows.txt"),
                 folder.file("answers.txt")};
  write_file(task.file, text);
  if (exporter.header != nullptr) {
    task.header = folder.file(options.name + ".h");
    write_file(task.header, exporter.header(exported, options));
  }
  write_file(task.rows, rows.text);
  checker->run(task);
  if (!checker->answers) {
    CheckResult result;
    result.compared = false;
    return result;
  }
  const std::string answers = has_file(task.answers) ? read_file(task.answers) : "";
  return compare_answers(exported, exporter.exactness, options, answers, rows.expected);
}

}  // namespace softwood
