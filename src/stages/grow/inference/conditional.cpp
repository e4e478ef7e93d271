#include "stages/grow/inference/conditional.h"

#include <algorithm>
#include <cmath>

#include "stages/grow/axis.h"
#include "stages/grow/inference/association.h"
#include "stages/grow/inference/chi_square.h"

namespace softwood::grow {
namespace {

struct FeatureTest {
  Association association;
  LogTails tails;
  bool tried = false;

  bool is_test() const { return association.degrees > 0; }
};

FeatureTest test_feature(const OpenNode& open, uint32_t feature, Scratch& scratch) {
  const RowLists& lists = open.data->lists;
  FeatureTest test;
  test.association = associate(lists.table().input(feature),
                               lists.table().schema().features[feature].levels.size(),
                               open.data->target, lists.rows(), open.slots(), scratch);
  if (test.is_test()) {
    test.tails = chi_square_log_tails(test.association.statistic, test.association.degrees);
  }
  return test;
}

// Whether the later of two tests says more. They are ranked by m log(1 - p), the logarithm of what
// is left of 1 after adjustment. Below p = 1e-154 / m that does not tell tests apart any more, and
// the larger statistic wins, as in partykit; where that is the same too, up to rounding, so does
// the later input.
bool says_more(const FeatureTest& later, const FeatureTest& earlier, size_t tests) {
  constexpr double indistinguishable = 1.5e-154;
  const double gap = static_cast<double>(tests) * (later.tails.lower - earlier.tails.lower);
  const double rounding = tie_margin * static_cast<double>(tests) * std::abs(later.tails.lower);
  if (std::abs(gap) >= std::max(indistinguishable, rounding)) return gap > 0;
  return !clearly_better(earlier.association.statistic, later.association.statistic);
}

class ConditionalInference final : public Splitter {
 public:
  explicit ConditionalInference(const SplitterSetting& setting)
      : limits_(setting.limits),
        search_(setting),
        log_confidence_(std::log1p(-level(setting.context.options))),
        min_share_(setting.context.options.real("min-share")) {}

  Found find(const Tree& tree, OpenNode& open, std::span<const double> cell,
             const Workers& workers) const override {
    std::vector<FeatureTest> tests(open.active.size());
    workers.each(open, tests.size(), [&](size_t i, Workspace& work) {
      tests[i] = test_feature(open, open.active[i].feature, work.scratch);
      // What is constant here is so in every node below.
      open.active[i].constant = !tests[i].is_test();
    });
    std::erase_if(tests, [](const FeatureTest& test) { return !test.is_test(); });
    std::erase_if(open.active, [](const ActiveFeature& active) { return active.constant; });
    // An input that cannot be cut with enough rows on both sides gives way to the second best.
    constexpr int tries = 2;
    for (int i = 0; i < tries; ++i) {
      Found found = best_remaining(tree, open, cell, tests, workers.own.scratch);
      if (found.improvement > 0) return found;
    }
    return {};
  }

 private:
  static double level(const Options& options) {
    constexpr double usual = 0.05;  // mincriterion 0.95 of partykit
    return options.has_number("significance") ? options.real("significance") : usual;
  }

  // The cut of the best input that was not tried yet; no improvement when its test does not
  // reject independence.
  Found best_remaining(const Tree& tree, OpenNode& open, std::span<const double> cell,
                       std::span<FeatureTest> tests, Scratch& scratch) const {
    FeatureTest* best = nullptr;
    for (FeatureTest& test : tests) {
      if (!test.tried && (best == nullptr || says_more(test, *best, tests.size()))) best = &test;
    }
    const auto m = static_cast<double>(tests.size());
    if (best == nullptr || !(m * best->tails.lower > log_confidence_)) return {};
    best->tried = true;
    const double min_leaf =
        std::max(limits_.min_leaf, std::ceil(min_share_ * tree.weight(open.node)));
    ActiveFeature& active = open.active[static_cast<size_t>(best - tests.data())];
    Found found = search_.find(cell, open, active, {min_leaf}, scratch);
    set_improvement(found, *open.data->search, cell, tree, open.node, limits_);
    found.statistic = best->association.statistic;
    found.log_p = adjusted_log_p(best->tails, tests.size());
    return found;
  }

  const Limits limits_;
  const FeatureSearch search_;
  const double log_confidence_;  // log(1 - significance)
  const double min_share_;
};

}  // namespace

std::unique_ptr<Splitter> make_conditional_inference(const SplitterSetting& setting) {
  return std::make_unique<ConditionalInference>(setting);
}

}  // namespace softwood::grow
