// Krętowski & Grześ 2005 on chessboards: table 1, figures 4 and 5, and boards among noise. No test
// row is seen before the tree is finished.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "reproduce/evolve_scores.h"
#include "study/cv.h"

namespace softwood {
namespace {

// Halfway between the rows on both sides of each border of the board, along one input, of the
// training rows that are in one strip of the other input (or all, without a strip).
std::vector<double> gap_cuts(const Table& table, size_t axis, size_t side,
                             std::optional<size_t> strip) {
  std::vector<double> cuts;
  for (size_t border = 1; border < side; ++border) {
    const auto at = static_cast<double>(border);
    double below = 0, above = static_cast<double>(side);
    for (size_t row = 0; row < table.rows(); ++row) {
      const auto other = static_cast<size_t>(table.input(1 - axis).numbers[row]);
      if (strip && *strip != other) continue;
      const double value = table.input(axis).numbers[row];
      if (value < at) {
        below = std::max(below, value);
      } else {
        above = std::min(above, value);
      }
    }
    cuts.push_back(middle(below, above));
  }
  return cuts;
}

// The tree of the fewest nodes that knows where the borders are: first all cuts of one input, then
// those of the other in each strip, each in the middle of the gap that the rows of its node leave.
// Accuracy in % on the test rows, the mean of columns first and rows first.
double ideal_accuracy(const Draw& board, size_t side) {
  const auto strip_of = [](const std::vector<double>& cuts, double value) {
    return static_cast<size_t>(std::lower_bound(cuts.begin(), cuts.end(), value) - cuts.begin());
  };
  const auto code = [&](const Table& table, size_t row) {
    return static_cast<size_t>(table.target().codes[row]);
  };
  const Cells<double>&x = board.train.input(0).numbers, &y = board.train.input(1).numbers;
  // Classes are numbered as they occur: whether even squares have class 0.
  const size_t shift =
      (static_cast<size_t>(x[0]) + static_cast<size_t>(y[0]) + code(board.train, 0)) % 2;
  size_t right = 0;
  for (size_t first = 0; first < 2; ++first) {
    const std::vector<double> outer = gap_cuts(board.train, first, side, std::nullopt);
    std::vector<std::vector<double>> inner;
    for (size_t s = 0; s < side; ++s) inner.push_back(gap_cuts(board.train, 1 - first, side, s));
    for (size_t row = 0; row < board.test.rows(); ++row) {
      const size_t strip = strip_of(outer, board.test.input(first).numbers[row]);
      const size_t square =
          strip + strip_of(inner[strip], board.test.input(1 - first).numbers[row]);
      right += (square + shift) % 2 == code(board.test, row) ? 1 : 0;
    }
  }
  return 50 * static_cast<double>(right) / static_cast<double>(board.test.rows());
}

Options::Pairs board_options(size_t side, size_t per_cell) {
  return {{"side", std::to_string(side)}, {"per-cell", std::to_string(per_cell)}};
}

// Table 1.
void boards(const ExperimentRequest& request) {
  struct Published {
    size_t side;
    const char *quality, *size, *c45, *c45_size;
  };
  constexpr std::array<Published, 3> rows = {{{2, "99.9 ± 0.1", "7.0 ± 0.0", "50.0", "1.0"},
                                              {3, "99.1 ± 0.2", "17.0 ± 0.0", "98.6", "23.0"},
                                              {4, "97.9 ± 0.2", "31.0 ± 0.0", "50.0", "1.0"}}};
  ResultTable table{"table-1",
                    "Table 1: chessboards with 100 rows a square; accuracy in % on as many others "
                    "and nodes, mean ± standard deviation over the draws",
                    {"board", "paper GDT-EA", "nodes", "paper C4.5", "nodes", "ideal cuts"},
                    {},
                    {},
                    true};
  const std::vector<std::string> methods = {"evolve-published", "evolve", "c45", "cart"};
  for (const std::string& method : methods) {
    table.header.push_back(method);
    table.header.emplace_back("nodes");
  }
  const size_t draws = request.quick ? 3 : 10;
  for (const Published& row : rows) {
    std::vector<Scores> scores(methods.size());
    std::vector<double> ideal;
    for (uint64_t seed = 1; seed <= draws; ++seed) {
      const Draw board =
          draw("chessboard", board_options(row.side, 100), board_options(row.side, 100), seed);
      ideal.push_back(ideal_accuracy(board, row.side));
      for (size_t m = 0; m < methods.size(); ++m) {
        score(request, recipe_of(methods[m]), board.train, board.test, seed, scores[m]);
      }
    }
    std::vector<std::string> cells = {
        fmt::format("{0}x{0}", row.side), row.quality, row.size, row.c45, row.c45_size,
        Scores::spread(ideal, 1)};
    for (const Scores& one : scores) {
      cells.push_back(one.accuracy_text());
      cells.push_back(one.nodes_text());
    }
    table.rows.push_back(std::move(cells));
    double worst = 0;
    for (size_t i = 0; i < draws; ++i) worst = std::max(worst, ideal[i] - scores[1].accuracy[i]);
    table.notes.push_back(fmt::format(
        "{0}x{0}: evolve has {1:.0f} to {2:.0f} nodes and is at most {3:.2f} points behind the "
        "ideal cuts; {4:.3f} s of CPU a tree",
        row.side, *std::min_element(scores[1].nodes.begin(), scores[1].nodes.end()),
        *std::max_element(scores[1].nodes.begin(), scores[1].nodes.end()), worst,
        mean_sd(scores[1].worked).mean));
  }
  request.publish(table);
}

// The tree of `cart` at the price that nodes have in the fitness of a tree with this alpha: a leaf
// more is two nodes more, and costs of pruning are shares of the errors of a single leaf.
Recipe cart_at(const Table& table, double alpha) {
  std::vector<double> sums(table.schema().classes(), 0.0);
  for (const int32_t klass : table.target().codes) ++sums[static_cast<size_t>(klass)];
  const auto rows = static_cast<double>(table.rows());
  const double errors = rows - *std::max_element(sums.begin(), sums.end());
  return recipe_of("cart", {fmt::format("prune.alpha={}", 2 * alpha * rows / errors)});
}

// Figure 4.
void sensitivity(const ExperimentRequest& request) {
  ResultTable table{
      "figure-4",
      "Figure 4: alpha on chessboard 3x3; the paper finds the best trees from 0.001 "
      "to 0.01",
      {"alpha", "evolve-published", "nodes", "evolve", "nodes", "cart", "nodes", "c45", "nodes"},
      {},
      {"cart: cut at the price that nodes then have; c45 has no such price"},
      true};
  const uint64_t draws = request.quick ? 1 : 5;
  std::vector<Draw> some;
  Scores c45;
  for (uint64_t seed = 1; seed <= draws; ++seed) {
    some.push_back(draw("chessboard", board_options(3, 100), board_options(3, 100), seed));
    score(request, recipe_of("c45"), some.back().train, some.back().test, seed, c45);
  }
  for (const char* alpha : {"0.1", "0.03", "0.01", "0.005", "0.0025", "0.001", "0.0003", "0.0001",
                            "0.00001", "0.000001"}) {
    if (request.quick && std::string_view(alpha) < "0.0003") continue;
    std::vector<std::string> cells = {alpha};
    const auto add = [&](const Scores& scores) {
      cells.push_back(scores.accuracy_text());
      cells.push_back(scores.nodes_text());
    };
    for (const char* method : {"evolve-published", "evolve", "cart"}) {
      Scores scores;
      for (uint64_t i = 0; i < draws; ++i) {
        const Recipe recipe = method == std::string_view("cart")
                                  ? cart_at(some[i].train, std::stod(alpha))
                                  : recipe_of(method, {fmt::format("evolve.alpha={}", alpha)});
        score(request, recipe, some[i].train, some[i].test, i + 1, scores);
      }
      add(scores);
    }
    add(c45);
    table.rows.push_back(std::move(cells));
  }
  request.publish(table);
}

// Figure 5, and on.
void growth(const ExperimentRequest& request) {
  ResultTable table{"figure-5",
                    "Figure 5: chessboard 3x3 with more rows, 10000 others for testing",
                    {"rows", "paper"},
                    {},
                    {"paper: about 1.5 hours; seconds passed, CPU is the work of all threads"},
                    true};
  // With the most rows that there is time for.
  struct Entry {
    const char* method;
    size_t most, most_quick;
  };
  constexpr std::array<Entry, 4> entries = {{{"evolve-published", 100000, 10000},
                                             {"evolve", 10000000, 100000},
                                             {"cart", 1000000, 100000},
                                             {"c45", 1000000, 100000}}};
  for (const Entry& entry : entries) {
    for (const char* column : {entry.method, "nodes", "seconds", "CPU"}) {
      table.header.emplace_back(column);
    }
  }
  for (size_t rows = 100; rows <= (request.quick ? entries[1].most_quick : entries[1].most);
       rows *= 10) {
    const Draw board = draw("chessboard", {{"side", "3"}, {"rows", std::to_string(rows)}},
                            {{"side", "3"}, {"rows", "10000"}}, 1);
    std::vector<std::string> cells = {std::to_string(rows), rows == 100000 ? "5400 s" : ""};
    for (const Entry& entry : entries) {
      if (rows > (request.quick ? entry.most_quick : entry.most)) {
        cells.insert(cells.end(), {"-", "-", "-", "-"});
        continue;
      }
      Scores scores;
      score(request, recipe_of(entry.method), board.train, board.test, 1, scores);
      cells.push_back(fmt::format("{:.2f}", scores.accuracy[0]));
      cells.push_back(fmt::format("{:.0f}", scores.nodes[0]));
      cells.push_back(fmt::format("{:.2f}", scores.seconds[0]));
      cells.push_back(fmt::format("{:.2f}", scores.worked[0]));
    }
    table.rows.push_back(std::move(cells));
  }
  request.publish(table);
}

// Grubinger, Zeileis & Pfeiffer 2014: the 4x4 board among noise, with evtree's own fitness.
void noisy_boards(const ExperimentRequest& request) {
  ResultTable table{"noise",
                    "Chessboard 4x4, six inputs of noise, 4000 rows; accuracy on 4000 others",
                    {"label noise", "evtree", "evolve", "leaves", "CPU", "cart"},
                    {},
                    {},
                    true};
  const uint64_t draws = request.quick ? 1 : 10;
  const std::array<std::pair<const char*, const char*>, 3> levels = {
      {{"0", "0.932"}, {"0.05", "0.890"}, {"0.1", "0.845"}}};
  for (const auto& [noise, evtree] : levels) {
    const Options::Pairs options = {
        {"side", "4"}, {"rows", "4000"}, {"noise-columns", "6"}, {"label-noise", noise}};
    Scores ours, cart;
    for (uint64_t seed = 1; seed <= draws; ++seed) {
      const Draw board = draw("chessboard", options, options, seed);
      score(request, recipe_of("evolve", {"evolve.complexity=bic"}), board.train, board.test, seed,
            ours);
      score(request, recipe_of("cart"), board.train, board.test, seed, cart);
    }
    table.rows.push_back({noise, evtree, fmt::format("{:.3f}", mean_sd(ours.accuracy).mean / 100),
                          fmt::format("{:.1f}", (mean_sd(ours.nodes).mean + 1) / 2),
                          fmt::format("{:.2f}", mean_sd(ours.worked).mean),
                          fmt::format("{:.3f}", mean_sd(cart.accuracy).mean / 100)});
  }
  table.notes.emplace_back("evolve with complexity=bic, which is evtree's own fitness");
  request.publish(table);
}

}  // namespace

void reproduce_boards(const ExperimentRequest& request) {
  boards(request);
  growth(request);
  noisy_boards(request);
}

void reproduce_alpha(const ExperimentRequest& request) { sensitivity(request); }

}  // namespace softwood
