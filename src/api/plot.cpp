#include "softwood/plot.h"

#include "api/border.h"
#include "api/held.h"
#include "api/listener.h"
#include "api/rows.h"
#include "render/svg/plot.h"

namespace softwood {

std::vector<PlotViewInfo> plot_views() {
  const auto views = render::plot_views();
  return {views.begin(), views.end()};
}

std::string TreeModel::plot(const PlotSettings& settings, const DataSet* data,
                            const DataSet* validation, const Controls* controls) const {
  return at_border([&] {
    const render::PlotView& view = render::find_plot_view(settings.view);
    const auto rows = [&](const DataSet* of, bool with_target) -> const Table* {
      if (of == nullptr) return nullptr;
      if (view.need == PlotNeed::training) table_to_learn_from(*of);
      return with_target ? &table_with_target(*held_, *of) : &checked_table(*held_, *of);
    };
    const OptionalListener listener(controls);
    return render::draw_plot(
        view, {held_->model, held_->lowered(), rows(data, view.need != PlotNeed::model), settings,
               Parallel(settings.threads), listener.control(), rows(validation, true)});
  });
}

}  // namespace softwood
