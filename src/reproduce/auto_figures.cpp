#include "reproduce/auto_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/random.h"
#include "base/text.h"
#include "softwood/error.h"
#include "softwood/version.h"
#include "stages/auto/candidates.h"
#include "stages/recipe.h"
#include "study/cv.h"
#include "study/files.h"

namespace softwood::auto_experiment {
namespace {

// To be raised when fits change though no recipe or option does: figures kept by an earlier one are
// then set aside.
constexpr int edition = 4;
constexpr const char* boosters[] = {"xgboost-300", "lightgbm-300"};
constexpr const char* header = "experiment,set,run,method,figure,value,made_by\n";

// Edition, version of the program, and a hash of all recipes and of what their options are by
// default.
const std::string& maker() {
  static const std::string text = [] {
    uint64_t hash = 0;
    const auto mix = [&](const std::string& part) {
      for (const unsigned char letter : part) hash = mix64(hash ^ letter);
      hash = mix64(hash ^ 256);
    };
    for (const OwnMethod& method : own_methods()) mix(find_method(method.name).recipe);
    for (const EqualSize& method : equal_sizes()) mix(method.recipe);
    for (const Stage& stage : stages()) {
      for (const OptionSpec& option : stage.options) mix(option.name + "=" + option.fallback);
    }
    return fmt::format("{}/{}/{:016x}", edition, version(), hash);
  }();
  return text;
}

// A name beside the file that nothing has yet.
std::string set_aside(const std::string& path) {
  std::string other;
  for (size_t number = 1; other.empty() || std::filesystem::exists(other); ++number) {
    other = fmt::format("{}.{}", path, number);
  }
  std::filesystem::rename(path, other);
  return other;
}

}  // namespace

size_t readable_point(const Frontier& frontier, size_t classes,
                      const std::function<bool(size_t)>& can_be_read) {
  std::vector<size_t> others;
  for (size_t i = 0; i < frontier.points.size(); ++i) {
    const FrontierPoint& point = frontier.points[i];
    const choice::TreeFigures judged{point.parameters, point.leaves, point.inputs_per_split,
                                     point.hard, point.constant_leaves};
    if (i != frontier.choices.readable && choice::is_readable(judged, classes)) others.push_back(i);
  }
  std::stable_sort(others.begin(), others.end(), [&](size_t a, size_t b) {
    return frontier.points[a].loss < frontier.points[b].loss;
  });
  others.insert(others.begin(), frontier.choices.readable);
  for (const size_t point : others) {
    if (can_be_read(point)) return point;
  }
  can_be_read(0);  // points are in the order of their parameters
  return 0;
}

const std::vector<std::string>& preferences() {
  static const std::vector<std::string> list = {"auto", "auto-balanced", "auto-readable"};
  return list;
}

const std::vector<std::string>& main_methods() {
  static const std::vector<std::string> list = {"soft-refined", "cart", "c45"};
  return list;
}

const std::vector<OwnMethod>& own_methods() {
  constexpr size_t few_rows = 5000, some_rows = 10000, some_numbers = 24;
  static const std::vector<OwnMethod> list = {{"soft-refined"},
                                              {"cart"},
                                              {"c45", true},
                                              {"ctree"},
                                              {"ldt"},
                                              {"oblique", false, some_rows},
                                              {"quadratic", false, some_rows, some_numbers},
                                              {"omnivariate", false, few_rows, some_numbers},
                                              {"evolve", false, some_rows},
                                              {"cart-annealed", false, few_rows},
                                              {"c45-soft", true},
                                              {"soft", false, few_rows}};
  return list;
}

const std::vector<EqualSize>& equal_sizes() {
  static const std::vector<EqualSize> list = {
      {"cart-equal", "grow | prune alpha=", false},
      {"c45-equal",
       "grow criterion=gain-ratio missing=fractional nominal=every-level cut-at=data-point "
       "min-leaf=2 | prune alpha=",
       true}};
  return list;
}

const std::vector<std::string>& random_sets() {
  static const std::vector<std::string> list = {"boston", "breast_wisc", "bupa", "concrete",
                                                "pima"};
  return list;
}

bool OwnMethod::suits(const Table& table) const {
  const auto& features = table.schema().features;
  const auto numbers =
      static_cast<size_t>(std::count_if(features.begin(), features.end(), [](const Feature& one) {
        return one.kind == Kind::numeric;
      }));
  return !(only_classes && table.schema().task() == Task::regression) &&
         table.rows() <= most_rows && numbers <= most_numbers;
}

std::string OwnMethod::limits() const {
  std::vector<std::string> parts;
  if (most_rows != OwnMethod().most_rows) parts.push_back(fmt::format("{} rows", most_rows));
  if (most_numbers != OwnMethod().most_numbers) {
    parts.push_back(fmt::format("{} numeric inputs", most_numbers));
  }
  return join(parts, " and ");
}

Finished::Finished(const ExperimentRequest& request) {
  if (request.output.empty()) return;
  path_ = (std::filesystem::path(request.output) / "auto-folds.csv").string();
  if (!std::filesystem::exists(path_)) return;
  std::ostringstream text;
  text << std::ifstream(path_, std::ios::binary).rdbuf();
  try {
    load(text.str());
  } catch (const Error& error) {
    values_.clear();
    request.control.warn(fmt::format("{} {}: it is now {}, and all folds begin anew", path_,
                                     error.what(), set_aside(path_)));
  }
}

// Throws a data Error at the first line that this version did not write. Headers of files that were
// joined are passed over.
void Finished::load(const std::string& text) {
  const std::string first(header, std::string_view(header).size() - 1);
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty() || line == first) continue;
    const std::vector<std::string_view> cells = split(line, ',');
    if (cells.size() != 7 || cells[6] != maker()) {
      throw Error(ErrorKind::data, "has figures of another version");
    }
    long fold = 0;
    double value = 0;
    if (!parse_integer(cells[2], fold) || fold < 1 || fold > static_cast<long>(folds) ||
        !parse_number(cells[5], value)) {
      throw Error(ErrorKind::data, "has lines that are not figures of folds");
    }
    add(std::string(cells[1]), static_cast<size_t>(fold) - 1, std::string(cells[3]),
        std::string(cells[4]), value);
  }
}

bool Finished::has(const std::string& set, size_t fold, const std::string& method) const {
  const auto found = values_.find({set, method, "parameters"});
  return found != values_.end() && !std::isnan(found->second[fold]);
}

void Finished::add(const std::string& set, size_t fold, const std::string& method,
                   const std::string& figure, double value) {
  auto& list = values_[{set, method, figure}];
  list.resize(folds, missing_number);
  list[fold] = value;
}

void Finished::save() const {
  if (path_.empty()) return;
  FileOutput file(path_);
  file.write(header);
  for (const auto& [key, list] : values_) {
    const auto& [set, method, figure] = key;
    for (size_t fold = 0; fold < list.size(); ++fold) {
      if (std::isnan(list[fold])) continue;
      file.write(fmt::format("{},{},{},{},{},{},{}\n", name, set, fold + 1, method, figure,
                             list[fold], maker()));
    }
  }
  file.finish();
}

std::vector<size_t> Finished::complete_folds(const std::string& set) const {
  std::vector<size_t> list;
  for (size_t fold = 0; fold < folds; ++fold) {
    if (has(set, fold, preferences().back()) && has(set, fold, "cart")) list.push_back(fold);
  }
  return list;
}

std::vector<double> Finished::values(const std::string& set, const std::string& method,
                                     const std::string& figure) const {
  const auto found = values_.find({set, method, figure});
  return found == values_.end() ? std::vector<double>() : found->second;
}

Means::Means(const ExperimentRequest& request, const Finished& finished, std::vector<Set> sets)
    : request_(request), finished_(finished), sets_(std::move(sets)), methods_(preferences()) {
  methods_.insert(methods_.end(), main_methods().begin(), main_methods().end());
  for (const Set& set : sets_) {
    for (const std::string& peer : request.peers.methods(name, set.name)) {
      if (!has_method(peer)) methods_.push_back(peer);
    }
  }
}

bool Means::has_method(const std::string& method) const {
  return std::find(methods_.begin(), methods_.end(), method) != methods_.end();
}

double Means::mean_of_folds(const Set& set, const std::string& method,
                            const std::string& figure) const {
  std::vector<double> values = finished_.values(set.name, method, figure);
  if (values.empty()) values = request_.peers.values(name, set.name, method, figure);
  std::vector<double> known;
  for (const size_t fold : finished_.complete_folds(set.name)) {
    if (fold >= values.size() || std::isnan(values[fold])) return missing_number;
    known.push_back(values[fold]);
  }
  return known.empty() ? missing_number : mean_sd(known).mean;
}

double Means::mean(const Set& set, const std::string& method, const std::string& figure) const {
  if (method != better_booster) return mean_of_folds(set, method, figure);
  const double first = mean_of_folds(set, boosters[0], figure),
               second = mean_of_folds(set, boosters[1], figure);
  // They take the other number where one is NaN.
  return figure == "auc" ? std::fmax(first, second) : std::fmin(first, second);
}

std::map<std::string, double> Means::ranks(const std::vector<std::string>& methods) const {
  std::map<std::string, std::vector<double>> of_sets;
  for (const Set& set : sets_) {
    for (const std::string& method : methods) {
      const double own = loss(set, method);
      if (std::isnan(own)) continue;
      double rank = 1;
      for (const std::string& other : methods) {
        if (other == method) continue;
        const double theirs = loss(set, other);
        if (theirs < own) rank += 1;
        if (theirs == own) rank += 0.5;
      }
      of_sets[method].push_back(rank);
    }
  }
  std::map<std::string, double> means;
  for (const std::string& method : methods) means[method] = mean_sd(of_sets[method]).mean;
  return means;
}

}  // namespace softwood::auto_experiment
