#include "stages/soft/last_fit.h"

#include <algorithm>

#include "softwood/error.h"
#include "stages/soft/constants.h"
#include "stages/soft/distill.h"
#include "stages/soft/hard_start.h"
#include "tree/edit.h"
#include "tree/recount.h"

namespace softwood::soft {

using gradient::Network;
using gradient::Rows;

namespace {

// The numbers of a single leaf that answers what the rows are in the mean.
std::vector<float> leaf_parameters(const Network& leaf, const Rows<float>& rows) {
  const std::vector<double> answer = leaf_answer(leaf.loss, leaf.outputs, rows);
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
FittedNetwork untrained(FitData& data, const FitBasis& like, const Rows<float>& rows) {
  Settings leaf;
  leaf.depth = 0;
  FitBasis basis = like;
  if (like.greedy) basis = {std::make_shared<const gradient::Inputs>(like.terms()), nullptr};
  const Network net = data.network(leaf, basis);
  return {basis, net, leaf_parameters(net, rows)};
}

// The first of the fits that were judged: complete, though not to all rows.
FittedNetwork judged_fit(FitData& data, const Fitted& fitted) {
  const FitData::ByPart& parts = data.by_part(fitted.settings);
  if (!(fitted.passes > 0)) return untrained(data, parts.bases[0], parts.train[0]);
  return {parts.bases[0], data.network(fitted.settings, parts.bases[0]), fitted.parameters[0]};
}

// Sparse trees are there to be read: what hardly any row reaches is left out of them.
Tree without_unread_branches(Tree tree, const std::vector<Sample>& all) {
  Tree kept = without_empty_branches(tree, Constants::least_read_share * tree.weight(0));
  if (kept.size() == tree.size()) return tree;
  recount(kept, *all[0].table, all[0].rows);
  for (const Sample& more : std::span(all).subspan(1)) count_rows(kept, *more.table, more.rows);
  return kept;
}

Tree emit(const FittedNetwork& network, const FitData& data, const std::vector<Sample>& all,
          bool sparse) {
  const gradient::CompiledTree* const greedy = network.basis.greedy.get();
  Tree tree = gradient::emit_tree(network.net, network.parameters, network.basis.terms(),
                                  data.scale(), all, greedy != nullptr ? &greedy->origin : nullptr);
  if (sparse) tree = without_unread_branches(std::move(tree), all);
  gradient::limit_answers(tree, all);
  return tree;
}

// What an ensemble brought; a network only where it helps.
struct Distilled {
  std::optional<Trial> trial;
  std::optional<FittedNetwork> network;
};

Distilled distil(CandidateFits& fits, const Fitted& best, const std::vector<Fitted>& pool,
                 size_t ensemble_size, bool any_kind) {
  FitRun& run = fits.run();
  FitData& data = fits.data();
  const std::vector<const Fitted*> kinds = different(pool, Constants::most_kinds);
  std::vector<const Fitted*> students = {&best};
  for (const Fitted* kind : kinds) {
    if (any_kind && kind != &best && data.has_gates(kind->settings)) students.push_back(kind);
  }
  const AskedRows asked(fits);
  const Ensemble ensemble(fits, asked, kinds, ensemble_size);
  run.report(0.8);
  Distilled made;
  if (!run.stopped) made.trial = try_students(fits, asked, ensemble, best, students);
  run.report(0.9);
  if (!run.stopped && made.trial->helps) {
    made.network = taught(fits, asked, ensemble, *made.trial->student);
  }
  return made;
}

// Nothing where it is interrupted in work that has no result before its end.
template <class Work>
void unless_interrupted(FitRun& run, const Work& work) try {
  work();
} catch (const Error& error) {
  if (error.kind() != ErrorKind::interrupted) throw;
  run.note_stop(true);
}

}  // namespace

Finished finish(CandidateFits& fits, const Fitted& best, const std::vector<Fitted>& pool,
                size_t ensemble_size, bool any_kind) {
  FitRun& run = fits.run();
  FitData& data = fits.data();
  const std::vector<Sample>& all = run.parts.all();
  // A single leaf can't learn what trees know; nor can a tree of many rows from trees of fewer.
  const bool distils = ensemble_size > 1 && data.has_gates(best.settings) &&
                       run.parts.rows() == run.parts.all_rows();
  Distilled made;
  if (distils && !run.stopped) {
    unless_interrupted(run, [&] { made = distil(fits, best, pool, ensemble_size, any_kind); });
  }
  // A budget has a rest for a fit to all rows, which is kept as far as it comes.
  const bool in_time = run.grant_last_fit();
  if (run.stopped) made = {};
  std::optional<FittedNetwork>& network = made.network;
  const Fitted* const made_as = network ? made.trial->student : &best;
  const bool may_fit = !run.stopped || (in_time && best.passes > 0);
  if (!network && may_fit) unless_interrupted(run, [&] { network = fits.fit_whole(best); });
  const bool keeps = network && (!run.stopped || !run.control.interrupted());
  // Told to stop: what was chosen on held-out rows is complete, this is not. Of very many rows it
  // counts those that it was fitted to: all would take long.
  const bool of_part = !keeps && run.parts.rows() < run.parts.all_rows();
  if (!keeps) network = judged_fit(data, best);
  return {emit(*network, data, of_part ? run.parts.others(0) : all,
               made_as->settings.most_features > 0),
          made_as, made.trial, keeps || run.parts.count() == 1};
}

}  // namespace softwood::soft
