#include "cli/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "cli/console.h"
#include "cli/output.h"
#include "use/intervals.h"

namespace softwood {
namespace {

// A confusion matrix wider than this is for programs.
constexpr size_t most_classes_shown = 30;

// Weights of rows are whole numbers unless the data have weights.
Json json_count(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return static_cast<int64_t>(value);
  return json_number(value);
}

// "a", "b", ..., "z", "aa", "ab", ...
std::string letters(size_t number) {
  constexpr size_t alphabet = 26;
  const std::string last(1, static_cast<char>('a' + number % alphabet));
  return number < alphabet ? last : letters(number / alphabet - 1) + last;
}

// `across` are the names of the predicted classes, `down` those of the actual ones.
std::string confusion_text(const Evaluation& evaluation, const std::vector<std::string>& across,
                           const std::vector<std::string>& down) {
  const size_t k = evaluation.classes.size();
  std::vector<std::string> header = {"actual \\ predicted"};
  header.insert(header.end(), across.begin(), across.end());
  TextTable table(header);
  for (size_t actual = 0; actual < k; ++actual) {
    std::vector<std::string> row = {down[actual]};
    for (size_t predicted = 0; predicted < k; ++predicted) {
      row.push_back(short_number(evaluation.confusion[actual * k + predicted], 9));
    }
    table.add(row);
  }
  if (evaluation.unknown > 0) {
    std::vector<std::string> row = {"(unknown)"};
    for (const double weight : evaluation.unknown_answers) row.push_back(short_number(weight, 9));
    table.add(row);
  }
  return table.text();
}

// Classes across have letters when their names are too wide for the page, as in Weka.
std::string confusion_text(const Evaluation& evaluation) {
  const std::string named = confusion_text(evaluation, evaluation.classes, evaluation.classes);
  if (display_width(named.substr(0, named.find('\n'))) <= page_width()) return named;
  std::vector<std::string> across, down;
  for (const std::string& name : evaluation.classes) {
    across.push_back(letters(across.size()));
    down.push_back(fmt::format("{} = {}", across.back(), name));
  }
  return confusion_text(evaluation, across, down);
}

// "actual a, predicted b: 12 rows", the most frequent errors first.
std::string largest_confusions(const Evaluation& evaluation) {
  constexpr size_t most = 10;
  const size_t k = evaluation.classes.size();
  std::vector<size_t> errors;
  for (size_t i = 0; i < evaluation.confusion.size(); ++i) {
    if (i / k != i % k && evaluation.confusion[i] > 0) errors.push_back(i);
  }
  std::stable_sort(errors.begin(), errors.end(), [&](size_t a, size_t b) {
    return evaluation.confusion[a] > evaluation.confusion[b];
  });
  std::string text =
      fmt::format("{} classes: the confusion matrix is too wide to print, --json has it\n", k);
  if (errors.empty()) return text;
  TextTable table({"actual", "predicted", "rows"});
  for (size_t i = 0; i < std::min(most, errors.size()); ++i) {
    table.add({evaluation.classes[errors[i] / k], evaluation.classes[errors[i] % k],
               short_number(evaluation.confusion[errors[i]], 9)});
  }
  return text + fmt::format("{} of {} kinds of errors, the most frequent ones:\n{}",
                            std::min(most, errors.size()), errors.size(), table.text());
}

Json interval_json(const Interval& interval) {
  if (!std::isfinite(interval.low)) return nullptr;
  return Json::array({interval.low, interval.high});
}

Json averages_json(const ClassAverages& averages) {
  return {{"precision", json_number(averages.precision)},
          {"recall", json_number(averages.recall)},
          {"f1", json_number(averages.f1)},
          {"specificity", json_number(averages.specificity)}};
}

Json per_class_json(const Evaluation& evaluation) {
  Json list = Json::array();
  for (const ClassMeasures& measures : evaluation.per_class) {
    list.push_back({{"class", measures.name},
                    {"weight", json_count(measures.weight)},
                    {"precision", json_number(measures.precision)},
                    {"recall", json_number(measures.recall)},
                    {"f1", json_number(measures.f1)},
                    {"specificity", json_number(measures.specificity)},
                    {"intervals",
                     {{"precision", interval_json(measures.precision_interval)},
                      {"recall", interval_json(measures.recall_interval)},
                      {"specificity", interval_json(measures.specificity_interval)}}}});
  }
  return list;
}

Json intervals_json(const Evaluation& evaluation) {
  Json object;
  object["level"] = interval_level;
  for (const auto& [name, interval] : evaluation.intervals) object[name] = interval_json(interval);
  return object;
}

// A line for each class, then the averages.
std::string per_class_text(const Evaluation& evaluation) {
  const std::string count = evaluation.weighted_by.empty() ? "rows" : "weight";
  TextTable table({"class", count, "precision", "recall", "f1", "specificity"});
  const auto cell = [](double value) {
    return std::isfinite(value) ? fmt::format("{:.3f}", value) : std::string("-");
  };
  for (const ClassMeasures& measures : evaluation.per_class) {
    table.add({measures.name, short_number(measures.weight, 9), cell(measures.precision),
               cell(measures.recall), cell(measures.f1), cell(measures.specificity)});
  }
  for (const auto& [name, averages] :
       {std::pair{std::string("mean over classes"), evaluation.macro},
        std::pair{"mean by " + count, evaluation.weighted}}) {
    table.add({name, "", cell(averages.precision), cell(averages.recall), cell(averages.f1),
               cell(averages.specificity)});
  }
  return table.text();
}

// "  (0.013 to 0.083)"; empty: there is none.
std::string interval_text(const Evaluation& evaluation, const std::string& name) {
  for (const auto& [known, interval] : evaluation.intervals) {
    if (known != name || !std::isfinite(interval.low)) continue;
    return fmt::format("  ({} to {})", short_number(interval.low, 3),
                       short_number(interval.high, 3));
  }
  return {};
}

}  // namespace

std::string threshold_text(const ClassThreshold& threshold,
                           const std::vector<std::string>& classes) {
  return fmt::format("{} is predicted where its probability is at least {}", classes[threshold.of],
                     short_number(threshold.least, 6));
}

Json evaluation_json(const Evaluation& evaluation) {
  Json object;
  object["rows"] = evaluation.rows;
  object["weighted_by"] =
      evaluation.weighted_by.empty() ? Json(nullptr) : Json(evaluation.weighted_by);
  if (evaluation.threshold.is_given()) {
    object["threshold"] = evaluation.threshold.least;
    object["threshold_class"] = evaluation.classes[evaluation.threshold.of];
  }
  for (const auto& [name, value] : evaluation_figures(evaluation)) {
    object[name] = json_number(value);
  }
  if (evaluation.task == Task::regression) return object;
  const size_t k = evaluation.classes.size();
  Json confusion = Json::array();
  for (size_t actual = 0; actual < k; ++actual) {
    Json row = Json::array();
    for (size_t predicted = 0; predicted < k; ++predicted) {
      row.push_back(json_count(evaluation.confusion[actual * k + predicted]));
    }
    confusion.push_back(std::move(row));
  }
  object["confusion"] = std::move(confusion);
  object["classes"] = evaluation.classes;
  object["positive"] = k == 2 ? Json(evaluation.classes[evaluation.positive]) : Json(nullptr);
  object["per_class"] = per_class_json(evaluation);
  object["averages"] = {{"macro", averages_json(evaluation.macro)},
                        {"weighted", averages_json(evaluation.weighted)}};
  object["intervals"] = intervals_json(evaluation);
  object["rows_of_unknown_class"] = json_count(evaluation.unknown);
  return object;
}

void print_json(const Json& object) { print(json_text(object) + "\n"); }

std::string aligned_pairs(const std::vector<std::pair<std::string, std::string>>& pairs) {
  size_t width = 0;
  for (const auto& [name, value] : pairs) width = std::max(width, display_width(name));
  std::string text;
  for (const auto& [name, value] : pairs) {
    text += fmt::format("{}{:{}}{}\n", name, "", width + 2 - display_width(name), value);
  }
  return text;
}

std::string evaluation_text(const Evaluation& evaluation) {
  std::vector<std::pair<std::string, std::string>> pairs;
  pairs.emplace_back("rows", std::to_string(evaluation.rows));
  if (!evaluation.weighted_by.empty()) {
    pairs.emplace_back("weighted by", fmt::format("{} (sum {})", evaluation.weighted_by,
                                                  short_number(evaluation.weight, 6)));
  }
  if (evaluation.classes.size() == 2) {
    pairs.emplace_back("positive class", evaluation.classes[evaluation.positive]);
  }
  if (evaluation.threshold.is_given()) {
    pairs.emplace_back("threshold", threshold_text(evaluation.threshold, evaluation.classes));
  }
  for (const auto& [name, value] : evaluation_figures(evaluation)) {
    std::string words = name;
    std::replace(words.begin(), words.end(), '_', ' ');
    pairs.emplace_back(words, (std::isfinite(value) ? short_number(value) : "-") +
                                  interval_text(evaluation, name));
  }
  if (evaluation.unknown > 0) {
    pairs.emplace_back("rows of unknown class",
                       short_number(evaluation.unknown, 9) +
                           " (errors in every figure but auc and specificity, which leave them "
                           "out)");
  }
  std::string text = aligned_pairs(pairs);
  if (evaluation.task == Task::regression) return text;
  text += "in parentheses: 95 % confidence intervals (Wilson; auc: DeLong)\n";
  if (evaluation.classes.size() > most_classes_shown) {
    text += "\n" + largest_confusions(evaluation);
  } else {
    text += "\n" + confusion_text(evaluation) + "\n" + per_class_text(evaluation);
  }
  return text;
}

Json calibration_json(std::span<const CalibrationBin> bins) {
  Json list = Json::array();
  for (const CalibrationBin& bin : bins) {
    list.push_back({{"low", bin.low},
                    {"high", bin.high},
                    {"rows", bin.rows},
                    {"weight", json_count(bin.weight)},
                    {"predicted", json_number(bin.predicted)},
                    {"observed", json_number(bin.observed)}});
  }
  return list;
}

std::string calibration_text(std::span<const CalibrationBin> bins, const Schema& schema,
                             bool weighted) {
  std::vector<std::string> header = {schema.classes() == 2
                                         ? fmt::format("probability of {}", schema.positive_class())
                                         : "probability of the predicted class",
                                     "rows"};
  if (weighted) header.emplace_back("weight");
  header.insert(header.end(), {"predicted", "observed"});
  TextTable table(header);
  for (const CalibrationBin& bin : bins) {
    if (!(bin.weight > 0)) continue;
    std::vector<std::string> line = {fmt::format("{:.1f} to {:.1f}", bin.low, bin.high),
                                     std::to_string(bin.rows)};
    if (weighted) line.push_back(short_number(bin.weight, 6));
    line.push_back(fmt::format("{:.3f}", bin.predicted));
    line.push_back(fmt::format("{:.3f}", bin.observed));
    table.add(line);
  }
  return table.text();
}

Json importance_json(std::span<const InputImportance> inputs) {
  Json list = Json::array();
  for (const InputImportance& input : inputs) {
    list.push_back(
        {{"input", input.name}, {"mean", json_number(input.mean)}, {"sd", json_number(input.sd)}});
  }
  return list;
}

std::string importance_text(std::span<const InputImportance> inputs, const std::string& loss) {
  std::vector<InputImportance> order(inputs.begin(), inputs.end());
  std::erase_if(order,
                [](const InputImportance& input) { return input.mean == 0 && input.sd == 0; });
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.mean > b.mean; });
  TextTable table({"input", "increase of the " + loss, "sd"});
  for (const InputImportance& input : order) {
    table.add({input.name, short_number(input.mean), short_number(input.sd)});
  }
  return "Permutation importance: values of one input shuffled among the rows\n" + table.text();
}

std::string percent(double fraction) { return fmt::format("{:.1f} %", fraction * 100); }

std::string seconds_text(double seconds) {
  return seconds < 10 ? fmt::format("{:.3f}", seconds) : fmt::format("{:.1f}", seconds);
}

}  // namespace softwood
