#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/class_costs.h"
#include "cli/common.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "render/svg/plot.h"
#include "softwood/error.h"
#include "study/lowered.h"

namespace softwood {
namespace {

using render::PlotNeed;
using render::PlotOptions;
using render::PlotView;

struct PlotArguments {
  std::string model, data, view = "tree", direction = "down", output;
  std::vector<std::string> depths, at;
  long depth = 0, row = 0;
  PlotOptions options;
  FileOptions file;
  RunOptions run;
};

std::vector<std::string> view_names() {
  std::vector<std::string> names;
  for (const PlotView& view : render::plot_views()) names.push_back(view.name);
  return names;
}

PlotOptions options_of(const PlotArguments& arguments) {
  PlotOptions options = arguments.options;
  if (arguments.direction != "down" && arguments.direction != "right") {
    throw Error(ErrorKind::usage,
                fmt::format("option '--direction' can't be '{}'", arguments.direction), {},
                "expected one of down, right");
  }
  options.to_the_right = arguments.direction == "right";
  if (arguments.depth > 0) options.depth = static_cast<size_t>(arguments.depth);
  if (arguments.row > 0) options.row = static_cast<size_t>(arguments.row) - 1;
  for (const std::string& text : arguments.depths) {
    long depth = 0;
    if (text == "full") {
      options.depths.push_back(render::full_depth);
    } else if (parse_integer(text, depth) && depth >= 0) {
      options.depths.push_back(static_cast<size_t>(depth));
    } else {
      throw Error(ErrorKind::usage, fmt::format("option '--depths' can't be '{}'", text), {},
                  "expected whole numbers and full: 1,2,3,full");
    }
  }
  for (const std::string& text : arguments.at) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos) {
      throw Error(ErrorKind::usage, fmt::format("option '--at' can't be '{}'", text), {},
                  "expected INPUT=VALUE");
    }
    options.at[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return options;
}

// The rows that the view needs; none where no data were given. Targets are read where they are
// needed, and for the colours of a tree where they are there.
std::optional<Table> read_rows(const PlotArguments& arguments, const PlotView& view,
                               const Model& model, const Parallel& parallel,
                               const Control& control) {
  if (arguments.data.empty()) {
    if (view.need == PlotNeed::model) return {};
    throw Error(ErrorKind::usage, fmt::format("'--view {}' needs data", view.name), {},
                "name DATA after MODEL");
  }
  if (view.need == PlotNeed::target) {
    return read_for_model(arguments.data, model.schema, arguments.file, true, parallel, control,
                          {});
  }
  Control silent = control;
  silent.note = silent.warning = nullptr;
  try {
    return read_for_model(arguments.data, model.schema, arguments.file, true, parallel, silent, {});
  } catch (const Error&) {
    // Without a target, or with columns that are not in use left out.
    return read_for_model(arguments.data, model.schema, arguments.file, false, parallel, control,
                          features_used(model.tree, model.schema.features.size()));
  }
}

void run_plot(const PlotArguments& arguments) {
  Console console(arguments.run.quiet);
  const Control control = console.control();
  const Parallel parallel = arguments.run.parallel();
  const PlotView& view = render::find_plot_view(arguments.view);
  PlotOptions options = options_of(arguments);
  refuse_reading_twice({arguments.model, arguments.data});
  const Model model = load_model(arguments.model);
  refuse_overwriting(arguments.output, {arguments.model, arguments.data});
  Output output(arguments.output);
  const std::optional<Table> rows = read_rows(arguments, view, model, parallel, control);
  options.costs = model.tree.costs();
  const LoweredTree tree = lowered_with_recipe(model);
  output.write(view.draw({model, tree, rows ? &*rows : nullptr, options, parallel, control}));
  output.finish();
}

}  // namespace

std::function<void()> declare_plot(Arguments& arguments) {
  auto given = std::make_shared<PlotArguments>();
  arguments.positional("MODEL", given->model,
                       "Model file, from 'softwood train -o'; - is standard input.");
  arguments.positional("DATA", given->data, "Rows, for views that show or need some.", false);
  arguments.text("--view", "VIEW", given->view,
                 "What to draw: " + join(view_names(), ", ") + "; tree is the default.");
  arguments.text("-o,--output", "FILE", given->output, "SVG file; without it to standard output.");
  arguments.integer("--depth", "D", given->depth, 1, 1000000,
                    "tree: fold what lies deeper than this.");
  arguments.text("--direction", "WAY", given->direction,
                 "tree: down (the default), or right: the root at the left.");
  arguments.integer("--row", "N", given->row, 1, 1000000000,
                    "tree: follow this row of DATA, counted from 1.");
  arguments.list("--inputs", "A,B", given->options.inputs, true,
                 "regions: the inputs on the axes; the two most important ones by default.");
  arguments.list("--depths", "1,2,full", given->depths, true,
                 "regions: one picture for the tree cut at each depth.");
  arguments.list("--at", "INPUT=VALUE", given->at, false,
                 "regions: what another input is; typical values by default.");
  given->file.declare(arguments);
  given->run.declare_threads(arguments);
  given->run.declare_quiet(arguments);
  return [given] { run_plot(*given); };
}

}  // namespace softwood
