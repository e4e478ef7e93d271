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

using render::PlotOptions;
using render::PlotView;

struct PlotArguments {
  std::string model, data, validation, costs, view = "tree", direction = "down", output;
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
      options.depths.push_back(full_depth);
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

// Reads files for one view of a model.
class RowReader {
 public:
  RowReader(const PlotArguments& arguments, const PlotView& view, const Model& model,
            const Parallel& parallel, const Control& control)
      : arguments_(arguments), view_(view), model_(model), parallel_(parallel), control_(control) {
    if (view.need != PlotNeed::training) {
      needed_ = features_used(model.tree, model.schema.features.size());
    }
    // An axis shows the values of an input that the tree need not ask about.
    const std::vector<std::string>& axes = arguments.options.inputs;
    for (size_t f = 0; f < needed_.size() && view.name == "regions"; ++f) {
      const std::string& name = model.schema.features[f].name;
      if (std::find(axes.begin(), axes.end(), name) != axes.end()) needed_[f] = true;
    }
  }

  // Targets are read where they are needed, and for the colours of a tree where they are there.
  std::optional<Table> data() const {
    if (arguments_.data.empty()) {
      if (view_.need == PlotNeed::model) return {};
      throw Error(ErrorKind::usage, fmt::format("'--view {}' needs data", view_.name), {},
                  "name DATA after MODEL");
    }
    if (view_.need != PlotNeed::model) return read(arguments_.data, true, control_);
    std::optional<Table> with_target;
    try {
      with_target = read(arguments_.data, true, control_.silent());
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::interrupted) throw;
    }
    if (with_target && arguments_.row == 0) return with_target;
    // A row is counted among all rows, and those without a target would be left out.
    Table all = read(arguments_.data, false, control_);
    return with_target && with_target->rows() == all.rows() ? std::move(with_target)
                                                            : std::optional(std::move(all));
  }

  std::optional<Table> validation() const {
    if (arguments_.validation.empty()) return {};
    return read(arguments_.validation, true, control_);
  }

 private:
  Table read(const std::string& path, bool with_target, const Control& control) const {
    return read_for_model(path, model_.schema, arguments_.file, with_target, parallel_, control,
                          needed_);
  }

  const PlotArguments& arguments_;
  const PlotView& view_;
  const Model& model_;
  const Parallel& parallel_;
  const Control& control_;
  std::vector<bool> needed_;  // by input; empty: all
};

void run_plot(const PlotArguments& arguments) {
  Console console(arguments.run.quiet);
  const Control control = console.control();
  const Parallel parallel = arguments.run.parallel();
  const PlotView& view = render::find_plot_view(arguments.view);
  PlotOptions options = options_of(arguments);
  const std::vector<std::string> read = {arguments.model, arguments.data, arguments.validation,
                                         arguments.costs};
  refuse_reading_twice(read);
  const Model model = load_model(arguments.model);
  refuse_overwriting(arguments.output, read);
  Output output(arguments.output);
  const RowReader reader(arguments, view, model, parallel, control);
  const std::optional<Table> rows = reader.data(), validation = reader.validation();
  if (!arguments.costs.empty()) options.costs = read_costs(arguments.costs, model.schema, parallel);
  const LoweredTree tree = lowered_with_recipe(model);
  output.write(render::draw_plot(view, {model, tree, rows ? &*rows : nullptr, options, parallel,
                                        control, validation ? &*validation : nullptr}));
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
                 "regions: the numeric inputs on the axes; the two most important that the tree "
                 "uses by default.");
  arguments.list("--depths", "1,2,full", given->depths, true,
                 "regions: one picture for the tree cut at each depth.");
  arguments.list("--at", "INPUT=VALUE", given->at, false,
                 "regions: what another input is; typical values by default.");
  arguments.text("--costs", "FILE", given->costs,
                 "threshold: what errors cost, instead of what the model says.");
  arguments.text("--validation", "FILE", given->validation,
                 "pruning, overfitting: rows to judge by.");
  given->file.declare(arguments);
  given->run.declare_threads(arguments);
  given->run.declare_quiet(arguments);
  return [given] { run_plot(*given); };
}

}  // namespace softwood
