#include "cli/thresholds.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "cli/common.h"
#include "cli/output.h"
#include "softwood/error.h"

namespace softwood {
namespace {

// More thresholds than a person reads: these many of them, evenly spaced, and the best.
constexpr size_t most_lines = 40;

Json point_json(const ThresholdPoint& point) {
  return {{"threshold", json_number(point.threshold)},
          {"true_positive_rate", point.true_positive_rate},
          {"false_positive_rate", point.false_positive_rate},
          {"precision", json_number(point.precision)},
          {"youden", point.youden},
          {"error", point.error},
          {"cost", point.cost}};
}

// As few digits as give the same predictions when somebody types them: rounded down, but not to the
// threshold `below`.
std::string typed_threshold(double threshold, double below) {
  constexpr int fewest = 4, all = 17;
  for (int digits = fewest; digits < all; ++digits) {
    std::string text = short_number(threshold, digits);
    double value = 0;
    parse_number(text, value);
    if (value > threshold) {
      const double unit = std::pow(10.0, std::floor(std::log10(threshold)) + 1 - digits);
      text = short_number(threshold - unit / 2, digits);
      parse_number(text, value);
    }
    if (value <= threshold && value > below) return text;
  }
  return number_text(threshold);
}

}  // namespace

void ThresholdOptions::declare(Arguments& arguments) {
  arguments.flag("--thresholds", shown,
                 "Two classes: a table of all thresholds with their rates and costs, and the best "
                 "by cost, by Youden's index and within --max-fpr.");
  arguments.text("--max-fpr", "R", max_fpr,
                 "With --thresholds: the largest false positive rate allowed, such as 0.05.");
  arguments.text("--roc", "FILE", roc,
                 "Two classes: write the ROC curve as CSV, one line per threshold.");
}

double ThresholdOptions::rate() const {
  double value = missing_number;
  if (max_fpr.empty()) return value;
  if (!parse_number(max_fpr, value) || !(value >= 0 && value <= 1)) {
    throw Error(ErrorKind::usage, fmt::format("option '--max-fpr' can't be '{}'", max_fpr), {},
                "expected a rate from 0 to 1, such as 0.05");
  }
  return value;
}

void ThresholdOptions::check(const std::vector<std::string>& inputs) const {
  rate();
  if (!max_fpr.empty() && !shown) {
    throw Error(ErrorKind::usage, "'--max-fpr' has no meaning without --thresholds", {},
                "add --thresholds");
  }
  refuse_overwriting(roc, inputs, "--roc");
}

void ThresholdOptions::write_roc(const ThresholdTable& table) const {
  if (roc.empty()) return;
  Output output(roc);
  output.write("threshold,false_positive_rate,true_positive_rate\n");
  for (const ThresholdPoint& point : table.points) {
    // Where the class is never predicted the cell is empty.
    const std::string threshold =
        std::isfinite(point.threshold) ? fmt::format("{}", point.threshold) : "";
    output.write(
        fmt::format("{},{},{}\n", threshold, point.false_positive_rate, point.true_positive_rate));
  }
  output.finish();
}

Json ThresholdOptions::json(const ThresholdTable& table) const {
  Json object, best;
  object["positive"] = table.positive;
  object["points"] = Json::array();
  for (const ThresholdPoint& point : table.points) object["points"].push_back(point_json(point));
  best["cost"] = point_json(table.points[table.least_cost]);
  best["youden"] = point_json(table.points[table.largest_youden]);
  if (!max_fpr.empty()) {
    best["max_fpr"] = point_json(table.points[table.within_false_positive_rate(rate())]);
  }
  object["best"] = std::move(best);
  return object;
}

std::string ThresholdOptions::text(const ThresholdTable& table, bool has_costs) const {
  std::vector<std::pair<size_t, std::string>> best = {
      {table.least_cost, has_costs ? "least cost" : "least error"},
      {table.largest_youden, "largest Youden's index"}};
  if (!max_fpr.empty()) {
    best.emplace_back(table.within_false_positive_rate(rate()),
                      "false positive rate at most " + max_fpr);
  }
  std::vector<std::string> header = {"threshold", "recall", "false positive rate",
                                     "precision", "Youden", "error"};
  if (has_costs) header.emplace_back("cost");
  header.emplace_back("best by");
  TextTable lines(header);
  const size_t count = table.points.size();
  size_t shown_lines = 0;
  for (size_t i = 0; i < count; ++i) {
    std::vector<std::string> names;
    for (const auto& [position, name] : best) {
      if (position == i) names.push_back(name);
    }
    const bool spaced = count <= most_lines || i == 0 || i + 1 == count ||
                        i * most_lines / count != (i - 1) * most_lines / count;
    if (!spaced && names.empty()) continue;
    const ThresholdPoint& point = table.points[i];
    const double below = i + 1 < count ? table.points[i + 1].threshold : -1;
    std::vector<std::string> line = {
        std::isfinite(point.threshold) ? typed_threshold(point.threshold, below) : "never",
        fmt::format("{:.3f}", point.true_positive_rate),
        fmt::format("{:.3f}", point.false_positive_rate),
        std::isfinite(point.precision) ? fmt::format("{:.3f}", point.precision) : "-",
        fmt::format("{:.3f}", point.youden),
        fmt::format("{:.3f}", point.error)};
    if (has_costs) line.push_back(short_number(point.cost, 6));
    line.push_back(join(names, ", "));
    lines.add(line);
    ++shown_lines;
  }
  std::string text =
      fmt::format("{} is predicted where its probability is at least the threshold\n",
                  table.positive) +
      lines.text();
  if (shown_lines < count) {
    text += fmt::format("{} of {} thresholds; --json and --roc have all\n", shown_lines, count);
  }
  return text;
}

}  // namespace softwood
