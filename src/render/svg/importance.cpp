// Importance of the inputs as bars, the largest first.
#include <fmt/format.h>

#include <algorithm>

#include "render/svg/canvas.h"
#include "render/svg/plot.h"
#include "render/text/words.h"

namespace softwood::render {

std::string plot_importance(const PlotTask& task) {
  constexpr size_t most = 40;
  constexpr double width = 720, line = 24, names = 220, top = 48;
  std::vector<const LoweredInput*> inputs;
  for (const LoweredInput& input : task.tree.inputs) inputs.push_back(&input);
  std::stable_sort(inputs.begin(), inputs.end(), [](const LoweredInput* a, const LoweredInput* b) {
    return a->importance > b->importance;
  });
  const size_t shown = std::min(inputs.size(), most);
  const double largest = inputs.empty() ? 0 : inputs[0]->importance;
  Canvas canvas;
  canvas.text(16, 24, "Importance of the inputs", {15, Anchor::start, "strong"});
  double y = top;
  for (size_t i = 0; i < shown; ++i, y += line) {
    const LoweredInput& input = *inputs[i];
    const double share = largest > 0 ? input.importance / largest : 0;
    canvas.text(names, y + 12, input.name, {12, Anchor::end, "", names - 16});
    canvas.rectangle(names + 8, y, share * (width - names - 90), 16, "class=\"mark\"");
    canvas.text(names + 14 + share * (width - names - 90), y + 12,
                shown_percent(input.importance, 1), {11, Anchor::start, "muted"});
  }
  if (shown < inputs.size()) {
    canvas.text(names + 8, y + 12, fmt::format("{} more", inputs.size() - shown),
                {11, Anchor::start, "muted"});
    y += line;
  }
  return canvas.finish(width, y + 16, "Importance of the inputs",
                       "Share of each input in what all splits gain.");
}

}  // namespace softwood::render
