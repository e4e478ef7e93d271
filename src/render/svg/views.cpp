#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "render/svg/plot.h"
#include "softwood/error.h"

namespace softwood::render {

std::span<const PlotView> plot_views() {
  static const std::vector<PlotView> table = {
      {{"tree", "The tree: conditions, rows and answers; with DATA the values that splits divide.",
        PlotNeed::model, false},
       plot_tree},
      {{"pruning", "Error against leaves along the cost-complexity sequence, with the choice.",
        PlotNeed::model, true},
       plot_pruning},
      {{"importance", "Importance of the inputs.", PlotNeed::model, false}, plot_importance},
      {{"regions", "Answers over two numeric inputs, at one depth or several.", PlotNeed::model,
        false},
       plot_regions},
      {{"roc", "True against false positive rate.", PlotNeed::target, false}, plot_roc},
      {{"calibration", "Observed share against predicted probability.", PlotNeed::target, false},
       plot_calibration},
      {{"threshold", "Rates and error or cost against the threshold.", PlotNeed::target, false},
       plot_threshold},
      {{"impurity", "Gini index, entropy and misclassification with the nodes of the tree.",
        PlotNeed::model, false},
       plot_impurity},
      {{"overfitting",
        "Learning curve: error on training and held-out rows of trees trained on ever more of "
        "DATA.",
        PlotNeed::training, true},
       plot_overfitting},
      {{"frontier", "Loss on held-out rows against size, of the trees that auto chose from.",
        PlotNeed::model, false},
       plot_frontier},
  };
  return table;
}

const PlotView& find_plot_view(std::string_view name) {
  const auto all = plot_views();
  const auto found =
      std::find_if(all.begin(), all.end(), [=](const PlotView& view) { return view.name == name; });
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  for (const PlotView& view : all) names.push_back(view.name);
  throw Error(ErrorKind::usage, fmt::format("there is no view '{}'", name), {},
              known_names_hint(name, names));
}

std::string draw_plot(const PlotView& view, const PlotTask& task) {
  if (view.need != PlotNeed::model && task.rows == nullptr) {
    throw Error(ErrorKind::usage, fmt::format("the view '{}' needs rows of data", view.name));
  }
  if (task.validation != nullptr && !view.takes_validation) {
    throw Error(ErrorKind::usage, fmt::format("the view '{}' takes no validation rows", view.name),
                {}, "it is drawn for the rows of the data");
  }
  return view.draw(task);
}

}  // namespace softwood::render
