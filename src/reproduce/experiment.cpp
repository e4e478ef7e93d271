#include "reproduce/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "softwood/error.h"

namespace softwood {
namespace {

std::string csv_line(const std::vector<std::string>& cells) {
  std::vector<std::string> quoted;
  std::transform(cells.begin(), cells.end(), std::back_inserter(quoted), csv_cell);
  return join(quoted, ",") + "\n";
}

}  // namespace

std::string ResultTable::text() const {
  TextTable table(header);
  for (const auto& row : rows) table.add(row);
  std::string text = title + "\n\n" + table.text();
  for (const std::string& note : notes) text += note + "\n";
  return text;
}

std::string ResultTable::csv() const {
  std::string text = csv_line(header);
  for (const auto& row : rows) text += csv_line(row);
  return text;
}

std::span<const Experiment> experiments() {
  static const std::vector<Experiment> table = {
      {"evolve", "Evolved trees on chessboards, eight sets and MAGIC",
       "Krętowski & Grześ 2005, Global learning of decision trees by an evolutionary algorithm",
       "Boards are drawn by 'data generate'; the other sets are files of --data. Prints the "
       "paper's table 1 and figures beside ours, curves of accuracy against size, and times.",
       reproduce_evolve},
      {"evolve-options", "What each option of evolve brings, and what the paper leaves open",
       "ours; the algorithm of Krętowski & Grześ 2005",
       "The fitness that each variant reaches on the training rows of small sets, and its time; "
       "no row is used to test with.",
       reproduce_evolve_options},
      {"evolve-price",
       "What a leaf of an evolved tree costs: the paper's share, or what rows choose",
       "ours; Krętowski & Grześ 2005, Breiman et al. 1984",
       "Three folds of all sets of --data: error or share of the variance, and leaves, at the "
       "paper's price and at that of evolve, and of cart. --quick: two small sets.",
       reproduce_evolve_price},
      {"soft-trees", "Soft and hard trees on 20 sets, with the published folds",
       "Irsoy, Yildiz & Alpaydin 2012, Soft decision trees",
       "Needs the folds, splits/SET.csv in --data: each run trains on one half, validates on the "
       "other and tests on the last third. Prints the paper's two tables beside soft, "
       "soft-refined, "
       "hard and ldt trees and the forests of --peers, with wins, losses and sign tests. The whole "
       "takes about half an hour on two processors; --runs 2 does two of ten runs of each set.",
       reproduce_soft_trees},
      {"greedy", "C4.5 on MAGIC, quadratic splits on ringnorm, and kinds of splits side by side",
       "Dvorak & Savicky 2007; Breiman 1996",
       "Errors and leaves over divisions or folds of the sets, beside the figures they are held "
       "to.",
       reproduce_greedy},
      {"magic", "Softened and hard trees on seven splits of the MAGIC data",
       "Dvorak & Savicky, Softening splits in decision trees using simulated annealing",
       "Needs magic.csv in --data. Prints both of the paper's tables with ours beside them, the "
       "errors "
       "of all ways of softening and of the peers split by split, and means with log-loss, Brier "
       "score, AUC, leaves and seconds. With -o also magic-splits.csv, which rows are which, for "
       "experiments/peers.py and experiments/inner.py. --quick: two of the seven splits.",
       reproduce_magic},
      {"softening", "The same pruned trees hard and softened, on all other sets",
       "ours; the soft thresholds of Dvorak & Savicky and of Quinlan",
       "Three folds of each set: error, log-loss and AUC, or in regression the share of the "
       "variance "
       "that is left, leaves and seconds; with a sign test over the sets. --quick: eight small "
       "sets.",
       reproduce_softening},
      {"auto", "One tree chosen from all families, beside single methods and ensembles",
       "ours; the choice of the method auto",
       "Five folds of all sets of --data, or of --sets: auto with each of its preferences, which "
       "come from one run's frontier, our single methods, and the ensembles of --peers. Error or "
       "share of the variance, log-loss, AUC, size and processor seconds by set; wins with sign "
       "tests, mean ranks; auto and each single method by paired differences; its readable tree "
       "beside cart and c45 of equal size; whether the error that it expects comes true, also of "
       "targets dealt out anew on five small sets; and all that is asked of it beside its aims. "
       "First folds come first, small sets before large ones; --runs limits the folds. "
       "--threads 1 makes seconds comparable with those of peers. With -o pictures of the "
       "frontiers are in auto-frontiers; finished folds are kept in auto-folds.csv, so that a run "
       "that was ended goes on, and the folds of the rows in auto-rows, for experiments/peers.py. "
       "Figures that another version kept are set aside. Processes with --sets and -o of their own "
       "share the work: their auto-folds.csv may be joined. --quick: two folds of eight small "
       "sets, without random targets.",
       reproduce_auto, true},
  };
  return table;
}

const Experiment& find_experiment(std::string_view name) {
  std::vector<std::string> names;
  for (const Experiment& experiment : experiments()) {
    if (experiment.name == name) return experiment;
    names.push_back(experiment.name);
  }
  throw Error(ErrorKind::usage, fmt::format("there is no experiment '{}'", name), {},
              known_names_hint(name, names));
}

const std::vector<std::string>& shared_sets() {
  static const std::vector<std::string> sets = {"abalone",
                                                "add10",
                                                "boston",
                                                "breast_wisc",
                                                "bupa",
                                                "california_housing",
                                                "car",
                                                "cmc",
                                                "comp_activ",
                                                "concrete",
                                                "credit_approval",
                                                "german_credit",
                                                "german_credit_numeric",
                                                "iris",
                                                "kr_vs_kp",
                                                "letter",
                                                "magic",
                                                "mushroom",
                                                "musk2",
                                                "nursery",
                                                "page_blocks",
                                                "pima",
                                                "polyadenylation",
                                                "puma8fh",
                                                "puma8fm",
                                                "puma8nh",
                                                "puma8nm",
                                                "ringnorm",
                                                "satellite47",
                                                "satimage",
                                                "soybean",
                                                "spambase",
                                                "tic_tac_toe",
                                                "twonorm",
                                                "vehicle",
                                                "vote",
                                                "wine"};
  return sets;
}

std::optional<Prepared> read_set(const ExperimentRequest& request, const std::string& name) {
  const auto path = std::filesystem::path(request.data) / (name + ".csv");
  if (!std::filesystem::exists(path)) {
    request.control.say(fmt::format("skipped {}: there is no {}", name, path.string()));
    return std::nullopt;
  }
  return training_table(read_frame(path.string(), {}, request.parallel), {}, Control{});
}

std::vector<Run> published_runs(const ExperimentRequest& request, const std::string& name,
                                const Prepared& prepared) {
  const auto path = std::filesystem::path(request.data) / "splits" / (name + ".csv");
  std::vector<Run> runs = runs_from_file(read_frame(path.string(), {}, request.parallel),
                                         prepared.table, prepared.kept_rows, prepared.frame_rows)
                              .runs;
  if (runs.size() > request.most_runs) runs.resize(request.most_runs);
  return runs;
}

}  // namespace softwood
