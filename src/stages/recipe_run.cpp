// Recipes are run: stage after stage, with the context that each of them gets.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

#include "data/convert.h"
#include "fit/leaf_models.h"
#include "softwood/error.h"
#include "stages/recipe.h"

namespace softwood {
namespace {

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

// Progress of one stage that never falls within an activity, also where a stage finds that it has
// more to do. Where a budget ends the stage, the time that is over counts as well.
class RisingProgress {
 public:
  RisingProgress(const Control& control, bool ends_by_deadline) : told_(control.progress) {
    if (ends_by_deadline) deadline_ = control.deadline;
  }
  void operator()(Progress now) {  // from one thread at a time
    const std::string_view activity = now.activity.substr(0, now.activity.find(':'));
    if (activity != activity_) {
      activity_ = activity;
      reached_ = 0;
    }
    reached_ = std::max({reached_, now.share(), share_of_time()});
    if (now.share() < reached_) now.done = reached_ * now.of;
    told_(now);
  }

 private:
  double share_of_time() const {
    if (!deadline_ || *deadline_ <= began_) return 0;
    const std::chrono::duration<double> over = Clock::now() - began_, all = *deadline_ - began_;
    return std::min(over / all, 1.0);
  }

  std::function<void(const Progress&)> told_;
  std::optional<Control::Clock::time_point> deadline_;
  Clock::time_point began_ = Clock::now();
  std::string activity_;
  double reached_ = 0;
};

// A stage that refines a tree keeps it as it came where it is interrupted in work that has no
// result before its end, such as growing a tree on other rows.
Tree run_stage(const Stage& stage, Context& context, Tree tree) {
  if (!stage.anytime || stage.starts) return stage.run(context, std::move(tree));
  try {
    return stage.run(context, tree);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted) throw;
    context.report.stopped = Stopped::interrupt;
    return tree;
  }
}

bool leaves_columns(const Step& step) { return step.traits().leaves_columns; }

// All stages; leaves are left with their constants.
Trained run_stages(const Recipe& recipe, const Training& training, std::span<const RowIndex> used,
                   const Parallel& parallel, const Control& control, std::optional<Tree> tree,
                   size_t finished) {
  const Schema& schema = training.derived.table().schema();
  Trained trained{tree ? std::move(*tree) : Tree(schema.task(), schema.classes()), {}, {}};
  trained.tree.set_costs(training.costs);
  for (size_t i = finished; i < recipe.steps().size(); ++i) {
    const Clock::time_point start = Clock::now();
    const Step& step = recipe.steps()[i];
    const bool last_use =
        training.only_use && std::all_of(recipe.steps().begin() + static_cast<ptrdiff_t>(i) + 1,
                                         recipe.steps().end(), leaves_columns);
    Control own = control;
    own.stage = step.stage->name;
    if (control.progress) {
      own.progress = [rising = std::make_shared<RisingProgress>(control, step.stage->anytime)](
                         const Progress& now) { (*rising)(now); };
    }
    own.must_finish = own.must_finish || trained.report.stopped == Stopped::interrupt;
    std::atomic<Stopped> rerun_stopped = Stopped::converged;
    std::atomic<double> rerun_spared = 0;
    const auto rerun = [&, i](std::span<const RowIndex> rows, const Parallel& inner) {
      const Training other{.derived = training.derived,
                           .rows = rows,
                           .validation = {},
                           .seed = training.seed,
                           .costs = training.costs,
                           .coded = training.coded};
      Trained again =
          run_stages(recipe.first(i), other, RowsWithWeight(other.derived.table(), rows).rows(),
                     inner, own.silent(), std::nullopt, 0);
      if (again.report.stopped != Stopped::converged) rerun_stopped = again.report.stopped;
      rerun_spared += again.report.spared_seconds;
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
                    training.checkpoint,
                    training.runs,
                    training.coded,
                    training.merged};
    const Stopped before = std::exchange(trained.report.stopped, Stopped::converged);
    const size_t repeatable = trained.report.repeat_settings.size();
    // The recipes that it tries have much in common.
    std::optional<SharedWork::Keeper> keeper;
    if (step.stage->chooses) keeper.emplace(training.derived.shared_work());
    trained.tree = run_stage(*step.stage, context, std::move(trained.tree));
    trained.tree.set_costs(training.costs);
    if (rerun_stopped != Stopped::converged) trained.report.stopped = rerun_stopped;
    trained.report.spared_seconds += rerun_spared;
    if (trained.report.stopped == Stopped::converged) {
      trained.report.stopped = before;
    } else if (rerun_stopped != Stopped::converged ||
               trained.report.repeat_settings.size() == repeatable) {
      trained.by_the_clock = true;
    }
    own.report(step.stage->name, 1);
    add_seconds(trained, step.stage->name, start);
  }
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
      fmt::format("leaf={}: 0 of {} got a model, in none was one better than the "
                  "constant answer",
                  leaf_plan_name(tree.leaf_plan()), counted(leaves, "leaf", "leaves")));
}

}  // namespace

void check_targets(const Table& table, std::span<const RowIndex> rows) {
  if (rows.empty()) return;  // the first stage says so
  if (!table.has_target()) {
    throw Error(ErrorKind::data, "the rows to learn from have no target", {},
                "read them as data to learn from");
  }
  const Column& target = table.target();
  const auto unknown = static_cast<size_t>(std::count_if(
      rows.begin(), rows.end(), [&](RowIndex row) { return target.is_missing(row); }));
  if (unknown == 0) return;
  throw Error(ErrorKind::data,
              fmt::format("{} {}", counted(unknown, "row"),
                          target.kind == Kind::numeric ? "without a target"
                                                       : "of a class that the model does not know"),
              {}, "train a new model on these data, or leave those rows out");
}

Trained run_recipe(const Recipe& recipe, const Training& training, const Parallel& parallel,
                   const Control& control, std::optional<Tree> tree, size_t finished) {
  const Table& table = training.derived.table();
  const StoppableWork work(control);
  const RowsWithWeight used(table, training.rows);
  check_targets(table, used.rows());
  if (training.validation) check_weight(*training.validation);
  CodedCache coded(table, used.rows());
  Training shared = training;
  shared.coded = &coded;
  Trained trained =
      run_stages(recipe, shared, used.rows(), parallel, control, std::move(tree), finished);
  // A tree that was chosen from others has the models of its leaves.
  const bool chosen = !recipe.steps().empty() && recipe.steps().back().stage->chooses;
  if (trained.tree.leaf_plan().fits_models() && !chosen) {
    const Clock::time_point start = Clock::now();
    Control own = control;
    own.must_finish = trained.report.stopped == Stopped::interrupt;
    fit::fit_leaf_models(trained.tree, table, used.rows(), parallel, own);
    note_absent_models(trained.tree, control);
    add_seconds(trained, recipe.steps().back().stage->name, start);
  }
  return trained;
}

}  // namespace softwood
