#include "fit/leaf_models.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "data/typical.h"
#include "fit/leaf_learners.h"
#include "tree/compiled.h"

namespace softwood::fit {

namespace {

bool has_target(const Table& table, RowIndex row) { return !table.target().is_missing(row); }

}  // namespace

void fit_leaf_models(Tree& tree, const Table& table, std::span<const RowIndex> rows,
                     const Parallel& parallel, const Control& control) {
  const LeafLearner& learner = find_leaf_learner(tree.leaf_plan().learner, tree.task());
  for (NodeIndex i = 0; i < tree.size(); ++i) tree.node(i).model.reset();
  tree.canonicalise();  // typical values that only models needed are gone
  std::vector<Arrival> arrivals;
  Compiled(tree).arrivals(table, rows, arrivals);
  std::vector<size_t> starts(tree.size() + 1, 0);
  for (const Arrival& arrival : arrivals) ++starts[arrival.node + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<RowIndex> row_of(arrivals.size());
  std::vector<double> weight_of(arrivals.size());
  std::vector<size_t> filled(starts.begin(), starts.end() - 1);
  for (const Arrival& arrival : arrivals) {
    const double weight = arrival.weight * table.weight(arrival.row);
    if (!(weight > 0) || !has_target(table, arrival.row)) continue;
    const size_t place = filled[arrival.node]++;
    row_of[place] = arrival.row;
    weight_of[place] = weight;
  }
  std::vector<double> typical =
      tree.typical().empty() ? typical_values(table, rows, control) : tree.typical();
  std::vector<char> has_terms(tree.size(), 0);
  parallel.each(tree.size(), [&](size_t i) {
    Node& node = tree.node(static_cast<NodeIndex>(i));
    if (!node.is_leaf()) return;
    control.throw_if_interrupted();
    const size_t count = filled[i] - starts[i];
    const LeafRows leaf{table, std::span(row_of).subspan(starts[i], count),
                        std::span(weight_of).subspan(starts[i], count), typical};
    if (leaf.rows.empty()) return;
    std::optional<LeafModel> model = learner.fit(leaf, tree.leaf_plan());
    if (!model) return;
    node.model = Owned<LeafModel>(std::move(*model));
    has_terms[i] = node.model->terms.empty() ? 0 : 1;
  });
  if (std::find(has_terms.begin(), has_terms.end(), 1) != has_terms.end()) {
    tree.set_typical(std::move(typical));
  }
}

}  // namespace softwood::fit
