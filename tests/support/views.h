// The views of a model, for tests.
#pragma once

#include "lower/lower.h"
#include "render/renderer.h"

namespace softwood::test {

inline std::string show_tree(const Model& model, size_t width = render::usual_width) {
  return render::tree_text(lower(model), {width});
}
inline std::string show_tree_rpart(const Model& model) { return render::rpart_text(lower(model)); }
inline std::string show_tree_c50(const Model& model, size_t width = render::usual_width) {
  return render::c50_text(lower(model), {width});
}
inline std::string show_rules(const Model& model) { return render::rules_text(lower(model)); }
inline std::string show_table(const Model& model) {
  return render::pruning_table_text(lower(model));
}
inline std::string show_summary(const Model& model) { return render::summary_text(lower(model)); }

}  // namespace softwood::test
