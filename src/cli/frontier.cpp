#include "cli/frontier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/text.h"
#include "data/convert.h"
#include "softwood/error.h"
#include "stages/auto/candidates.h"
#include "stages/unsuitable.h"
#include "study/files.h"
#include "tree/shown_frontier.h"

namespace softwood {
namespace {

// Loss against the logarithm of the size: '#' the tree that was taken, 'o' the others.
std::string picture(const Frontier& frontier) {
  constexpr size_t width = 56, height = 9;
  const std::vector<FrontierPoint>& points = frontier.points;
  if (points.size() < 2) return "";
  const std::vector<ShownPoint> shown_points = shown(frontier).points;
  const auto size = [&](const ShownPoint& point) {
    return std::log2(static_cast<double>(std::max<size_t>(1, point.size.parameters)));
  };
  const auto by_loss = [](const FrontierPoint& a, const FrontierPoint& b) {
    return a.loss < b.loss;
  };
  const auto [low, high] = std::minmax_element(points.begin(), points.end(), by_loss);
  const ShownPoint &smallest = shown_points.front(), &largest = shown_points.back();
  const double left = size(smallest), right = size(largest);
  std::vector<std::string> lines(height, std::string(width, ' '));
  const auto place = [](double value, double from, double to, size_t cells) {
    return to > from ? static_cast<size_t>(std::lround((value - from) / (to - from) *
                                                       static_cast<double>(cells - 1)))
                     : 0;
  };
  for (const ShownPoint& point : shown_points) {
    char& cell = lines[height - 1 - place(points[point.number].loss, low->loss, high->loss, height)]
                      [place(size(point), left, right, width)];
    if (cell != '#') cell = point.number == frontier.chosen ? '#' : 'o';
  }
  std::string text;
  const std::string top = short_number(high->loss), bottom = short_number(low->loss);
  const size_t margin = std::max(top.size(), bottom.size());
  for (size_t i = 0; i < height; ++i) {
    const std::string& label = i == 0 ? top : i + 1 == height ? bottom : std::string();
    std::string line = fmt::format("{:>{}} |{}", label, margin, lines[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  const std::string first = std::to_string(smallest.size.parameters);
  text += fmt::format(
      "{:>{}} +{}\n{:>{}}  {}{:>{}}\n", "", margin, std::string(width, '-'), "", margin, first,
      counted(largest.size.parameters, "parameter") + ", logarithmic scale", width - first.size());
  return text;
}

std::string file_of(size_t point) { return fmt::format("tree-{:02}.json", point + 1); }

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The trees that an earlier run left in the folder, as its frontier.json names them: they are not
// of this frontier.
void remove_earlier(const std::filesystem::path& folder) {
  const std::filesystem::path list = folder / "frontier.json";
  const Json object = Json::parse(text_of(list), nullptr, false);
  if (!object.is_object() || !object.contains("points")) return;
  std::error_code ignored;
  for (size_t i = 0; i < object["points"].size(); ++i) {
    std::filesystem::remove(folder / file_of(i), ignored);
  }
  std::filesystem::remove(list, ignored);
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  FileOutput file(path.string());
  file.write(text);
  file.finish();
}

}  // namespace

std::string frontier_text(const Frontier& frontier) {
  const ShownFrontier all = shown(frontier);
  // Others than the chosen one are kept in a folder only.
  bool files = false;
  for (size_t i = 0; i < frontier.points.size(); ++i) {
    files = files || (i != frontier.chosen && frontier.points[i].saved);
  }
  std::vector<std::string> header{"parameters", "leaves", loss_name(frontier.metric), "±",
                                  "taken by"};
  if (files) header.emplace_back("file");
  header.emplace_back("recipe");
  TextTable table(header);
  for (const auto& [i, size, dominated] : all.points) {
    const FrontierPoint& point = frontier.points[i];
    const std::string by = join(preferences_of(frontier, i), ", ");
    std::vector<std::string> cells{std::to_string(size.parameters), std::to_string(size.leaves),
                                   short_number(point.loss), short_number(point.standard_error, 2),
                                   i == frontier.chosen ? "* " + by : by};
    if (files) cells.push_back(point.saved ? file_of(i) : "");
    cells.push_back(point.recipe);
    table.add(cells);
  }
  std::string sizes =
      "Sizes of the saved trees, of all rows; losses of those that were judged, of parts of them.";
  if (!all.of_saved_trees) {
    const FrontierPoint& chosen = frontier.points[frontier.chosen];
    sizes = fmt::format(
        "Sizes and losses of the trees that were judged. * This tree, of all rows, "
        "has {} and {}.",
        counted(chosen.shown_parameters(), "parameter"),
        counted(chosen.shown_leaves(), "leaf", "leaves"));
  }
  return table.text() + sizes + "\n\n" + picture(frontier);
}

Json frontier_json(const Frontier& frontier) {
  Json object;
  object["metric"] = frontier.metric;
  object["rows"] = frontier.rows;
  object["baseline"] = json_number(frontier.baseline);
  if (frontier.expected_loss) {
    object["expected_loss"] = {
        {"value", json_number(frontier.expected_loss->value)},
        {"standard_error", json_number(frontier.expected_loss->standard_error)}};
  }
  object["estimate"] = {{"figure", frontier.figure},
                        {"value", json_number(frontier.estimate)},
                        {"standard_error", json_number(frontier.standard_error)}};
  object["chosen"] = frontier.chosen;
  object["points"] = Json::array();
  for (size_t i = 0; i < frontier.points.size(); ++i) {
    const FrontierPoint& point = frontier.points[i];
    object["points"].push_back({{"recipe", point.recipe},
                                {"parameters", point.shown_parameters()},
                                {"leaves", point.shown_leaves()},
                                {"sizes_of", point.saved ? "saved tree" : "judged trees"},
                                {"judged_parameters", point.parameters},
                                {"judged_leaves", point.leaves},
                                {"loss", json_number(point.loss)},
                                {"standard_error", json_number(point.standard_error)},
                                {"inputs_per_split", point.inputs_per_split},
                                {"hard", point.hard},
                                {"constant_leaves", point.constant_leaves},
                                {"dominated", point.dominated},
                                {"taken_by", preferences_of(frontier, i)}});
  }
  return object;
}

bool is_frontier_file(const std::string& name) {
  const std::string_view before = "tree-", after = ".json";
  if (name == "frontier.json") return true;
  if (name.size() <= before.size() + after.size()) return false;
  const std::string digits = name.substr(before.size(), name.size() - before.size() - after.size());
  return name.starts_with(before) && name.ends_with(after) &&
         digits.find_first_not_of("0123456789") == std::string::npos;
}

FrontierFolder::FrontierFolder(const std::string& path, const Recipe& recipe) : path_(path) {
  if (path_.empty()) return;
  const auto chooses = [](const Step& step) { return step.stage->chooses; };
  if (std::none_of(recipe.steps().begin(), recipe.steps().end(), chooses)) {
    throw Error(ErrorKind::usage, "no stage of this recipe gives a frontier", {},
                "take --method auto, or leave --frontier out");
  }
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (error || !std::filesystem::is_directory(path_)) {
    throw Error(ErrorKind::failure, fmt::format("the folder {} can't be made", path_), {},
                "name a folder that can be written to");
  }
}

namespace {

// The limits of the stage that chose.
choice::Limits limits_of(const Recipe& recipe) {
  for (const Step& step : recipe.steps()) {
    if (step.stage->chooses) return choice::limits_of(step.options);
  }
  return {};
}

// The tree of one point, fitted to all rows; none, with a warning, where it is not to be had.
std::optional<Model> model_of(const FrontierPoint& point, const Table& table,
                              const TrainRequest& request, const Parallel& parallel,
                              const Control& control) {
  TrainRequest own;
  own.recipe = Recipe::parse(point.recipe);
  own.seed = request.seed;
  own.class_costs = request.class_costs;
  std::optional<Model> model;
  try {
    model = train(table, own, parallel, control.silent()).model;
  } catch (...) {
    const std::string why = why_unsuitable();
    if (control.should_stop()) return {};
    control.warn(fmt::format("'{}' of the frontier can't be fitted to all rows ({}): not saved",
                             point.recipe, why));
    return {};
  }
  const choice::TreeFigures figures = choice::figures_of(model->tree);
  if (choice::within_limits(figures, limits_of(request.recipe))) return model;
  control.warn(
      fmt::format("'{}' of the frontier breaks the limits when it is fitted to all rows "
                  "({}, {}): not saved",
                  point.recipe, counted(figures.parameters, "parameter"),
                  counted(figures.leaves, "leaf", "leaves")));
  return {};
}

}  // namespace

void FrontierFolder::save(const Table& table, const TrainRequest& request, TrainOutcome& outcome,
                          const Parallel& parallel, const Control& control) const {
  if (path_.empty()) return;
  remove_earlier(path_);
  if (!outcome.model.frontier) {
    control.warn(fmt::format(
        "there is no frontier to save in {}: the tree was not chosen from others", path_));
    return;
  }
  Frontier& frontier = *outcome.model.frontier;
  const auto save_as = [&](size_t point, const Model& model) {
    write_file(std::filesystem::path(path_) / file_of(point), model_to_text(model));
  };
  std::vector<bool> is_saved(frontier.points.size(), false);
  size_t left_out = 0;
  for (size_t i = 0; i < frontier.points.size(); ++i) {
    control.report("fitting the frontier", static_cast<double>(i),
                   static_cast<double>(frontier.points.size()));
    is_saved[i] = i == frontier.chosen;
    if (is_saved[i]) continue;
    // Not every recipe ends where a budget does, but none begins after it.
    std::optional<Model> model;
    const bool stopped = control.should_stop().has_value();
    if (!stopped) model = model_of(frontier.points[i], table, request, parallel, control);
    if (!model) {
      left_out += control.should_stop() ? 1 : 0;
      continue;
    }
    const Shape shape = shape_of(model->tree);
    frontier.points[i].saved = {shape.parameters, shape.leaves};
    is_saved[i] = true;
    save_as(i, *model);
  }
  if (left_out > 0) {
    control.warn(fmt::format("{} of the frontier not saved: there was no time to fit them",
                             left_out == 1 ? "1 tree" : fmt::format("{} trees", left_out)));
  }
  save_as(frontier.chosen, outcome.model);
  Json object = frontier_json(frontier);
  for (size_t i = 0; i < is_saved.size(); ++i) {
    object["points"][i]["file"] = is_saved[i] ? Json(file_of(i)) : Json(nullptr);
  }
  write_file(std::filesystem::path(path_) / "frontier.json",
             object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace softwood
