#include "stages/grow/bin_search.h"

#include <algorithm>
#include <limits>

#include "data/class_weights.h"
#include "data/feature_options.h"
#include "softwood/error.h"
#include "stats/scan.h"
#include "tree/costs.h"

namespace softwood::grow {
namespace {

// What the search asks of a target: neither bins nor levels need rows.
Target target_without_rows(const Schema& schema, const RowCoding& coding) {
  Target target;
  target.task = schema.task();
  target.classes = schema.classes();
  target.centre = coding.centre;
  if (target.task == Task::regression) target.set_numbers({coding.least});
  return target;
}

}  // namespace

void FoundSplit::write(ByteWriter& out) const {
  out.value(score);
  std::vector<int64_t> numbers = {feature, children, static_cast<int64_t>(position),
                                  missing_left ? 1 : 0};
  out.wholes(numbers);
  out.value(static_cast<uint8_t>(is_levels()));
  if (is_levels()) {
    out.value(levels.score);
    out.vector(levels.child);
    out.vector(level_codes);
  }
  out.wholes(child_sums);
  out.wholes(missing);
}

FoundSplit FoundSplit::read(ByteReader& in) {
  FoundSplit found;
  found.score = in.value<double>();
  const std::vector<int64_t> numbers = in.wholes();
  if (numbers.size() != 4) throw Error(ErrorKind::failure, "a split that can't be read");
  found.feature = static_cast<uint32_t>(numbers[0]);
  found.children = static_cast<uint32_t>(numbers[1]);
  found.position = static_cast<size_t>(numbers[2]);
  found.missing_left = numbers[3] != 0;
  if (in.value<uint8_t>() != 0) {
    found.levels.score = in.value<double>();
    found.levels.children = found.children;
    found.levels.child = in.vector<uint32_t>();
    found.level_codes = in.vector<uint32_t>();
  }
  found.child_sums = in.wholes();
  found.missing = in.wholes();
  return found;
}

Division division_of(const Found& found, const FeatureBins& bins) {
  Division division;
  const uint32_t codes = bins.bins + 1;
  if (found.is_levels()) {
    division.gate = levels_gate(found, codes - 1, division.missing);
  } else {
    division.missing.child = found.missing_left ? 0 : 1;
    division.gate =
        threshold_gate(found.feature, found.position == bins.bins ? above_all_values
                                                                  : bins.cuts[found.position - 1]);
  }
  const LevelsGate* const levels = level_map(division.gate);
  for (uint32_t code = 0; code < codes; ++code) {
    const int32_t child = code + 1 == codes   ? static_cast<int32_t>(division.missing.child)
                          : levels != nullptr ? std::max(0, levels->child_of_level[code])
                                              : static_cast<int32_t>(code >= found.position);
    division.child_of_code.push_back(static_cast<uint32_t>(child));
  }
  return division;
}

BinSearch::BinSearch(const BinnedPlan& plan, InputRange inputs)
    : schema_(plan.schema),
      options_(plan.options),
      coding_(plan.coding),
      inputs_(inputs),
      min_leaf_(plan.options.real("min-leaf")),
      nominal_(nominal_option(plan.options)),
      feature_costs_(feature_costs(plan.options, plan.schema)),
      target_(target_without_rows(plan.schema, plan.coding)),
      width_(plan.coding.cell_width()) {
  if (!plan.costs.empty()) altered_ = altered_weights(plan.costs, schema_.classes());
  make_search(options_, target_);  // refuses what does not go together
  uint64_t codes = 0;
  for (const FeatureBins& feature : coding_.bins) codes += feature.bins + uint64_t{1};
  if (codes * width_ > std::numeric_limits<uint32_t>::max()) {
    throw Error(ErrorKind::usage, "too many bins, inputs and classes for search=binned", {},
                "use fewer bins, or search=exact");
  }
  offsets_.push_back(0);
  for (size_t f = inputs_.begin; f < inputs_.end; ++f) {
    offsets_.push_back(offsets_.back() + coding_.bins[f].bins + 1);
  }
}

void BinSearch::start(std::span<const int64_t> root) {
  start(altered_.empty() ? std::vector<double>() : class_factors(cell_of(root), altered_));
}

void BinSearch::start(std::vector<double> factor) {
  target_.factor = std::move(factor);
  // Where classes count by costs, the search is told that weights are not 1.
  if (!target_.factor.empty()) target_.weight.assign(1, 1.0);
  search_ = make_search(options_, target_);
}

std::vector<int64_t> BinSearch::sums_of(const Histogram& histogram) const {
  std::vector<int64_t> sums(width_);
  for (size_t i = 0; i < offsets_[1] * width_; ++i) sums[i % width_] += histogram[i];
  return sums;
}

std::vector<double> BinSearch::cell_of(std::span<const int64_t> sums) const {
  std::vector<double> cell(width_);
  to_numbers(sums.data(), cell);
  return cell;
}

double BinSearch::weight_of(const double* cell) const {
  if (target_.task == Task::regression) return cell[0];
  double weight = 0;
  for (size_t k = 0; k < width_; ++k) weight += cell[k];
  return weight;
}

void BinSearch::to_numbers(const int64_t* from, std::span<double> cells) const {
  for (size_t i = 0; i < cells.size(); ++i) {
    const bool is_amount = target_.task == Task::regression && i % 2 == 1;
    cells[i] =
        static_cast<double>(from[i]) * (is_amount ? coding_.amount_unit : coding_.weight_unit);
  }
}

Found BinSearch::search_input(std::span<const double> node, const Histogram& histogram,
                              size_t input, Scratch& scratch) const {
  const size_t codes = coding_.bins[input].bins + size_t{1};
  std::vector<double>& cells = scratch.cells;
  cells.resize(codes * width_);
  to_numbers(&histogram[offsets_[input - inputs_.begin] * width_], cells);
  if (!target_.factor.empty()) {
    for (size_t i = 0; i < cells.size(); ++i) cells[i] *= target_.factor[i % width_];
  }
  Found found;
  if (schema_.features[input].kind != Kind::nominal) {
    const double* missing = &cells[(codes - 1) * width_];
    const Cut cut =
        search_->best_bin(node, {cells.data(), (codes - 1) * width_},
                          weight_of(missing) > 0 ? missing : nullptr, min_leaf_, scratch);
    found.score = cut.score;
    found.position = cut.position;
    found.missing_left = cut.missing_left;
    return found;
  }
  // Levels that occur, moved together; missing is the last code.
  for (uint32_t code = 0; code < codes; ++code) {
    if (!(weight_of(&cells[code * width_]) > 0)) continue;
    std::copy_n(&cells[code * width_], width_, &cells[found.level_codes.size() * width_]);
    found.level_codes.push_back(code + 1 == codes ? missing_level : code);
  }
  if (found.level_codes.size() < 2) return {};
  cells.resize(found.level_codes.size() * width_);
  found.levels = search_->best_levels(node, cells, nominal_, min_leaf_, scratch);
  found.score = found.levels.score;
  found.children = found.levels.children;
  return found;
}

// best() passes over what is not clearly better than the best before it. What is worth less than
// the most by a margin for each input, and one, can't change what it ends with: every split that
// something passed over makes room for is worth at most one margin more than that.
std::vector<FoundSplit> BinSearch::candidates(const Histogram& histogram) const {
  std::vector<double> node = cell_of(sums_of(histogram));
  for (size_t k = 0; k < target_.factor.size(); ++k) node[k] *= target_.factor[k];
  const double share = 1 - 2 * tie_margin * static_cast<double>(coding_.bins.size() + 1);
  std::vector<FoundSplit> kept;
  double most = 0;
  Scratch scratch;
  const auto worth = [&](const Found& found) {
    return found.score / feature_costs_[found.feature];
  };
  for (size_t input = inputs_.begin; input < inputs_.end; ++input) {
    Found found = search_input(node, histogram, input, scratch);
    found.feature = static_cast<uint32_t>(input);
    if (!(worth(found) > 0) || worth(found) < most * share) continue;
    most = std::max(most, worth(found));
    kept.push_back({std::move(found), {}, {}});
  }
  std::erase_if(kept, [&](const FoundSplit& split) { return worth(split) < most * share; });
  for (FoundSplit& split : kept) set_sums(split, histogram);
  return kept;
}

void BinSearch::set_sums(FoundSplit& split, const Histogram& histogram) const {
  const Division division = division_of(split, coding_.bins[split.feature]);
  const int64_t* cell = &histogram[offsets_[split.feature - inputs_.begin] * width_];
  split.child_sums.resize(split.children * width_);
  for (const uint32_t child : division.child_of_code) {
    for (size_t k = 0; k < width_; ++k) split.child_sums[child * width_ + k] += cell[k];
    cell += width_;
  }
  split.missing.assign(cell - width_, cell);
}

FoundSplit BinSearch::best(std::span<const FoundSplit> candidates, std::span<const double> cell,
                           const Tree& tree, NodeIndex node, const Limits& limits) const {
  const FoundSplit* best = nullptr;
  double best_worth = 0;  // score of the best, divided by the cost of its feature
  for (const FoundSplit& split : candidates) {
    const double worth = split.score / feature_costs_.at(split.feature);
    if (!clearly_better(worth, best_worth)) continue;
    best_worth = worth;
    best = &split;
  }
  FoundSplit chosen = best == nullptr ? FoundSplit() : *best;
  std::vector<double> own(cell.begin(), cell.end());
  for (size_t k = 0; k < target_.factor.size(); ++k) own[k] *= target_.factor[k];
  set_improvement(chosen, *search_, own, tree, node, limits);
  return chosen;
}

void CountPlan::write(ByteWriter& out) const {
  for (const auto* part : {&next, &rest_of, &asked, &subtract_from}) out.vector(*part);
}

CountPlan CountPlan::read(ByteReader& in) {
  CountPlan plan;
  for (auto* part : {&plan.next, &plan.rest_of, &plan.asked, &plan.subtract_from}) {
    *part = in.vector<uint64_t>();
  }
  const auto is_place = [&](uint64_t place) { return place == nobody || place < plan.next.size(); };
  if (plan.rest_of.size() != plan.next.size() || plan.subtract_from.size() != plan.asked.size() ||
      !std::all_of(plan.asked.begin(), plan.asked.end(), is_place) ||
      !std::all_of(plan.subtract_from.begin(), plan.subtract_from.end(), is_place)) {
    throw Error(ErrorKind::failure, "a plan of other nodes than those asked for");
  }
  return plan;
}

void CountPlan::fill(std::span<const int64_t> sums, size_t cells,
                     std::span<BinSearch::Histogram* const> next_histograms) const {
  if (sums.size() != asked.size() * cells || next_histograms.size() != next.size()) {
    throw Error(ErrorKind::failure, "sums of other nodes than those asked for");
  }
  for (size_t i = 0; i < asked.size(); ++i) {
    const std::span<const int64_t> own = sums.subspan(i * cells, cells);
    if (subtract_from[i] != nobody) {
      BinSearch::Histogram& rest = *next_histograms[subtract_from[i]];
      if (rest.size() != cells) throw Error(ErrorKind::failure, "sums of a node are not there");
      std::transform(rest.begin(), rest.end(), own.begin(), rest.begin(), std::minus<>());
    }
    if (asked[i] != nobody) next_histograms[asked[i]]->assign(own.begin(), own.end());
  }
}

}  // namespace softwood::grow
