#include "stages/soft/last_fit.h"

#include <algorithm>

#include "stages/soft/constants.h"
#include "stages/soft/distill.h"
#include "stages/soft/hard_start.h"

namespace softwood::soft {

using gradient::Network;
using gradient::Rows;

namespace {

// The numbers of a single leaf that answers what the rows are in the mean.
std::vector<float> leaf_parameters(const Network& leaf, const Rows<float>& rows) {
  const std::vector<double> shares(rows.count, 1.0);
  Rows<double> known;
  known.count = rows.count;
  known.target.assign(rows.target.begin(), rows.target.end());
  known.weight.assign(rows.weight.begin(), rows.weight.end());
  const std::vector<double> answer = leaf_answer(leaf.loss, leaf.outputs, known, shares);
  std::vector<float> parameters(leaf.parameters(), 0.0F);
  for (size_t k = 0; k < leaf.outputs; ++k) {
    parameters[leaf.constant_at(leaf.unit_of_leaf(0, k))] = static_cast<float>(answer[k]);
  }
  return parameters;
}

// The best that differ in more than their decay.
std::vector<const Fitted*> different(const std::vector<Fitted>& pool, size_t most) {
  std::vector<const Fitted*> sorted, kept;
  for (const Fitted& fitted : pool) sorted.push_back(&fitted);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Fitted* a, const Fitted* b) {
    return a->held_out_loss < b->held_out_loss;
  });
  for (const Fitted* fitted : sorted) {
    const bool known = std::any_of(kept.begin(), kept.end(), [&](const Fitted* other) {
      return same_shape(other->settings, fitted->settings);
    });
    if (!known && kept.size() < most) kept.push_back(fitted);
  }
  return kept;
}

// A single leaf: what there is when the training is stopped at once.
FittedNetwork untrained(FitData& data, const Rows<float>& rows) {
  Settings leaf;
  leaf.depth = 0;
  const FitBasis basis = data.basis(leaf, {});
  const Network net = data.network(leaf, basis);
  return {basis, net, leaf_parameters(net, rows)};
}

// The first of the fits that were judged: complete, though not to all rows.
FittedNetwork judged_fit(FitData& data, const Fitted& fitted) {
  const FitData::ByPart& parts = data.by_part(fitted.settings);
  if (!(fitted.passes > 0)) return untrained(data, parts.train[0]);
  return {parts.bases[0], data.network(fitted.settings, parts.bases[0]), fitted.parameters[0]};
}

Tree emit(const FittedNetwork& network, const FitData& data, const std::vector<Sample>& all) {
  const gradient::CompiledTree* const greedy = network.basis.greedy.get();
  Tree tree = gradient::emit_tree(network.net, network.parameters, network.basis.terms(),
                                  data.scale(), all, greedy != nullptr ? &greedy->origin : nullptr);
  gradient::limit_answers(tree, all);
  return tree;
}

}  // namespace

Finished finish(CandidateFits& fits, const Fitted& best, const std::vector<Fitted>& pool,
                size_t ensemble_size, bool any_kind) {
  FitRun& run = fits.run();
  FitData& data = fits.data();
  const std::vector<Sample>& all = run.parts.all();
  std::vector<const Fitted*> fitted = {&best};  // students, then members
  // A single leaf can't learn what trees know.
  const bool distils = ensemble_size > 1 && data.has_gates(best.settings);
  const std::vector<const Fitted*> kinds = different(pool, Constants::most_kinds);
  for (const Fitted* kind : kinds) {
    if (distils && any_kind && kind != &best && data.has_gates(kind->settings)) {
      fitted.push_back(kind);
    }
  }
  const size_t students = fitted.size();
  size_t random = 0;
  if (distils && !run.stopped) {
    const Members members = choose_members(fits, kinds, ensemble_size);
    fitted.insert(fitted.end(), members.trees.begin(), members.trees.end());
    random = members.random;
    run.report(0.8);
  }
  std::vector<FittedNetwork> networks;
  if (!run.stopped) networks = fits.fit_to(fitted, all, students);
  // Told to stop: what was chosen on held-out rows is complete, this is not.
  const bool all_rows = !run.stopped || run.parts.count() == 1;
  if (run.stopped) networks = {judged_fit(data, best)};
  size_t last = 0;
  if (!run.stopped && distils) {
    run.report(0.9);
    fitted.resize(students);
    last = distill(fits, std::span(networks).first(students), fitted,
                   {std::span(networks).subspan(students), random});
  }
  return {emit(networks[last], data, all), fitted[last], distils && !run.stopped, all_rows};
}

}  // namespace softwood::soft
