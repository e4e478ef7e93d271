#include "stages/grow/multivariate/splitter.h"

#include "softwood/error.h"
#include "stages/grow/axis.h"
#include "stages/grow/multivariate/split.h"

namespace softwood::grow {
namespace {

// What the splitters need to know besides the node.
struct Settings {
  ObliqueSettings oblique;
  uint64_t seed;
};

// The split of a node by a score; a score of 0: the best split by one input is to be taken. `axis`
// is the score of that one, 0 when it was not searched.
using Propose = ScoreSplit (*)(const NodeSample& node, double axis, const Settings& settings);

// Proposes a score, and falls back on the best split by one input.
class ScoreSplitter final : public Splitter {
 public:
  ScoreSplitter(const SplitterSetting& setting, Propose propose, bool compares)
      : limits_(setting.limits),
        propose_(propose),
        compares_(compares),
        axis_(make_axis_splitter(setting)),
        settings_{{setting.context.options.real("l1"),
                   static_cast<size_t>(setting.context.options.integer("jumps")),
                   static_cast<size_t>(setting.context.options.integer("restarts")),
                   setting.context.seed},
                  setting.context.seed} {}

  Found find(const Tree& tree, OpenNode& open, std::span<const double> cell,
             const Workers& workers) const override {
    workers.own.until_ask.add(open.range.size() * open.active.size(), workers.control);
    Found best;
    if (compares_) best = axis_->find(tree, open, cell, workers);
    const NodeData& data = *open.data;
    std::vector<RowIndex> rows;
    rows.reserve(open.slots().size());
    for (const uint32_t slot : open.slots()) rows.push_back(data.lists.row(slot));
    NodeSample node{data.lists.table(),
                    data.target,
                    *data.search,
                    open.slots(),
                    rows,
                    cell,
                    workers.control,
                    limits_.min_leaf,
                    0};
    node.impurity = impurity_of(node);
    ScoreSplit split = propose_(node, best.score, settings_);
    if (split.score > 0) {
      best = {};
      best.score = split.score;
      best.gate = std::move(split.gate);
      set_improvement(best, *data.search, cell, tree, open.node, limits_);
      if (best.improvement > 0) return best;
    }
    return compares_ && !best.gate ? best : axis_->find(tree, open, cell, workers);
  }

 private:
  const Limits limits_;
  const Propose propose_;
  const bool compares_;  // wants to know the score of the best split by one input
  const std::unique_ptr<Splitter> axis_;
  const Settings settings_;
};

ScoreSplit propose_discriminant(const NodeSample& node, double, const Settings&) {
  return discriminant_split(node);
}

ScoreSplit if_worth_more(ScoreSplit split, const NodeSample& node, double axis) {
  return clearly_better(split.worth, split_worth(node, axis, 1)) ? std::move(split) : ScoreSplit{};
}

ScoreSplit propose_oblique(const NodeSample& node, double axis, const Settings& settings) {
  return if_worth_more(oblique_split(node, settings.oblique), node, axis);
}

ScoreSplit propose_quadratic(const NodeSample& node, double axis, const Settings&) {
  return if_worth_more(regularised_split(node, Terms::quadratic), node, axis);
}

ScoreSplit propose_by_test(const NodeSample& node, double, const Settings& settings) {
  switch (choose_kind(node, settings.seed)) {
    case NodeKind::univariate:
      return {};
    case NodeKind::linear:
      return regularised_split(node, Terms::linear);
    case NodeKind::quadratic:
      return regularised_split(node, Terms::quadratic);
  }
  return {};
}

}  // namespace

std::unique_ptr<Splitter> make_discriminant_splitter(const SplitterSetting& setting) {
  return std::make_unique<ScoreSplitter>(setting, propose_discriminant, false);
}
std::unique_ptr<Splitter> make_oblique_splitter(const SplitterSetting& setting) {
  return std::make_unique<ScoreSplitter>(setting, propose_oblique, true);
}
std::unique_ptr<Splitter> make_quadratic_splitter(const SplitterSetting& setting) {
  return std::make_unique<ScoreSplitter>(setting, propose_quadratic, true);
}
std::unique_ptr<Splitter> make_omnivariate_splitter(const SplitterSetting& setting) {
  return std::make_unique<ScoreSplitter>(setting, propose_by_test, false);
}

}  // namespace softwood::grow
