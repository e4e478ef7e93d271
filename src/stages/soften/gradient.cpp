#include "stages/soften/gradient.h"

#include <fmt/format.h>

#include "softwood/error.h"
#include "stages/soften/ramps.h"
#include "stages/tune.h"

namespace softwood::soften {

namespace {

// Wide: gradients reach only rows that lie on a ramp. Narrow ramps suit sharp borders between
// classes, and inputs with a few values far from the others, whose standard deviation is large. For
// numbers they were worse on all sets tried.
std::vector<double> usual_softness(Task task) {
  constexpr double wide = 4, narrow = 1;
  if (task == Task::regression) return {wide};
  return {wide, narrow};
}

struct Moves {
  bool cuts, leaves;
};
constexpr Named<Moves> move_choices[] = {{"ramps", {false, false}},
                                         {"ramps,thresholds", {true, false}},
                                         {"ramps,leaves", {false, true}},
                                         {"ramps,thresholds,leaves", {true, true}}};

constexpr Named<std::optional<gradient::Loss>> loss_choices[] = {
    {"auto", std::nullopt},
    {"log", gradient::Loss::mixed_log},
    {"exponential", gradient::Loss::mixed_exponential},
    {"squared", gradient::Loss::mixed_squared}};

std::optional<gradient::Loss> loss_of(const Options& options, Task task) {
  const std::optional<gradient::Loss> loss = options.choice("loss", loss_choices);
  if (task == Task::regression) {
    if (!loss || loss == gradient::Loss::mixed_squared) return std::nullopt;  // the usual one
    throw Error(
        ErrorKind::usage,
        fmt::format("loss={} is for classes, and the target is a number", options.text("loss")), {},
        "in regression it is the squared error: leave 'loss' out");
  }
  return loss.value_or(gradient::Loss::mixed_log);
}

}  // namespace

Tree by_gradient(Context& context, Tree tree) {
  const Options& options = context.options;
  if (leaves_are_in_the_way(tree)) {
    context.control.say(
        "soften by=gradient leaves the tree as it is: its leaves were trained with its gates");
    return tree;
  }
  // Models that are fitted when all else is done; until then constants stand for them.
  const bool models_follow = tree.leaf_plan().fits_models();
  gradient::TuneSettings settings;
  settings.compile.steps = gradient::SoftLink::ramp;
  settings.compile.mix_answers = true;
  settings.compile.train_levels = false;
  settings.softness = options.has_number("softness") ? std::vector<double>{options.real("softness")}
                                                     : usual_softness(tree.task());
  settings.name = "soften by=gradient";
  settings.compile.node_spread = true;
  settings.regrow = true;
  settings.freedom.gates = false;
  const Moves moves = options.choice("move", move_choices);
  settings.freedom.cuts = moves.cuts;
  settings.freedom.leaves = moves.leaves && !models_follow;
  settings.compile.exact_leaves = !settings.freedom.leaves;
  settings.loss = loss_of(options, tree.task());
  settings.hold_out = options.real("hold-out");
  settings.schedule.set_steps(
      options.has_number("steps")
          ? options.count("steps")
          : gradient::tuning_steps(context.rows.size(), settings.schedule.batch));
  Tree soft = tune_by_gradient(context, tree, settings);
  if (models_follow) {
    for (NodeIndex i = 0; i < soft.size(); ++i) soft.node(i).model.reset();
    soft.set_leaf_plan(tree.leaf_plan());
  }
  return soft;
}

std::vector<OptionSpec> gradient_options() {
  return {
      {.name = "move",
       .type = OptionType::choice,
       .fallback = "ramps,thresholds,leaves",
       .help = "what is tuned: the widths of the ramps, and if wanted thresholds and leaves",
       .choices = names_of(move_choices),
       .only_with = "by=gradient"},
      {.name = "loss",
       .type = OptionType::choice,
       .fallback = "auto",
       .help = "log: minus the logarithm of the probability; exponential: the objective of the "
               "paper on annealing; squared: the squared error, of the target or of probabilities; "
               "auto: log for classification, squared for regression",
       .choices = names_of(loss_choices),
       .only_with = "by=gradient"},
      {.name = "softness",
       .type = OptionType::real,
       .fallback = "auto",
       .help = "width of a ramp when the training starts, from end to end, in standard deviations "
               "of its input among the rows of the node; auto: 4, for classes 4 or 1, whichever is "
               "better on the held-out rows",
       .low = 1e-3,
       .high = 1e3,
       .only_with = "by=gradient",
       .word = "auto"},
      gradient::tuning_steps_option(),
      gradient::hold_out_option(),
  };
}

}  // namespace softwood::soften
