#include "tree/show.h"

#include "cli/common.h"
#include "cli/output.h"
#include "cli/verb.h"

namespace softwood {
namespace {

struct ShowOptions {
  std::string model;
  bool tree = false, rules = false, table = false, summary = false;
};

void run_show(const ShowOptions& options) {
  const Model model = load_model(options.model);
  if (options.rules) return print(show_rules(model));
  if (options.table) return print(show_table(model));
  if (options.summary) return print(show_summary(model));
  print(show_tree(model));
}

}  // namespace

std::function<void()> declare_show(Arguments& arguments) {
  auto options = std::make_shared<ShowOptions>();
  arguments.positional("MODEL", options->model, "Model file, from 'softwood train -o'.");
  arguments.flag("--tree", options->tree, "One line a node, indented; the default.");
  arguments.flag("--rules", options->rules, "One rule a leaf.");
  arguments.flag("--table", options->table, "The cost-complexity table of pruning.");
  arguments.flag("--summary", options->summary, "Where the model came from, and its size.");
  const std::vector<std::string> views = {"--tree", "--rules", "--table", "--summary"};
  for (size_t i = 0; i < views.size(); ++i) {
    for (size_t j = i + 1; j < views.size(); ++j) arguments.exclusive(views[i], views[j]);
  }
  return [options] { run_show(*options); };
}

}  // namespace softwood
