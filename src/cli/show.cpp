#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "cli/common.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "render/renderer.h"
#include "softwood/error.h"
#include "study/lowered.h"

namespace softwood {
namespace {

using render::Renderer;
using render::RendererRole;

struct ShowOptions {
  std::string model;
  std::string style = render::renderers()[0].name;
  bool tree = false;
  std::map<std::string, bool> views;  // by the name of the renderer: whether its flag was given
};

std::vector<std::string> names_of(RendererRole role) {
  std::vector<std::string> names;
  for (const Renderer& renderer : render::renderers()) {
    if (renderer.role == role) names.push_back(renderer.name);
  }
  return names;
}

// The renderer that was asked for.
const Renderer& chosen(const ShowOptions& options) {
  const std::vector<std::string> styles = names_of(RendererRole::layout);
  if (std::find(styles.begin(), styles.end(), options.style) == styles.end()) {
    throw Error(ErrorKind::usage, fmt::format("option '--style' can't be '{}'", options.style), {},
                "expected one of " + join(styles, ", "));
  }
  const auto view = std::find_if(options.views.begin(), options.views.end(),
                                 [](const auto& given) { return given.second; });
  if (view == options.views.end()) return render::find_renderer(options.style);
  if (options.style != styles[0]) {
    throw Error(ErrorKind::usage,
                fmt::format("'--style {}' is a way to print the tree, not --{}", options.style,
                            view->first),
                {}, "leave one of the two out");
  }
  return render::find_renderer(view->first);
}

void run_show(const ShowOptions& options) {
  const Renderer& renderer = chosen(options);
  const Model model = load_model(options.model);
  print(printable_lines(renderer.render(lowered_with_recipe(model), {page_width()})));
}

}  // namespace

std::function<void()> declare_show(Arguments& arguments) {
  auto options = std::make_shared<ShowOptions>();
  arguments.positional("MODEL", options->model,
                       "Model file, from 'softwood train -o'; - is standard input.");
  std::vector<std::string> flags = {"--tree"};
  arguments.flag("--tree", options->tree, "One line per node, indented; the default.");
  for (const Renderer& renderer : render::renderers()) {
    if (renderer.role != RendererRole::view) continue;
    flags.push_back("--" + renderer.name);
    arguments.flag(flags.back(), options->views[renderer.name], renderer.help);
  }
  std::vector<std::string> styles;
  for (const Renderer& renderer : render::renderers()) {
    if (renderer.role != RendererRole::layout) continue;
    styles.push_back(renderer.name + (styles.empty() ? " (the default)" : ""));
  }
  arguments.text("--style", "STYLE", options->style,
                 "Layout of the tree: " + join(styles, ", ") + ".");
  for (size_t i = 0; i < flags.size(); ++i) {
    for (size_t j = i + 1; j < flags.size(); ++j) arguments.exclusive(flags[i], flags[j]);
  }
  arguments.hint_at_unknown([](const std::string& name) {
    const bool picture = name == "--svg" || name == "--plot" || name == "--png";
    return name == "--dot" ? "it is 'softwood export MODEL --to dot' here"
           : picture       ? "'softwood plot MODEL -o tree.svg' draws the tree"
                           : "";
  });
  return [options] { run_show(*options); };
}

}  // namespace softwood
