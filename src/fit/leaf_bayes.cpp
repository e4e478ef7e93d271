#include "fit/leaf_learners.h"
#include "fit/naive_bayes.h"

namespace softwood::fit {

std::optional<LeafModel> naive_bayes_leaf(const LeafRows& leaf, const LeafPlan&) {
  const LeafClasses classes(leaf);
  if (classes.codes.size() < 2) return std::nullopt;
  if (classes.total() < 2.0 * static_cast<double>(classes.codes.size())) return std::nullopt;
  NaiveBayes bayes = naive_bayes(leaf, classes);
  if (bayes.model.terms.empty() || !has_finite_coefficients(bayes.model)) return std::nullopt;
  if (!(model_loss(bayes.model, leaf, classes) < classes.constant_loss())) return std::nullopt;
  order_terms(bayes.model, bayes.effect);
  return std::move(bayes.model);
}

}  // namespace softwood::fit
