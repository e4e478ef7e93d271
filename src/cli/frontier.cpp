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
#include "stages/unsuitable.h"
#include "study/files.h"

namespace softwood {
namespace {

std::string loss_name(const Frontier& frontier) {
  return frontier.metric == "auc" ? "1 - auc" : frontier.metric;
}

// Which preferences take the point.
std::vector<std::string> preferences_of(const Frontier& frontier, size_t point) {
  const FrontierChoices& choices = frontier.choices;
  std::vector<std::string> names;
  if (choices.accuracy == point) names.emplace_back("accuracy");
  if (choices.balanced == point) names.emplace_back("balanced");
  if (choices.readable == point) names.emplace_back("readable");
  return names;
}

// Loss against the logarithm of the size: '#' the tree that was taken, 'o' the others.
std::string picture(const Frontier& frontier) {
  constexpr size_t width = 56, height = 9;
  const std::vector<FrontierPoint>& points = frontier.points;
  if (points.size() < 2) return "";
  const auto size = [](const FrontierPoint& point) {
    return std::log2(static_cast<double>(std::max<size_t>(1, point.parameters)));
  };
  const auto by_loss = [](const FrontierPoint& a, const FrontierPoint& b) {
    return a.loss < b.loss;
  };
  const auto [low, high] = std::minmax_element(points.begin(), points.end(), by_loss);
  const double left = size(points.front()), right = size(points.back());
  std::vector<std::string> lines(height, std::string(width, ' '));
  const auto place = [](double value, double from, double to, size_t cells) {
    return to > from ? static_cast<size_t>(std::lround((value - from) / (to - from) *
                                                       static_cast<double>(cells - 1)))
                     : 0;
  };
  for (size_t i = 0; i < points.size(); ++i) {
    char& cell = lines[height - 1 - place(points[i].loss, low->loss, high->loss, height)]
                      [place(size(points[i]), left, right, width)];
    if (cell != '#') cell = i == frontier.chosen ? '#' : 'o';
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
  const std::string first = std::to_string(points.front().parameters);
  text +=
      fmt::format("{:>{}} +{}\n{:>{}}  {}{:>{}}\n", "", margin, std::string(width, '-'), "", margin,
                  first, counted(points.back().parameters, "parameter"), width - first.size());
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
  TextTable table({"parameters", "leaves", loss_name(frontier), "±", "taken by", "recipe"});
  for (size_t i = 0; i < frontier.points.size(); ++i) {
    const FrontierPoint& point = frontier.points[i];
    const std::string by = join(preferences_of(frontier, i), ", ");
    table.add({std::to_string(point.parameters), std::to_string(point.leaves),
               short_number(point.loss), short_number(point.standard_error, 2),
               i == frontier.chosen ? "* " + by : by, point.recipe});
  }
  return table.text() +
         "Sizes and losses of the trees that were judged; the tree fitted to all rows may differ "
         "in "
         "size.\n\n" +
         picture(frontier);
}

Json frontier_json(const Frontier& frontier) {
  Json object;
  object["metric"] = frontier.metric;
  object["rows"] = frontier.rows;
  object["baseline"] = json_number(frontier.baseline);
  object["estimate"] = {{"figure", frontier.figure},
                        {"value", json_number(frontier.estimate)},
                        {"standard_error", json_number(frontier.standard_error)}};
  object["chosen"] = frontier.chosen;
  object["points"] = Json::array();
  for (size_t i = 0; i < frontier.points.size(); ++i) {
    const FrontierPoint& point = frontier.points[i];
    object["points"].push_back({{"recipe", point.recipe},
                                {"parameters", point.parameters},
                                {"leaves", point.leaves},
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

void FrontierFolder::save(const Table& table, const TrainRequest& request,
                          const TrainOutcome& outcome, const Parallel& parallel,
                          const Control& control) const {
  if (path_.empty()) return;
  remove_earlier(path_);
  if (!outcome.model.frontier) {
    control.warn(fmt::format(
        "there is no frontier to save in {}: the tree was not chosen from others", path_));
    return;
  }
  const Frontier& frontier = *outcome.model.frontier;
  Json object = frontier_json(frontier);
  size_t left_out = 0;
  for (size_t i = 0; i < frontier.points.size(); ++i) {
    control.report("fitting the frontier", static_cast<double>(i),
                   static_cast<double>(frontier.points.size()));
    Json& entry = object["points"][i];
    entry["file"] = nullptr;
    TrainRequest own;
    own.recipe = Recipe::parse(frontier.points[i].recipe);
    own.seed = request.seed;
    own.class_costs = request.class_costs;
    std::optional<Model> model;
    if (i == frontier.chosen) model = outcome.model;
    try {
      // Not every recipe ends where a budget does, but none begins after it.
      if (!model && !control.should_stop()) {
        model = train(table, own, parallel, control.silent()).model;
      }
    } catch (...) {
      const std::string why = why_unsuitable();
      if (!control.should_stop()) {
        control.warn(fmt::format("'{}' of the frontier can't be fitted to all rows ({}): not saved",
                                 frontier.points[i].recipe, why));
        continue;
      }
    }
    if (!model) {
      ++left_out;
      continue;
    }
    const Shape shape = shape_of(model->tree);
    entry["file"] = file_of(i);
    entry["parameters"] = shape.parameters;
    entry["leaves"] = shape.leaves;
    write_file(std::filesystem::path(path_) / file_of(i), model_to_text(*model));
  }
  if (left_out > 0) {
    control.warn(fmt::format("{} of the frontier not saved: there was no time to fit them",
                             left_out == 1 ? "1 tree" : fmt::format("{} trees", left_out)));
  }
  write_file(std::filesystem::path(path_) / "frontier.json",
             object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace softwood
