#include "stages/auto/fitted.h"

#include <chrono>

#include "softwood/error.h"

namespace softwood::choice {

bool is_result(const Tree& tree, const StageReport& report) {
  if (report.stopped == Stopped::converged) return true;
  return report.stopped == Stopped::budget && !report.part_of_rows && tree.size() > 1;
}

std::optional<Fitted> fit_recipe(const Context& context, const std::string& recipe,
                                 std::span<const RowIndex> rows, const Control& control) {
  const Control::Clock::time_point start = Control::Clock::now();
  std::vector<Note> notes;
  Control inner = control.silent();
  inner.note = [&](const Note& note) { notes.push_back(note); };
  const Training training{.derived = context.derived,
                          .rows = rows,
                          .validation = {},
                          .seed = context.seed,
                          .costs = {context.costs.begin(), context.costs.end()}};
  try {
    Trained trained = run_recipe(Recipe::parse(recipe), training, context.parallel, inner);
    if (!is_result(trained.tree, trained.report)) return {};
    Fitted fitted{std::move(trained.tree), std::move(trained.report.complexity), std::move(notes)};
    fitted.seconds = std::chrono::duration<double>(Control::Clock::now() - start).count() +
                     trained.report.spared_seconds;
    fitted.cut_short = trained.report.stopped != Stopped::converged;
    return fitted;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted) throw;
    return {};
  }
}

}  // namespace softwood::choice
