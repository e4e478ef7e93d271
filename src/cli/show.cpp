#include "tree/show.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/common.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "softwood/error.h"

namespace softwood {
namespace {

struct ShowOptions {
  std::string model;
  std::string style = "softwood";
  bool tree = false, rules = false, table = false, summary = false;
};

void check(const ShowOptions& options) {
  const std::vector<std::string> styles = {"softwood", "rpart", "c50"};
  if (std::find(styles.begin(), styles.end(), options.style) == styles.end()) {
    throw Error(ErrorKind::usage, fmt::format("option '--style' can't be '{}'", options.style), {},
                "expected one of " + join(styles, ", "));
  }
  if (options.style != "softwood" && (options.rules || options.table || options.summary)) {
    throw Error(ErrorKind::usage,
                fmt::format("'--style {}' is a way to print the tree, not {}", options.style,
                            options.rules   ? "--rules"
                            : options.table ? "--table"
                                            : "--summary"),
                {}, "leave one of the two out");
  }
}

void run_show(const ShowOptions& options) {
  check(options);
  const Model model = load_model(options.model);
  const size_t width = page_width();
  const auto view = [&] {
    if (options.rules) return show_rules(model, width);
    if (options.table) return show_table(model);
    if (options.summary) return show_summary(model, width);
    if (options.style == "rpart") return show_tree_rpart(model);
    if (options.style == "c50") return show_tree_c50(model);
    return show_tree(model, width);
  };
  print(printable_lines(view()));
}

}  // namespace

std::function<void()> declare_show(Arguments& arguments) {
  auto options = std::make_shared<ShowOptions>();
  arguments.positional("MODEL", options->model, "Model file, from 'softwood train -o'.");
  arguments.flag("--tree", options->tree, "One line a node, indented; the default.");
  arguments.flag("--rules", options->rules, "One rule a leaf, with coverage and confidence.");
  arguments.flag("--table", options->table, "The cost-complexity table of pruning.");
  arguments.flag(
      "--summary", options->summary,
      "Origin, size, importance of the features, and every node with its split, surrogates "
      "and rows without a value.");
  arguments.text("--style", "STYLE", options->style,
                 "Layout of the tree: softwood (the default), rpart or c50.");
  const std::vector<std::string> views = {"--tree", "--rules", "--table", "--summary"};
  for (size_t i = 0; i < views.size(); ++i) {
    for (size_t j = i + 1; j < views.size(); ++j) arguments.exclusive(views[i], views[j]);
  }
  return [options] { run_show(*options); };
}

}  // namespace softwood
