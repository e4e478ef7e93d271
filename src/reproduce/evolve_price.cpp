// What a leaf of an evolved tree costs: the paper's share of the rows, or what rows choose.
#include <fmt/format.h>

#include "reproduce/evolve_scores.h"
#include "reproduce/experiment.h"
#include "study/cv.h"
#include "use/binomial.h"

namespace softwood {
namespace {

constexpr size_t folds = 3, most_rows = 3000;

std::vector<RowIndex> some_rows(const Table& table) {
  const std::vector<RowIndex> all = all_rows(table);
  if (all.size() <= most_rows) return all;
  const double share = static_cast<double>(most_rows) / static_cast<double>(all.size());
  const std::vector<char> inside = stratified_part(table, all, share, 1);
  std::vector<RowIndex> rows;
  for (const RowIndex row : all) {
    if (inside[row] != 0) rows.push_back(row);
  }
  return rows;
}

}  // namespace

void reproduce_evolve_price(const ExperimentRequest& request) {
  const std::vector<Candidate> candidates = {{"", Recipe::parse("evolve alpha=0.0025")},
                                             {"evolve", Recipe::parse("evolve")},
                                             {"cart", recipe_of("cart")}};
  ResultTable table{"evolve-price",
                    fmt::format("evolve at the paper's price, at the price that rows choose, and "
                                "cart, {}-fold cross-validation: error in %, or in regression the "
                                "share of the variance not explained in %, and leaves",
                                folds),
                    {"set", "alpha=0.0025", "leaves", "evolve", "leaves", "cart", "leaves"},
                    {},
                    {fmt::format("of sets with more than {0} rows, {0} are used", most_rows)},
                    true};
  size_t better = 0, worse = 0;
  for (const std::string& set :
       request.quick ? std::vector<std::string>{"iris", "wine"} : shared_sets()) {
    const std::optional<Prepared> prepared = read_set(request, set);
    if (!prepared) continue;
    const bool classes = prepared->table.schema().task() == Task::classification;
    const CvOutcome outcome = cross_validate(
        prepared->table, runs_over(prepared->table, some_rows(prepared->table), folds, 1),
        candidates, 1, request.parallel, request.control);
    std::vector<std::string> cells = {set};
    std::vector<double> means;
    for (const auto& candidate : outcome.candidates) {
      means.push_back(100 * mean_sd(candidate.figure(classes ? "error" : "nmse")).mean);
      cells.push_back(fmt::format("{:.1f}", means.back()));
      cells.push_back(fmt::format("{:.1f}", mean_sd(candidate.figure("leaves")).mean));
    }
    better += means[1] < means[0] ? 1 : 0;
    worse += means[1] > means[0] ? 1 : 0;
    table.rows.push_back(std::move(cells));
  }
  table.notes.push_back(
      fmt::format("the price that rows choose is better on {} sets and worse on {} (p {:.2g})",
                  better, worse, sign_test(better, worse)));
  request.publish(table);
}

}  // namespace softwood
