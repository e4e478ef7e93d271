#include "stages/soft/choose.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "base/math.h"
#include "softwood/error.h"
#include "stages/soft/constants.h"

namespace softwood::soft {

using gradient::Map;
using gradient::Products;

namespace {

size_t numeric_inputs(const Table& table) {
  size_t count = 0;
  for (uint32_t f = 0; f < table.features(); ++f) {
    count += table.input(f).kind == Kind::numeric ? 1 : 0;
  }
  return count;
}

// All kinds of terms, maps and leaves that are left open.
std::vector<Settings> makes(CandidateFits& fits, const Preferences& preferences) {
  std::vector<Map> maps = {preferences.settings.map};
  // Levels are neither mapped nor multiplied.
  const size_t numeric = fits.data().outputs() <= Constants::most_mapped_outputs
                             ? numeric_inputs(fits.run().table())
                             : 0;
  if (preferences.any_map && numeric > 0) maps = {Map::none, Map::asinh};
  if (preferences.any_map && numeric > 0 && numeric <= Constants::most_knotted_inputs)
    maps.push_back(Map::knots);
  std::vector<Products> products = {preferences.settings.products};
  if (preferences.any_terms && numeric > 0) {
    products = {Products::none, Products::squares};
    if (numeric > 1 && numeric <= Constants::most_paired_inputs) products.push_back(Products::all);
  }
  std::vector<bool> leaves = {preferences.settings.linear_leaves};
  if (preferences.any_leaves) leaves = {false, true};
  std::vector<Settings> list;
  for (const Map map : maps) {
    for (const Products product : products) {
      // Products are made of the inputs themselves.
      if (map != Map::none && product != Products::none && products.size() > 1) continue;
      for (const bool linear : leaves) {
        list.push_back(preferences.settings);
        list.back().map = map;
        list.back().products = product;
        list.back().linear_leaves = linear;
      }
    }
  }
  return list;
}

// Of the rows that judged, if all are answered by the mean of their targets, or by the shares of
// their classes.
double baseline_loss(FitData& data, const Fitted& fitted) {
  const FitData::ByPart& by_part = data.by_part(fitted.settings);
  std::map<float, double> weights;  // of the targets
  double total = 0, sum = 0, count = 0;
  for (size_t part = 0; part < fitted.parameters.size(); ++part) {
    const gradient::Rows<float>& rows = by_part.held_out[part];
    for (size_t i = 0; i < rows.count; ++i) {
      weights[rows.target[i]] += rows.weight[i];
      sum += double{rows.weight[i]} * double{rows.target[i]};
      total += rows.weight[i];
    }
    count += static_cast<double>(rows.count);
  }
  const bool numbers =
      data.network(fitted.settings, by_part.bases[0]).loss == gradient::Loss::squared;
  double loss = 0;
  for (const auto& [target, weight] : weights) {
    const double gap = double{target} - sum / total;
    loss += weight * (numbers ? gap * gap / 2 : -math::log(weight / total));
  }
  return loss / std::max(1.0, count);
}

class Choice {
 public:
  Choice(CandidateFits& fits, const Preferences& preferences)
      : fits_(fits), preferences_(preferences) {}

  Chosen run() {
    choose_imputation();
    std::vector<Settings> list = with_depths(makes(fits_, preferences_), Constants::first_depths);
    std::vector<Fitted> screened;
    fits_.run().report(0);
    if (list.size() > 1 || preferences_.any_decay) {
      screened = race(list);
      list = best_makes(screened);
    }
    if (preferences_.any_depth) {
      fits_.run().report(0.1);
      for (Fitted& other : screen(with_other_depths(list))) screened.push_back(std::move(other));
      list = settings_of(screened, Constants::kept_depths);
      if (preferences_.any_leaves) add(hopeful(regressions(), screened, 1), list);
      add(hopeful(greedy(), screened, Constants::kept_greedy), list);
    }
    fits_.run().report(0.2);
    // Told to stop: what was screened is all that there will be.
    if (fits_.run().stopped) pool_ = std::move(screened);
    consider(list);
    // Fits that were stopped at their beginning are behind what was screened.
    if (fits_.run().stopped || pool_.empty()) {
      std::move(screened.begin(), screened.end(), std::back_inserter(pool_));
    }
    fits_.run().report(0.3);
    try_regularisation();
    if (preferences_.any_depth) try_neighbours();
    if (preferences_.any_depth && preferences_.tolerance.share > 0)
      consider(smaller(best().settings));
    fits_.run().report(0.5);
    const auto best = static_cast<size_t>(&simplest() - pool_.data());
    return {std::move(pool_), best};
  }

 private:
  static void add(const std::vector<Settings>& more, std::vector<Settings>& list) {
    list.insert(list.end(), more.begin(), more.end());
  }

  // None where it is interrupted and others were fitted before.
  std::vector<Fitted> fit(const std::vector<Settings>& candidates, size_t starts,
                          size_t judging_parts = 0) {
    try {
      std::vector<Fitted> fitted = fits_.fit_all(candidates, starts, judging_parts);
      any_ = any_ || !fitted.empty();
      return fitted;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::interrupted || !any_) throw;
      fits_.run().note_stop(true);
      return {};
    }
  }

  // All candidates by a part of the effort, judged by a part of the rows.
  std::vector<Fitted> screen(std::vector<Settings> candidates,
                             double effort = Constants::screening_effort) {
    for (Settings& candidate : candidates) candidate.effort = effort;
    const Parts& parts = fits_.run().parts;
    const size_t rows = std::max<size_t>(1, parts.rows() / parts.count());
    const size_t enough = (Constants::racing_rows + rows - 1) / rows;
    return fit(candidates, 1, std::min({enough, parts.count(), Constants::most_racing_parts}));
  }

  // All by a small part of the effort, the better ones by more of it. Where rows are many, one
  // weight decay shows which are better; where they are few, it decides that.
  std::vector<Fitted> race(std::vector<Settings> candidates) {
    const bool few = fits_.run().parts.rows() < Constants::few_rows;
    if (candidates.size() <= Constants::kept) return screen(with_decays(std::move(candidates)));
    if (few) {
      candidates = with_decays(std::move(candidates));
    } else if (preferences_.any_decay) {
      for (Settings& candidate : candidates) {
        candidate.schedule.decay = Constants::first_decays[0] / fits_.run().rows();
      }
    }
    std::vector<Fitted> first = screen(std::move(candidates), Constants::first_effort);
    if (fits_.run().stopped) return first;
    std::vector<Settings> kept = settings_of(first, few ? Constants::kept_of_few : Constants::kept);
    std::vector<Fitted> better = screen(few ? kept : with_decays(std::move(kept)));
    return better.empty() ? first : better;
  }

  // The best of them, so many, by a part of the effort; none where it is far behind what was
  // screened.
  std::vector<Settings> hopeful(const std::vector<Settings>& candidates,
                                const std::vector<Fitted>& screened, size_t most) {
    if (candidates.empty() || fits_.run().stopped) return {};
    std::vector<Fitted> fitted = screen(candidates);
    if (fitted.empty()) return {};
    const double least =
        std::min_element(screened.begin(), screened.end(), is_better)->held_out_loss;
    sort(fitted);
    if (fitted[0].held_out_loss > Constants::hopeless * least) return {};
    // More than one where they are ahead.
    const auto ahead = [&](const Fitted& other) { return other.held_out_loss < least; };
    const auto count = std::count_if(fitted.begin(), fitted.end(), ahead);
    return settings_of(fitted, std::clamp<size_t>(static_cast<size_t>(count), 1, most));
  }

  // The best variant of the best tree, where it is better by a part of the effort.
  void try_variants(std::vector<Settings> variants) {
    if (variants.empty() || fits_.run().stopped) return;
    variants.insert(variants.begin(), best().settings);
    const std::vector<Fitted> fitted = screen(variants);
    if (fitted.empty()) return;
    Settings first = std::min_element(fitted.begin(), fitted.end(), is_better)->settings;
    first.effort = variants[0].effort;
    consider({first});
  }

  // A part of the steps says little of trees that start from greedy ones: these have all.
  void try_neighbours() {
    const std::vector<Settings> list = neighbours(best().settings);
    if (best().settings.greedy_leaves > 0) {
      consider(list);
    } else {
      try_variants(list);
    }
  }

  static bool is_better(const Fitted& a, const Fitted& b) {
    return a.held_out_loss < b.held_out_loss;
  }

  static void sort(std::vector<Fitted>& fitted) {
    std::stable_sort(fitted.begin(), fitted.end(), is_better);
  }

  // Of the best ones, to be fitted with the whole effort.
  static std::vector<Settings> settings_of(std::vector<Fitted>& fitted, size_t most) {
    sort(fitted);
    std::vector<Settings> best;
    for (size_t i = 0; i < std::min(most, fitted.size()); ++i) {
      best.push_back(fitted[i].settings);
      best.back().effort = 1;
    }
    return best;
  }

  // Those that are best with any depth, each once.
  static std::vector<Settings> best_makes(std::vector<Fitted>& fitted) {
    sort(fitted);
    std::vector<Settings> best;
    for (const Fitted& other : fitted) {
      const bool known = std::any_of(best.begin(), best.end(), [&](const Settings& make) {
        return same_make(make, other.settings);
      });
      if (known || best.size() == Constants::kept_makes) continue;
      best.push_back(other.settings);
      best.back().effort = 1;
    }
    return best;
  }

  // Those that are not known yet.
  void consider(const std::vector<Settings>& candidates) {
    std::vector<Settings> unknown;
    for (const Settings& candidate : candidates) {
      const auto same = [&](const Settings& other) { return same_fit(candidate, other); };
      const auto fitted = [&](const Fitted& other) { return same(other.settings); };
      if (std::any_of(unknown.begin(), unknown.end(), same)) continue;
      if (std::any_of(pool_.begin(), pool_.end(), fitted)) continue;
      unknown.push_back(candidate);
    }
    if (unknown.empty() || (fits_.run().stopped && !pool_.empty())) return;
    for (Fitted& other : fit(unknown, preferences_.starts)) {
      pool_.push_back(std::move(other));
    }
  }

  const Fitted& best() const { return *std::min_element(pool_.begin(), pool_.end(), is_better); }

  // Other weight decays and penalties of the best.
  void try_regularisation() {
    std::vector<Settings> candidates;
    const Settings now = best().settings;
    const auto add_with = [&](double decay, double l1) {
      if (decay == now.schedule.decay && l1 == now.schedule.l1) return;
      candidates.push_back(now);
      candidates.back().schedule.decay = decay;
      candidates.back().schedule.l1 = l1;
    };
    if (preferences_.any_decay) {
      for (const double value : Constants::decays) {
        add_with(value / fits_.run().rows(), now.schedule.l1);
      }
    }
    if (preferences_.any_l1) {
      for (const double value : Constants::penalties) {
        add_with(now.schedule.decay, penalty(value));
      }
    }
    try_variants(candidates);
  }
  double penalty(double value) const {
    const auto batch = static_cast<double>(preferences_.settings.schedule.batch);
    return value * std::sqrt(batch / fits_.run().rows());
  }

  // By a small tree of the inputs themselves.
  void choose_imputation() {
    FitData& data = fits_.data();
    if (!data.any_missing()) return;
    if (preferences_.imputation) {
      data.impute(*preferences_.imputation);
      return;
    }
    const Settings small =
        with_decays(with_depths({preferences_.settings}, Constants::first_depths))[0];
    const std::vector<Fitted> typical = screen({small});
    data.impute(Imputation::informative);
    const std::vector<Fitted> informative = screen({small});
    const bool better = !typical.empty() && !informative.empty() &&
                        informative[0].held_out_loss < typical[0].held_out_loss;
    if (!better) data.impute(Imputation::typical);
  }

  std::vector<Settings> with_decays(std::vector<Settings> makes) const {
    if (!preferences_.any_decay) return makes;
    std::vector<Settings> list;
    for (const Settings& make : makes) {
      for (const double decay : Constants::first_decays) {
        list.push_back(make);
        list.back().schedule.decay = decay / fits_.run().rows();
      }
      if (!preferences_.any_l1) continue;
      list.push_back(make);
      list.back().schedule.decay = Constants::first_decays[0] / fits_.run().rows();
      list.back().schedule.l1 = penalty(Constants::first_penalty);
    }
    return list;
  }

  // Each with all these depths, as far as there is a choice.
  std::vector<Settings> with_depths(std::vector<Settings> makes,
                                    std::span<const size_t> depths) const {
    if (!preferences_.any_depth) return makes;
    std::vector<Settings> list;
    const size_t deepest = largest_depth(preferences_.most_depth);
    for (const Settings& make : makes) {
      for (const size_t depth : depths) {
        if (depth > std::max(deepest, depths[0])) break;
        list.push_back(make);
        list.back().depth = std::min(depth, deepest);
      }
    }
    return list;
  }

  // The depths on the side of the better one of the first ones.
  std::vector<Settings> with_other_depths(const std::vector<Settings>& makes) const {
    std::vector<Settings> list;
    for (const Settings& make : makes) {
      const bool small = make.depth <= Constants::first_depths[0];
      const std::span<const size_t> depths = small
                                                 ? std::span<const size_t>(Constants::small_depths)
                                                 : std::span<const size_t>(Constants::large_depths);
      for (Settings& other : with_depths({make}, depths)) list.push_back(std::move(other));
    }
    return list;
  }

  // A single leaf with a linear model is a linear or logistic regression.
  std::vector<Settings> regressions() const {
    std::vector<Settings> list;
    for (Settings& make : with_decays(makes(fits_, preferences_))) {
      if (!make.linear_leaves || make.products != Products::none) continue;
      make.depth = 0;
      list.push_back(make);
    }
    return list;
  }

  // Trees that start from greedy ones, as far as there are rows for so many leaves.
  std::vector<Settings> greedy() const {
    std::vector<Settings> list;
    if (!preferences_.any_terms && preferences_.settings.products != Products::none) return list;
    for (const size_t leaves : Constants::first_leaves) {
      if (leaves > most_leaves()) break;
      list.push_back(preferences_.settings);
      list.back().greedy_leaves = leaves;
      if (preferences_.any_terms) list.back().products = Products::none;
      if (preferences_.any_map) list.back().map = Map::none;
      if (preferences_.any_leaves) list.back().linear_leaves = false;
      list.back().most_work *= Constants::greedy_work;
      if (!preferences_.any_decay) continue;
      const Settings made = list.back();
      list.pop_back();
      for (const double decay : Constants::greedy_decays) {
        list.push_back(made);
        list.back().schedule.decay = decay / fits_.run().rows();
      }
      if (!preferences_.any_l1) continue;
      list.push_back(made);
      list.back().schedule.decay = Constants::greedy_decays[0] / fits_.run().rows();
      list.back().schedule.l1 = penalty(Constants::first_penalty);
    }
    return list;
  }

  // At most this deep are trees whose leaves do not have too many outputs together.
  size_t largest_depth(size_t wanted) const {
    const size_t outputs = fits_.data().outputs(), rows = fits_.run().parts.rows();
    size_t depth = wanted;
    while (depth > 0 &&
           ((outputs << depth) > Constants::most_outputs || (size_t{1} << depth) > rows)) {
      --depth;
    }
    return depth;
  }

  size_t most_leaves() const {
    const size_t deepest = largest_depth(Constants::most_greedy_depth);
    return std::min(size_t{1} << deepest,
                    static_cast<size_t>(fits_.run().rows()) / Constants::rows_per_leaf);
  }

  // A little smaller and larger; weight decay may be another than the depth was chosen with.
  std::vector<Settings> neighbours(const Settings& of) const {
    std::vector<Settings> list;
    if (of.greedy_leaves > 0) {
      for (const size_t leaves : {of.greedy_leaves / 2, of.greedy_leaves * 2}) {
        if (leaves > most_leaves()) continue;
        list.push_back(of);
        list.back().greedy_leaves = leaves;
      }
      return list;
    }
    if (of.depth == 0) return list;
    for (const size_t depth : {of.depth - 1, of.depth + 1}) {
      if (depth == 0 || depth > largest_depth(preferences_.most_depth)) continue;
      list.push_back(of);
      list.back().depth = depth;
    }
    return list;
  }

  static std::vector<Settings> smaller(const Settings& than) {
    std::vector<Settings> list;
    if (than.greedy_leaves > 0) {
      for (size_t leaves = than.greedy_leaves / 2; leaves > 1; leaves /= 2) {
        list.push_back(than);
        list.back().greedy_leaves = leaves;
      }
      return list;
    }
    for (size_t depth = than.linear_leaves ? 0 : 1; depth < than.depth; ++depth) {
      list.push_back(than);
      list.back().depth = depth;
    }
    return list;
  }

  // The smallest tree that is not worse than the best by more than is allowed.
  Fitted& simplest() {
    const Fitted& top = best();
    const double baseline = baseline_loss(fits_.data(), top);
    Fitted* chosen = nullptr;
    size_t least = 0;
    for (Fitted& other : pool_) {
      const double allowed = fit::allowed_loss(preferences_.tolerance, top.held_out_loss, baseline,
                                               standard_error(other.losses, top.losses));
      if (other.held_out_loss - top.held_out_loss > allowed) continue;
      const size_t size = fits_.data().size(other.settings);
      if (chosen == nullptr || size < least ||
          (size == least && other.held_out_loss < chosen->held_out_loss)) {
        chosen = &other;
        least = size;
      }
    }
    return *chosen;
  }

  CandidateFits& fits_;
  const Preferences& preferences_;
  std::vector<Fitted> pool_;
  bool any_ = false;  // was fitted
};

}  // namespace

double standard_error(std::span<const float> a, std::span<const float> b) {
  const auto count = static_cast<double>(a.size());
  double mean = 0, squares = 0;
  for (size_t i = 0; i < a.size(); ++i) mean += (double{a[i]} - double{b[i]}) / count;
  for (size_t i = 0; i < a.size(); ++i) {
    const double gap = double{a[i]} - double{b[i]} - mean;
    squares += gap * gap;
  }
  return count > 1 ? std::sqrt(squares / (count - 1) / count) : 0;
}

size_t usual_steps(size_t rows, size_t batch) {
  rows = std::min(rows, Constants::most_paced_rows);
  return std::max(
      Constants::passes * rows / batch,
      std::clamp(Constants::steps_per_row * rows, Constants::least_steps, Constants::enough_steps));
}

Chosen choose(CandidateFits& fits, const Preferences& preferences) {
  return Choice(fits, preferences).run();
}

}  // namespace softwood::soft
