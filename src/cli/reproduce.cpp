#include <fmt/format.h>

#include <filesystem>

#include "base/text.h"
#include "cli/common.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "reproduce/experiment.h"
#include "softwood/error.h"

namespace softwood {
namespace {

struct ReproduceOptions {
  std::string experiment, data, peers, sets, output;
  bool quick = false;
  long runs = 1000;
  RunOptions run;
};

std::string experiment_list() {
  constexpr size_t width = 100;
  std::string text;
  for (const Experiment& entry : experiments()) {
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", entry.name);
    text += wrapped("  ", entry.summary + ". " + entry.details, width) + "\n";
    text += wrapped("  ", "Source: " + entry.source, width) + "\n";
  }
  return text;
}

void refuse_missing_folder(const std::string& path) {
  if (std::filesystem::is_directory(path)) return;
  throw Error(ErrorKind::usage,
              path.empty() ? "'reproduce' needs --data" : fmt::format("'{}' is not a folder", path),
              {}, "--data names the folder with the data sets as CSV files");
}

std::vector<std::string> names_of_sets(const ReproduceOptions& options,
                                       const Experiment& experiment) {
  std::vector<std::string> names;
  if (options.sets.empty()) return names;
  if (!experiment.takes_sets) {
    throw Error(ErrorKind::usage,
                fmt::format("the experiment '{}' takes no --sets", experiment.name));
  }
  for (const std::string_view name : split(options.sets, ',')) {
    if (!trim(name).empty()) names.emplace_back(trim(name));
  }
  return names;
}

std::string make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!std::filesystem::is_directory(path)) {
    throw Error(ErrorKind::failure,
                fmt::format("the folder '{}' can't be made: {}", path, error.message()), {},
                "name another one with -o");
  }
  return path;
}

// Those of the repository, when this is its folder.
std::string usual_peers() {
  constexpr const char* path = "experiments/peers.csv";
  return std::filesystem::exists(path) ? path : "";
}

void run_reproduce(const ReproduceOptions& options) {
  if (options.experiment.empty()) return print(experiment_list());
  const Experiment& experiment = find_experiment(options.experiment);
  refuse_missing_folder(options.data);
  std::vector<std::string> sets = names_of_sets(options, experiment);
  Console console(options.run.quiet);
  const Control control = console.control();
  const Parallel parallel = options.run.parallel();
  const std::string peers_file = options.peers.empty() ? usual_peers() : options.peers;
  const PeerFigures peers =
      peers_file.empty() ? PeerFigures() : PeerFigures::read(peers_file, parallel);
  if (!options.output.empty()) make_folder(options.output);
  bool first = true;
  const auto publish = [&](const ResultTable& table) {
    if (table.rows.empty()) return;  // none of its data sets is there
    if (table.printed) {
      print((first ? "" : "\n") + table.text());
      flush_output();
      first = false;
    }
    if (options.output.empty()) return;
    Output file((std::filesystem::path(options.output) / (table.name + ".csv")).string());
    file.write(table.csv());
    file.finish();
  };
  experiment.run({options.data, options.quick, static_cast<size_t>(options.runs), peers, parallel,
                  control, publish, options.output, std::move(sets)});
  if (first) {
    throw Error(ErrorKind::data, "has none of the experiment's data sets", options.data,
                "--data names the folder with the data sets as CSV files");
  }
}

}  // namespace

std::function<void()> declare_reproduce(Arguments& arguments) {
  auto options = std::make_shared<ReproduceOptions>();
  arguments.positional("EXPERIMENT", options->experiment,
                       "Name of an experiment; without one all are explained.", false);
  arguments.text("--data", "DIR", options->data, "Folder of the data sets.");
  arguments.text("--peers", "FILE", options->peers,
                 "Figures of other programs, as experiments/peers.py writes them; default "
                 "experiments/peers.csv where there is one.");
  arguments.text("--sets", "A,B", options->sets,
                 "Only these data sets, names of files without '.csv' (auto); default all.");
  arguments.text("-o,--output", "DIR", options->output,
                 "Folder for the tables as CSV files; made when it is not there.");
  arguments.flag("--quick", options->quick, "A part of the experiment, in about two minutes.");
  arguments.integer(
      "--runs", "N", options->runs, 1, 1000,
      "At most so many of the published runs of each set (soft-trees, auto); default all.");
  options->run.declare_threads(arguments);
  options->run.declare_quiet(arguments);
  return [options] { run_reproduce(*options); };
}

}  // namespace softwood
