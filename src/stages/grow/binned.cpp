#include "stages/grow/binned.h"

#include <algorithm>
#include <limits>

#include "engine/worker.h"
#include "stages/grow/binned_growth.h"

namespace softwood::grow {
namespace {

constexpr size_t batch_cells = 4000000;  // 32 MB of sums

// Those of the training rows that a tree is grown from, in about equal parts.
std::vector<BinnedShard> make_shards(const CodedTraining& coded, std::span<const RowIndex> rows,
                                     size_t count) {
  std::vector<BinnedShard> shards;
  shards.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const size_t begin = rows.size() * i / count, end = rows.size() * (i + 1) / count;
    std::vector<uint32_t> slots;
    slots.reserve(end - begin);
    for (size_t k = begin; k < end; ++k) slots.push_back(coded.slot_of_row[rows[k]]);
    shards.emplace_back(coded.codes, coded.coding.bins, coded.target, std::move(slots));
  }
  return shards;
}

// Without inputs there are no codes to count: the tree is its root.
Tree root_alone(const Context& context) {
  const Target target =
      make_target(context.table(), context.rows, context.costs, targets_from_zero(context.options));
  Tree tree(target.task, target.classes);
  tree.set_costs({context.costs.begin(), context.costs.end()});
  std::vector<uint32_t> all(context.rows.size());
  for (uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  set_sums(tree, 0, target, all);
  return tree;
}

}  // namespace

Tree grow_binned(Context& context, size_t shards, Transport transport) {
  if (context.table().features() == 0) return root_alone(context);
  const auto bins = static_cast<size_t>(context.options.integer("bins"));
  const bool from_zero = targets_from_zero(context.options);
  // Trees of some of the rows, as in cross-validation, have the bins and units of all of them.
  const bool shared = context.coded != nullptr && &context.coded->table() == &context.table();
  CodedCache own(context.table(), context.rows);
  const std::shared_ptr<const CodedTraining> coded =
      (shared ? *context.coded : own).get(bins, from_zero, context.parallel, context.control);
  BinnedGrowth growth({context.table().schema(), context.options, context.costs, coded->coding});
  Engine<BinnedShard> engine(make_shards(*coded, context.rows, shards), transport, context.parallel,
                             context.control);
  const auto ask = [&](const HistogramQuery& query) {
    return std::move(engine.template gather<Histograms>(query).sums());
  };
  growth.set_root(ask({{}, {}, {0}}));
  const double weight = growth.tree().weight(0);
  if (growth.limits_leaves()) growth.grow_best_first(ask, context.control);
  while (growth.has_open()) {
    growth.count(ask(growth.divide(batch_cells, context.parallel, context.control)));
    context.control.report("growing", std::min(growth.settled(), weight), weight);
  }
  if (growth.wants_deviations()) {
    growth.set_deviations(engine.template gather<Deviations>(growth.deviation_query()));
  }
  Tree tree = growth.take().tree;
  tree.canonicalise();
  return tree;
}

}  // namespace softwood::grow
