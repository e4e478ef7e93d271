#include "stages/auto/race.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/random.h"
#include "base/text.h"
#include "data/convert.h"
#include "softwood/error.h"
#include "stages/auto/constants.h"
#include "stages/auto/copies.h"
#include "stages/auto/pick.h"
#include "stages/unsuitable.h"
#include "use/predict.h"

namespace softwood::choice {
namespace {

using Clock = Control::Clock;

// By what rows say, so that their order does not matter.
std::vector<RowIndex> some_of(const Table& table, std::span<const RowIndex> rows, size_t most,
                              uint64_t seed) {
  if (rows.size() <= most) return {rows.begin(), rows.end()};
  const double share = static_cast<double>(most) / static_cast<double>(rows.size());
  const std::vector<char> inside = stratified_part(table, rows, share, seed);
  std::vector<RowIndex> some;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (inside[i] != 0) some.push_back(rows[i]);
  }
  return some;
}

// By row, the part; copies of a row are in one, where rows enough differ for that.
std::vector<uint32_t> parts_of(const Context& context, std::span<const RowIndex> rows,
                               size_t parts) {
  const Table& table = context.table();
  const Copies copies = copies_of(table, rows, context.control);
  const auto all = static_cast<double>(rows.size());
  const double surplus = all - static_cast<double>(copies.different);
  const bool together = copies.copied && copies.different >= Constants::least_rows;
  if (copies.copied && surplus > Constants::many_copies * all) {
    context.control.warn(fmt::format(
        "auto: only {} differ{}, the others are copies: {}", counted(copies.different, "row"),
        copies.different == 1 ? "s" : "",
        together ? "copies of a row are in one part"
                 : "trees are judged by copies of rows that they have seen, so that the figures "
                   "for new rows are too good"));
  }
  if (!together) return stratified_folds(table, rows, parts, context.seed);
  std::vector<RowIndex> different;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (copies.first[i] == i) different.push_back(rows[i]);
  }
  const std::vector<uint32_t> dealt = stratified_folds(table, different, parts, context.seed);
  std::vector<uint32_t> part_of(rows.size());
  size_t next = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (copies.first[i] == i) part_of[i] = dealt[next++];
  }
  for (size_t i = 0; i < rows.size(); ++i) part_of[i] = part_of[copies.first[i]];
  return part_of;
}

std::vector<Part> divided(const Context& context) {
  const Table& table = context.table();
  const std::vector<RowIndex> rows =
      some_of(table, context.rows, Constants::most_judged_rows, mix64(context.seed));
  const size_t count = rows_of(weights_of({&table, rows}));
  if (count < Constants::least_rows || rows.size() < Constants::parts_of_few) return {};
  const bool few = count < Constants::few_rows;
  const size_t parts = few ? Constants::parts_of_few : Constants::parts_of_many;
  const std::vector<uint32_t> part_of = parts_of(context, rows, parts);
  std::vector<Part> list(few ? Constants::judging_of_few : Constants::judging_of_many);
  for (size_t part = 0; part < list.size(); ++part) {
    for (size_t i = 0; i < rows.size(); ++i) {
      (part_of[i] == part ? list[part].judging : list[part].learning).push_back(rows[i]);
    }
  }
  return list;
}

std::vector<RowIndex> known_rows(const Sample& sample) {
  std::vector<RowIndex> rows;
  for (const RowIndex row : sample.rows) {
    if (!sample.table->target().is_missing(row)) rows.push_back(row);
  }
  return rows;
}

Clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// The mean of sizes seen so far, rounded; of the rest the worst.
TreeFigures averaged(const TreeFigures& before, size_t parts, const TreeFigures& now) {
  const auto mean = [&](size_t a, size_t b) {
    return static_cast<size_t>(
        std::lround((static_cast<double>(a) * static_cast<double>(parts) + static_cast<double>(b)) /
                    static_cast<double>(parts + 1)));
  };
  return {mean(before.parameters, now.parameters),
          mean(before.leaves, now.leaves),
          std::max(before.inputs_per_split, now.inputs_per_split),
          before.hard && now.hard,
          before.constant_leaves && now.constant_leaves,
          before.plain_terms && now.plain_terms};
}

void append(const std::vector<double>& more, std::vector<double>& to) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

Field field_of(const Context& context, Metric metric) {
  const Task task = context.table().schema().task();
  Field field{context, metric,           plain_metric(task, !context.costs.empty()),
              {},      &context.table(), false};
  const auto drawn = [&](const Table& table, std::span<const RowIndex> rows, size_t parts,
                         uint64_t number) {
    return some_of(table, rows, Constants::most_judged_rows / parts, mix64(context.seed + number));
  };
  if (context.validation) {
    const Sample validation = *context.validation;
    const std::vector<RowIndex> known = known_rows(validation);
    if (!known.empty()) {
      field.judges = validation.table;
      field.parts.push_back(
          {drawn(context.table(), context.rows, 1, 0), drawn(*validation.table, known, 1, 3)});
      field.fits_all_rows = field.parts[0].learning.size() == context.rows.size();
      return field;
    }
    context.control.warn(
        "auto: no validation row has a known target; parts of the training rows judge instead");
  }
  const size_t runs = std::min(context.runs.size(), Constants::most_judged_rows);
  for (const Run& run : context.runs) {
    field.parts.push_back(
        {drawn(context.table(), run.train, 1, 0), drawn(context.table(), run.test, runs, 3)});
  }
  if (field.parts.empty()) field.parts = divided(context);
  return field;
}

// Trees of all rows are results, and are fitted again.
Race::Race(const Field& field, std::vector<Candidate> candidates, const Wanted& wanted)
    : field_(field),
      wanted_(wanted),
      finished_(field.fits_all_rows ? nullptr : field.context.checkpoint) {
  if (finished_.known() > 0) {
    field_.context.control.say(
        fmt::format("goes on from {} of the checkpoint", counted(finished_.known(), "fit")));
  }
  for (Candidate& candidate : candidates) {
    entrants_.emplace_back();
    entrants_.back().candidate = std::move(candidate);
  }
  for (const Part& part : field_.parts) {
    append(weights_of({field_.judges, part.judging}), weights_);
  }
  fits_planned_ = entrants_.size() * field_.parts.size() + 1;
  seen_.resize(entrants_.size());
}

double share_of_time(size_t learning, size_t rows) {
  const auto part = static_cast<double>(learning);
  return std::max(Constants::least_share_of_time, part / (part + static_cast<double>(rows)));
}

double loss_on_first_part(const Field& field, const Tree& tree) {
  const Sample rows{field.judges, field.parts[0].judging};
  const Predictions answers = predict(tree, *rows.table, rows.rows, field.context.parallel);
  return weighted_mean(row_losses(field.metric, answers, rows), weights_of(rows));
}

bool is_less_than_judged(const Field& field, const Entrant& judged, const Fitted& fit) {
  if (!fit.cut_short || judged.final_fit) return false;
  const std::vector<double> weights = weights_of({field.judges, field.parts[0].judging});
  return loss_on_first_part(field, fit.tree) > judged.loss(weights).value;
}

// Leaves the time that the last fit is expected to take.
Control Race::inner_control() {
  Control control = field_.context.control.silent();
  if (!control.deadline) return control;
  const std::lock_guard lock(mutex_);
  control.deadline = *control.deadline - duration_of(reserved_);
  return control;
}

bool Race::should_stop() {
  const std::optional<Stopped> stop = inner_control().should_stop();
  const std::lock_guard lock(mutex_);
  if (!stopped_) stopped_ = stop;
  return stopped_.has_value();
}

// None where it was stopped before its end. `share` of the time that is left is its own.
std::optional<Fitted> Race::fit(const Candidate& candidate, std::span<const RowIndex> rows,
                                double share) {
  // A recipe that such rows do not suit, or for which there is not memory enough, is none that
  // could win.
  try {
    if (should_stop()) return {};
    Control control = inner_control();
    if (control.deadline) {
      const Clock::time_point now = Clock::now();
      const std::chrono::duration<double> left = *control.deadline - now;
      control.deadline = now + duration_of(share * std::max(0.0, left.count()));
    }
    std::optional<Fitted> fitted = fit_recipe(field_.context, candidate.recipe, rows, control);
    if (!fitted && !should_stop() && control.should_stop()) {
      const std::lock_guard lock(mutex_);
      cut_short_ = true;
    }
    return fitted;
  } catch (...) {
    why_unsuitable();
    const std::lock_guard lock(mutex_);
    if (&candidate == &entrants_.front().candidate && !baseline_failure_) {
      baseline_failure_ = std::current_exception();
    }
    return {};
  }
}

Bytes Race::Verdict::bytes() const {
  ByteWriter out;
  out.vector(losses);
  out.vector(plain);
  for (const size_t count : {figures.parameters, figures.leaves, figures.inputs_per_split}) {
    out.value(static_cast<uint64_t>(count));
  }
  for (const bool is : {figures.hard, figures.constant_leaves, figures.plain_terms}) {
    out.value(uint8_t{is});
  }
  out.value(seconds);
  return out.take();
}

std::optional<Race::Verdict> Race::Verdict::of(const Bytes& bytes, size_t rows) {
  Verdict verdict;
  try {
    ByteReader in(bytes);
    verdict.losses = in.vector<double>();
    verdict.plain = in.vector<double>();
    TreeFigures& figures = verdict.figures;
    for (size_t* count : {&figures.parameters, &figures.leaves, &figures.inputs_per_split}) {
      *count = in.value<uint64_t>();
    }
    for (bool* is : {&figures.hard, &figures.constant_leaves, &figures.plain_terms}) {
      *is = in.value<uint8_t>() != 0;
    }
    verdict.seconds = in.value<double>();
    in.end();
  } catch (const Error&) {
    return {};
  }
  if (verdict.losses.size() != rows || verdict.plain.size() != rows) return {};
  return verdict;
}

std::optional<Race::Verdict> Race::verdict(const Candidate& candidate, const std::string& part,
                                           std::span<const RowIndex> learning,
                                           const Sample& judging, double share,
                                           std::optional<Fitted>& fitted) {
  const std::string key = part + " " + candidate.recipe;
  if (std::optional<Bytes> known = finished_.find(key)) {
    if (std::optional<Verdict> kept = Verdict::of(*known, judging.rows.size())) return kept;
  }
  fitted = fit(candidate, learning, share);
  if (!fitted) return {};
  const Predictions answers =
      predict(fitted->tree, *judging.table, judging.rows, field_.context.parallel);
  Verdict verdict{row_losses(field_.metric, answers, judging),
                  row_losses(field_.plain, answers, judging), figures_of(fitted->tree),
                  fitted->seconds, fitted->cut_short};
  if (!verdict.cut_short) finished_.add(key, verdict.bytes());
  return verdict;
}

void Race::judge_one(Entrant& entrant, size_t part) {
  std::optional<Fitted> fitted;
  const std::vector<RowIndex>& learning = field_.parts[part].learning;
  const double share =
      field_.fits_all_rows ? 1 : share_of_time(learning.size(), field_.context.rows.size());
  const std::optional<Verdict> found =
      verdict(entrant.candidate, fmt::format("part {}", part), learning,
              {field_.judges, field_.parts[part].judging}, share, fitted);
  if (!found) return;
  const std::lock_guard lock(mutex_);
  append(found->losses, entrant.losses);
  append(found->plain, entrant.plain);
  entrant.figures = averaged(entrant.figures, entrant.judged, found->figures);
  entrant.seconds = found->seconds;
  entrant.cut_short = entrant.cut_short || found->cut_short;
  ++entrant.judged;
  if (field_.fits_all_rows) entrant.final_fit = std::move(fitted);
  tell(entrant);
}

// Keeps time for the last fit of what would be taken now. The mutex is held.
void Race::reserve() {
  const Judged so_far = judged_by_first();
  std::vector<char> allowed;
  for (const Entrant* entrant : so_far.entrants) {
    allowed.push_back(
        entrant->figures.leaves > 1 && within_limits(entrant->figures, wanted_.limits) ? 1 : 0);
  }
  reserved_ = 0;
  if (std::count(allowed.begin(), allowed.end(), 1) == 0) return;
  const Picking picking(so_far, allowed, field_.context.table().schema().classes());
  const Entrant& taken = *so_far.entrants[picking.pick(wanted_.prefer)];
  // What was cut short gets no more time than it had.
  reserved_ = (taken.cut_short ? 1 : Constants::reserve) * expected_seconds(taken);
}

// The mutex is held.
void Race::tell(const Entrant& entrant) {
  const double loss = entrant.loss(weights_).value;
  cut_short_ = cut_short_ || entrant.cut_short;
  if (least_loss_ < 0 || loss < least_loss_) least_loss_ = loss;
  if (field_.context.control.deadline) reserve();
  seen_[static_cast<size_t>(&entrant - entrants_.data())] = {entrant.figures.parameters, loss};
  ++fits_done_;
  field_.context.control.report(
      fmt::format("auto: {} by parameters {}", metric_name(field_.metric), frontier_so_far()),
      static_cast<double>(fits_done_), static_cast<double>(fits_planned_), least_loss_);
}

std::string Race::frontier_so_far() const {
  std::vector<SizeAndLoss> list;
  for (const SizeAndLoss& one : seen_) {
    if (one.parameters > 0) list.push_back(one);
  }
  return sizes_and_losses(std::move(list));
}

std::string sizes_and_losses(std::vector<SizeAndLoss> list) {
  std::stable_sort(list.begin(), list.end(), [](const SizeAndLoss& a, const SizeAndLoss& b) {
    return a.parameters != b.parameters ? a.parameters < b.parameters : a.loss < b.loss;
  });
  std::vector<SizeAndLoss> best;
  for (const SizeAndLoss& one : list) {
    if (best.empty() || one.loss < best.back().loss) best.push_back(one);
  }
  const size_t shown = std::min(best.size(), Constants::shown_of_frontier);
  std::string text;
  for (size_t i = 0; i < shown; ++i) {
    const SizeAndLoss& one = best[shown > 1 ? i * (best.size() - 1) / (shown - 1) : 0];
    text += fmt::format("{}{}:{}", i == 0 ? "" : " ", one.parameters, short_number(one.loss, 3));
  }
  return text;
}

double Race::expected_seconds(const Entrant& entrant) const {
  if (entrant.final_fit) return 0;
  const auto rows = static_cast<double>(field_.context.rows.size());
  return entrant.seconds * rows /
         std::max(1.0, static_cast<double>(field_.parts[0].learning.size()));
}

void Race::judge(size_t part, Effort effort) {
  std::vector<Entrant*> list;
  for (Entrant& entrant : entrants_) {
    if (!entrant.dropped && entrant.candidate.effort == effort && entrant.judged == part) {
      list.push_back(&entrant);
    }
  }
  field_.context.parallel.each(list.size(), [&](size_t i) { judge_one(*list[i], part); });
}

// Whether whoever may take `one` may take the other instead: it is no larger, keeps the limits
// where `one` does, and people can read it where they can read `one`.
bool Race::stands_for(const TreeFigures& other, const TreeFigures& one) const {
  const size_t classes = field_.context.table().schema().classes();
  return other.parameters <= one.parameters &&
         (within_limits(other, wanted_.limits) || !within_limits(one, wanted_.limits)) &&
         (is_readable(other, classes) || !is_readable(one, classes));
}

// Where there are many rows, those that take long and are hopeless with few are not tried with all.
void Race::try_small() {
  const Part& part = field_.parts[0];
  if (part.learning.size() < 2 * Constants::racing_rows) return;
  const Context& context = field_.context;
  const std::vector<RowIndex> learning =
      some_of(context.table(), part.learning, Constants::racing_rows, mix64(context.seed + 1));
  const std::vector<RowIndex> judging =
      some_of(*field_.judges, part.judging, Constants::racing_rows, mix64(context.seed + 2));
  const Sample sample{field_.judges, judging};
  const std::vector<double> weights = weights_of(sample);
  struct Tried {
    Entrant* entrant;
    std::optional<std::vector<double>> losses;
    TreeFigures figures;
  };
  std::vector<Tried> tried;
  for (Entrant& entrant : entrants_) {
    const Effort effort = entrant.candidate.effort;
    if (is_quick(effort) || effort == Effort::slow) tried.push_back({&entrant, {}, {}});
  }
  context.parallel.each(tried.size(), [&](size_t i) {
    std::optional<Fitted> unused;
    std::optional<Verdict> found =
        verdict(tried[i].entrant->candidate, "small", learning, sample, 1, unused);
    if (!found || found->cut_short) return;
    tried[i].losses = std::move(found->losses);
    tried[i].figures = found->figures;
  });
  if (stopped_) return;
  for (const Tried& one : tried) {
    if (one.entrant->candidate.effort != Effort::slow || !one.losses) continue;
    for (const Tried& other : tried) {
      if (&other == &one || !other.losses || !stands_for(other.figures, one.figures)) continue;
      const Mean gap = mean_difference(*one.losses, *other.losses, weights);
      const double least = mean_of(*other.losses, weights).value;
      if (gap.value > Constants::dropping_errors * gap.standard_error &&
          gap.value > Constants::racing_share * least) {
        one.entrant->dropped = true;
      }
    }
  }
}

// Those that one which may stand for them beats for certain. The baseline stays, whatever beats it.
void Race::drop(size_t parts) {
  std::vector<Entrant*> left;
  for (Entrant& entrant : entrants_) {
    if (!entrant.dropped && entrant.judged == parts) left.push_back(&entrant);
  }
  for (Entrant* const one : left) {
    if (one == entrants_.data()) continue;
    for (const Entrant* const other : left) {
      if (other == one || !stands_for(other->figures, one->figures)) continue;
      const Mean gap = mean_difference(one->losses, other->losses,
                                       std::span(weights_).first(one->losses.size()));
      if (gap.value > Constants::dropping_errors * gap.standard_error) one->dropped = true;
    }
  }
}

// What a stop leaves has a split.
bool Race::may_be_spare(const Entrant& entrant) const {
  return entrant.judged > 0 && is_quick(entrant.candidate.effort) && entrant.figures.leaves > 1 &&
         within_limits(entrant.figures, wanted_.limits);
}

// The best first; what people can read before all others, where that is wanted. The tree of all
// rows may be another than that of fewer.
void Race::keep_spare() {
  const size_t classes = field_.context.table().schema().classes();
  const auto reads = [&](const TreeFigures& figures) {
    return wanted_.prefer == Prefer::readable && is_readable(figures, classes);
  };
  std::vector<const Entrant*> list;
  for (const Entrant& entrant : entrants_) {
    if (may_be_spare(entrant)) list.push_back(&entrant);
  }
  std::stable_sort(list.begin(), list.end(), [&](const Entrant* a, const Entrant* b) {
    if (reads(a->figures) != reads(b->figures)) return reads(a->figures);
    return a->loss(weights_).value < b->loss(weights_).value;
  });
  for (const Entrant* const entrant : list) {
    if (entrant == spare_of_) return;
    std::optional<Fitted> fitted = entrant->final_fit;
    if (!fitted) fitted = fit(entrant->candidate, field_.context.rows, 1);
    if (!fitted && stopped_) return;
    if (!fitted) continue;
    const TreeFigures figures = figures_of(fitted->tree);
    if (figures.leaves == 1 || !within_limits(figures, wanted_.limits)) continue;
    if (reads(entrant->figures) && !reads(figures)) continue;
    spare_ = std::move(fitted);
    spare_of_ = entrant;
    return;
  }
}

void Race::run() {
  const Control& control = field_.context.control;
  // What a stop leaves. Nobody can stop where there is neither a deadline nor an interrupt.
  const bool may_stop = control.deadline || control.interrupt;
  for (const Effort effort : efforts) {
    if (effort == Effort::middling) try_small();
    judge(0, effort);
    if (may_stop && is_quick(effort)) keep_spare();
  }
  for (size_t part = 1; part < field_.parts.size() && !stopped_; ++part) {
    drop(part);
    for (const Effort effort : efforts) judge(part, effort);
  }
}

// Stopped, some have been judged by more parts than others: all are compared by the first one.
Judged Race::judged() const { return judged_by(stopped_ ? 1 : field_.parts.size()); }

Judged Race::judged_by_first() const { return judged_by(1); }

Judged Race::judged_by(size_t parts) const {
  Judged result;
  result.parts = parts;
  for (size_t part = 0; part < parts; ++part) result.rows += field_.parts[part].judging.size();
  for (const Entrant& entrant : entrants_) {
    if (entrant.judged >= parts) result.entrants.push_back(&entrant);
  }
  result.weights = std::span(weights_).first(result.rows);
  if (!field_.fits_all_rows && !field_.parts.empty()) {
    result.learning = rows_of(weights_of({&field_.context.table(), field_.parts[0].learning}));
  }
  return result;
}

}  // namespace softwood::choice
