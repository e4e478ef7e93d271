#include "stages/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "fit/leaf_models.h"
#include "softwood/error.h"

namespace softwood {
namespace {

// Words of other programs for what is called otherwise here.
struct MethodElsewhere {
  const char *name, *here;  // the name in lower case
};
constexpr MethodElsewhere methods_elsewhere[] = {
    {"c5.0", "c45"}, {"c50", "c45"}, {"c4.5", "c45"}, {"j48", "c45"}, {"rpart", "cart"}};

struct OptionElsewhere {
  const char *stage, *option, *value;  // no value: whatever it is
  const char* hint;                    // none: the stage is to be left out
};
constexpr OptionElsewhere options_elsewhere[] = {
    {"grow", "mincriterion", nullptr, "write significance=0.05 for 0.95: it is 1 - mincriterion"},
    {"grow", "alpha", nullptr,
     "it is called 'significance' here; 'alpha' of 'prune' is the price of a leaf"},
    {"grow", "cp", nullptr, "it is 'alpha' of 'prune' here"},
    {"grow", "xval", nullptr, "it is 'folds' of 'prune' here"},
    {"grow", "criterion", "information", "it is called criterion=entropy here"},
    {"grow", "criterion", "infogain", "it is called criterion=entropy here"},
    {"grow", "criterion", "info-gain", "it is called criterion=entropy here"},
    {"prune", "xval", nullptr, "it is called 'folds' here"},
    {"prune", "by", "rep", "it is called by=reduced-error here"},
    {"prune", "by", "ccp", "it is called by=cost-complexity here"},
    {"prune", "by", "error-based", "it is called by=pessimistic here"},
    {"prune", "by", "ebp", "it is called by=pessimistic here"},
    {"prune", "by", "none", nullptr}};

Advice leave_out(const std::string& stage) {
  return {AdviceCode::leave_stage_out, fmt::format("leave '{}' out of the recipe", stage), {stage}};
}

void refuse_words_of_others(const std::string& stage, const Options::Pairs& given) {
  for (const auto& [name, value] : given) {
    for (const OptionElsewhere& other : options_elsewhere) {
      if (stage != other.stage || name != other.option) continue;
      if (other.value != nullptr && value != other.value) continue;
      throw Error(ErrorKind::usage,
                  other.value == nullptr
                      ? fmt::format("'{}' has no option '{}'", stage, name)
                      : fmt::format("option '{}' of '{}' can't be '{}'", name, stage, value),
                  {}, other.hint != nullptr ? Advice(other.hint) : leave_out(stage));
    }
  }
}

template <class Items>
auto find_by_name(const Items& items, std::string_view name, std::string_view what) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
  if (found == items.end()) {
    std::vector<std::string> names;
    for (const auto& item : items) names.push_back(item.name);
    throw Error(ErrorKind::usage, fmt::format("there is no {} '{}'", what, name), {},
                known_names_hint(name, names));
  }
  return found;
}

// The parts of a recipe between separators that do not stand in double quotes.
std::vector<std::string_view> split_unquoted(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  bool quoted = false;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '"') quoted = !quoted;
    if (i < text.size() && (quoted || text[i] != separator)) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  if (quoted) {
    throw Error(ErrorKind::usage, fmt::format("a quote is not closed in the recipe '{}'", text), {},
                "write values with blanks or '|' as key=\"...\"");
  }
  return parts;
}

// "key=value" -> {key, value}; the value may stand in double quotes. `owner` is whose it is, for
// the message.
std::pair<std::string, std::string> split_pair(std::string_view word, const std::string& owner) {
  const size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw Error(ErrorKind::usage, fmt::format("'{}' of {} is not key=value", word, owner), {},
                "write options as key=value, joined by blanks, and stages joined by '|'");
  }
  std::string_view value = word.substr(equals + 1);
  if (value.size() > 1 && value.starts_with('"') && value.ends_with('"')) {
    value = value.substr(1, value.size() - 2);
  }
  return {std::string(word.substr(0, equals)), std::string(value)};
}

struct Draft {
  const Stage* stage;
  Options::Pairs given;

  // A former name of an option becomes the present one.
  void add(const std::string& name, std::string value) {
    const OptionSpec* const spec = find_option(name, stage->options);
    given.emplace_back(spec != nullptr ? spec->name : name, std::move(value));
  }
};

Draft parse_stage(std::string_view text) {
  Draft draft{nullptr, {}};
  for (const std::string_view word : split_unquoted(text, ' ')) {
    if (trim(word).empty()) continue;
    if (draft.stage == nullptr) {
      draft.stage = &find_stage(trim(word));
    } else {
      auto [name, value] = split_pair(trim(word), fmt::format("'{}'", draft.stage->name));
      draft.add(name, std::move(value));
      const std::string& added = draft.given.back().first;
      if (std::any_of(draft.given.begin(), draft.given.end() - 1,
                      [&](const auto& before) { return before.first == added; })) {
        throw Error(ErrorKind::usage,
                    fmt::format("'{}' has option '{}' twice", draft.stage->name, added), {},
                    "leave one of them out");
      }
    }
  }
  if (draft.stage == nullptr) {
    throw Error(ErrorKind::usage, "the recipe has an empty stage", {},
                "a recipe is stages joined by '|', for example: grow min-leaf=5 | prune");
  }
  return draft;
}

// Options in the text of a recipe that settings leave without effect: the setting grow.split=axis
// does not ask about the significance that a method's recipe says for another split.
void drop_overruled(Draft& draft, size_t in_text) {
  const auto setting = [&, in_text](const std::string& name) {
    std::string value;
    for (size_t i = in_text; i < draft.given.size(); ++i) {
      if (draft.given[i].first == name) value = draft.given[i].second;
    }
    return value;
  };
  Options::Pairs kept;
  for (size_t i = 0; i < draft.given.size(); ++i) {
    const auto spec =
        std::find_if(draft.stage->options.begin(), draft.stage->options.end(),
                     [&](const OptionSpec& s) { return s.name == draft.given[i].first; });
    const bool overruled =
        i < in_text && spec != draft.stage->options.end() && !useless_with(*spec, setting).empty();
    if (!overruled) kept.push_back(draft.given[i]);
  }
  draft.given = std::move(kept);
}

// The first stage that has an option; null when none has.
const Draft* draft_with(const std::vector<Draft>& drafts, std::string_view option) {
  for (const Draft& draft : drafts) {
    for (const OptionSpec& spec : draft.stage->options) {
      if (spec.name == option) return &draft;
    }
  }
  return nullptr;
}

// {"grow-soft.depth=3"}, with what the option has no effect without before it:
// {"grow-soft.shape=full", ...}.
std::vector<std::string> working_settings(const Draft& draft, const std::string& key,
                                          const std::string& value) {
  const std::vector<OptionSpec>& specs = draft.stage->options;
  const auto spec_of = [&](const std::string& name) {
    return std::find_if(specs.begin(), specs.end(),
                        [&](const OptionSpec& spec) { return spec.name == name; });
  };
  const auto value_of = [&](const std::string& name) {
    for (auto given = draft.given.rbegin(); given != draft.given.rend(); ++given) {
      if (given->first == name) return given->second;  // the last one counts
    }
    return spec_of(name) == specs.end() ? std::string() : spec_of(name)->fallback;
  };
  std::vector<std::string> settings;
  const auto spec = spec_of(key);
  if (spec != specs.end() && !useless_with(*spec, value_of).empty()) {
    for (const std::string_view needed : split(spec->only_with, ' ')) {
      const std::string_view first = needed.substr(0, needed.find(','));  // of several values
      settings.push_back(fmt::format("{}.{}", draft.stage->name, first));
    }
  }
  settings.push_back(fmt::format("{}.{}={}", draft.stage->name, key, value));
  return settings;
}

// What to write in the place of a setting for a stage that is not there: the same for a stage that
// is and has such an option; or the recipe with the stage, where it can be added.
Advice missing_stage_hint(const std::vector<Draft>& drafts, const Stage& stage,
                          const std::string& key, const std::string& value) {
  if (const Draft* const owner = draft_with(drafts, key)) {
    const std::vector<std::string> settings = working_settings(*owner, key, value);
    return {AdviceCode::write_settings, "write " + join(settings, " and "), settings};
  }
  std::string names;
  for (const Draft& draft : drafts) names += (names.empty() ? "" : " | ") + draft.stage->name;
  if (!stage.starts) {
    const std::string longer = fmt::format("{} | {}", names, stage.name);
    return {AdviceCode::add_stage, fmt::format("add the stage: \"{}\"", longer), {longer}};
  }
  return fmt::format("'{}' can only be the first stage, and this recipe is \"{}\"", stage.name,
                     names);
}

// "stage.key=value" goes to every stage of that name.
void apply_setting(std::vector<Draft>& drafts, std::string_view setting) {
  const auto [key, value] = split_pair(setting, "the settings");
  const size_t dot = key.find('.');
  if (dot == std::string::npos) {
    const Draft* const owner = draft_with(drafts, key);
    const std::vector<std::string> settings =
        working_settings(owner != nullptr ? *owner : drafts[0], key, value);
    throw Error(ErrorKind::usage, fmt::format("setting '{}' names no stage", setting), {},
                {AdviceCode::name_stage_setting,
                 "write stage.key=value, for example " + join(settings, " and "), settings});
  }
  const Stage& stage = find_stage(key.substr(0, dot));
  bool used = false;
  for (Draft& draft : drafts) {
    if (draft.stage != &stage) continue;
    draft.add(key.substr(dot + 1), value);
    used = true;
  }
  if (!used) {
    throw Error(ErrorKind::usage,
                fmt::format("setting '{}' is for a stage that the recipe does not have", setting),
                {}, missing_stage_hint(drafts, stage, key.substr(dot + 1), value));
  }
}

// Rows without weight take no part in anything, not even in where a threshold lies. When no row has
// weight, all are kept, so that the first stage can say so.
class RowsWithWeight {
 public:
  RowsWithWeight(const Table& table, std::span<const RowIndex> rows) : rows_(rows) {
    if (!table.weighted()) return;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(kept_),
                 [&](RowIndex row) { return table.weight(row) > 0; });
    if (!kept_.empty()) rows_ = kept_;
  }
  std::span<const RowIndex> rows() const { return rows_; }

 private:
  std::vector<RowIndex> kept_;
  std::span<const RowIndex> rows_;
};

// Options whose promise a later stage does not keep.
struct BrokenPromise {
  const char *earlier, *option, *later;
  const char *by = nullptr,
             *raise = nullptr;  // only with these values of the later stage's options
};
// Reduced-error pruning and raising count other rows in the leaves than those that growing saw.
constexpr BrokenPromise broken_promises[] = {{"grow", "monotone", "refine"},
                                             {"grow", "monotone", "soften", "gradient"},
                                             {"grow", "monotone", "prune", "reduced-error"},
                                             {"grow", "monotone", "prune", "pessimistic", "yes"}};

bool breaks(const BrokenPromise& broken, const Step& step) {
  return step.stage->name == broken.later &&
         (broken.by == nullptr || step.options.text("by") == broken.by) &&
         (broken.raise == nullptr || step.options.text("raise") == broken.raise);
}

void check_promises(const std::vector<Step>& steps) {
  for (const BrokenPromise& broken : broken_promises) {
    bool given = false;
    for (const Step& step : steps) {
      if (step.stage->name == broken.earlier) given = step.options.text(broken.option) != "none";
      if (!given || !breaks(broken, step)) continue;
      throw Error(ErrorKind::usage,
                  fmt::format("'{}{}{}' does not keep what '{}' of '{}' asks for", broken.later,
                              broken.by == nullptr ? "" : " by=",
                              broken.by == nullptr ? "" : broken.by, broken.option, broken.earlier),
                  {}, "leave one of them out");
    }
  }
}

// Stages that can't work on what an earlier one makes, known before anything is computed.
struct Unfit {
  const char *earlier, *later;
  const char* by;       // only with this value of the later stage's option; null: always
  const char* between;  // a stage that changes it where it stands between
  const char *why, *hint;
};
constexpr Unfit unfit[] = {
    {"grow-soft", "prune", nullptr, "harden",
     "judges leaves by the rows that reach them, but those of 'grow-soft' are trained by gradients "
     "together with its gates",
     "leave 'prune' out; grow-soft makes smaller trees with shape=full and depth= or prefer=size"},
    {"grow-soft", "refine", "alternating", "harden",
     "is for trees that send every row along one path, and 'grow-soft' makes soft ones",
     "use 'refine by=gradient', or put 'harden' before it"}};

void check_unfit(const std::vector<Step>& steps) {
  for (const Unfit& rule : unfit) {
    bool soft = false;
    for (const Step& step : steps) {
      if (step.stage->name == rule.earlier) soft = true;
      if (step.stage->name == rule.between) soft = false;
      if (!soft || step.stage->name != rule.later) continue;
      if (rule.by != nullptr && step.options.text("by") != rule.by) continue;
      throw Error(ErrorKind::usage,
                  fmt::format("'{}{}{}' {}", rule.later, rule.by == nullptr ? "" : " by=",
                              rule.by == nullptr ? "" : rule.by, rule.why),
                  {}, rule.hint);
    }
  }
}

}  // namespace

const Stage& find_stage(std::string_view name) { return *find_by_name(stages(), name, "stage"); }
const Method& find_method(std::string_view name) {
  for (const MethodElsewhere& other : methods_elsewhere) {
    if (in_lower_case(name) != other.name) continue;
    throw Error(ErrorKind::usage, fmt::format("there is no method '{}'", name), {},
                fmt::format("did you mean '{}'?", other.here));
  }
  return *find_by_name(methods(), name, "method");
}

Recipe Recipe::parse(const std::string& text, const std::vector<std::string>& settings,
                     bool on_tree) {
  std::vector<Draft> drafts;
  for (const std::string_view part : split_unquoted(text, '|')) drafts.push_back(parse_stage(part));
  std::vector<size_t> in_text;
  in_text.reserve(drafts.size());
  for (const Draft& draft : drafts) in_text.push_back(draft.given.size());
  for (const std::string& setting : settings) apply_setting(drafts, setting);
  for (size_t i = 0; i < drafts.size(); ++i) drop_overruled(drafts[i], in_text[i]);
  Recipe recipe;
  for (size_t i = 0; i < drafts.size(); ++i) {
    const Stage& stage = *drafts[i].stage;
    const bool must_start = i == 0 && !on_tree;
    if (stage.starts != must_start) {
      throw Error(ErrorKind::usage,
                  must_start
                      ? fmt::format("stage '{}' needs a tree to work on", stage.name)
                      : fmt::format("stage '{}' makes a new tree, so it can only come first of "
                                    "a recipe for new trees",
                                    stage.name),
                  {},
                  must_start ? Advice("start the recipe with grow")
                  : on_tree  ? Advice(AdviceCode::train_new_tree,
                                      "name the stages that go on with the tree, or train a new one")
                             : Advice("leave the later one out"));
    }
    refuse_words_of_others(stage.name, drafts[i].given);
    recipe.steps_.push_back({&stage, Options(stage.name, stage.options, drafts[i].given)});
  }
  check_promises(recipe.steps_);
  check_unfit(recipe.steps_);
  return recipe;
}

std::string Recipe::text() const {
  std::vector<std::string> parts;
  for (const Step& step : steps_) {
    const std::string given = step.options.given_text();
    parts.push_back(given.empty() ? step.stage->name : step.stage->name + " " + given);
  }
  return join(parts, " | ");
}

bool Recipe::anytime() const {
  return std::any_of(steps_.begin(), steps_.end(),
                     [](const Step& step) { return step.stage->anytime; });
}

bool Recipe::resumes() const {
  return std::any_of(steps_.begin(), steps_.end(),
                     [](const Step& step) { return step.stage->resumes; });
}

Recipe Recipe::then(const Recipe& more) const {
  Recipe both = *this;
  both.steps_.insert(both.steps_.end(), more.steps_.begin(), more.steps_.end());
  check_promises(both.steps_);
  check_unfit(both.steps_);
  return both;
}

Recipe Recipe::first(size_t count) const {
  Recipe part;
  part.steps_.assign(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(count));
  return part;
}

namespace {

using Clock = std::chrono::steady_clock;

// Adds the time since `start` to that of the name.
void add_seconds(Trained& trained, const std::string& name, Clock::time_point start) {
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  for (auto& entry : trained.seconds) {
    if (entry.first == name) {
      entry.second += seconds;
      return;
    }
  }
  trained.seconds.emplace_back(name, seconds);
}

// All stages; leaves are left with their constants.
Trained run_stages(const Recipe& recipe, const Training& training, std::span<const RowIndex> used,
                   const Parallel& parallel, const Control& control, std::optional<Tree> tree,
                   size_t finished) {
  const Schema& schema = training.derived.table().schema();
  Trained trained{tree ? std::move(*tree) : Tree(schema.task(), schema.classes()), {}, {}};
  trained.tree.set_costs(training.costs);
  bool by_the_clock = false;  // a stage stopped where no setting would make it stop
  for (size_t i = finished; i < recipe.steps().size(); ++i) {
    const Clock::time_point start = Clock::now();
    const Step& step = recipe.steps()[i];
    const bool last_use = training.only_use && i + 1 == recipe.steps().size();
    // From the first stage that can stop early: those behind it may run it again.
    std::optional<StoppableWork> stoppable;
    if (recipe.first(i + 1).anytime()) stoppable.emplace(control);
    Control own = control;
    own.stage = step.stage->name;
    std::atomic<Stopped> rerun_stopped = Stopped::converged;
    const auto rerun = [&, i](std::span<const RowIndex> rows, const Parallel& inner) {
      const Training other{training.derived, rows, {}, training.seed, false, training.costs};
      Trained again =
          run_stages(recipe.first(i), other, RowsWithWeight(other.derived.table(), rows).rows(),
                     inner, control.silent(), std::nullopt, 0);
      if (again.report.stopped != Stopped::converged) rerun_stopped = again.report.stopped;
      return std::move(again.tree);
    };
    Context context{training.derived,
                    last_use,
                    used,
                    {training.validation, trained.report.validation_used},
                    step.options,
                    training.seed,
                    parallel,
                    own,
                    trained.report,
                    rerun,
                    training.costs,
                    training.checkpoint};
    const Stopped before = std::exchange(trained.report.stopped, Stopped::converged);
    const size_t repeatable = trained.report.repeat_settings.size();
    trained.tree = step.stage->run(context, std::move(trained.tree));
    trained.tree.set_costs(training.costs);
    if (rerun_stopped != Stopped::converged) trained.report.stopped = rerun_stopped;
    if (trained.report.stopped == Stopped::converged) {
      trained.report.stopped = before;
    } else if (rerun_stopped != Stopped::converged ||
               trained.report.repeat_settings.size() == repeatable) {
      by_the_clock = true;
    }
    own.report(step.stage->name, 1);
    add_seconds(trained, step.stage->name, start);
  }
  if (by_the_clock) trained.report.repeat_settings.clear();
  return trained;
}

// No stage can choose by rows that do not count.
void check_weight(const Sample& validation) {
  const bool any = std::any_of(validation.rows.begin(), validation.rows.end(),
                               [&](RowIndex row) { return validation.table->weight(row) > 0; });
  if (!any) {
    throw Error(ErrorKind::data, "the validation rows have no weight");
  }
}

// A leaf keeps its constant where no model is better; when all do, it may not be what was meant.
void note_absent_models(const Tree& tree, const Control& control) {
  size_t leaves = 0;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).model) return;
    if (tree.node(i).is_leaf()) ++leaves;
  }
  control.say(
      fmt::format("leaf={}: 0 of {} leaves got a model, in none was one better than the "
                  "constant answer",
                  leaf_plan_name(tree.leaf_plan()), leaves));
}

}  // namespace

Trained run_recipe(const Recipe& recipe, const Training& training, const Parallel& parallel,
                   const Control& control, std::optional<Tree> tree, size_t finished) {
  const Table& table = training.derived.table();
  const RowsWithWeight used(table, training.rows);
  if (training.validation) check_weight(*training.validation);
  Trained trained =
      run_stages(recipe, training, used.rows(), parallel, control, std::move(tree), finished);
  if (trained.tree.leaf_plan().fits_models()) {
    const Clock::time_point start = Clock::now();
    fit::fit_leaf_models(trained.tree, table, used.rows(), parallel);
    note_absent_models(trained.tree, control);
    add_seconds(trained, recipe.steps().back().stage->name, start);
  }
  return trained;
}

}  // namespace softwood
