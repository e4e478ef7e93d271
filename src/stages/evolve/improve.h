// Changes that look at the rows: exact choices of one test while the rest of the tree stays as it
// is, and greedy growth. Not in the paper; they are what makes the search short.
#pragma once

#include <functional>
#include <memory>

#include "stages/evolve/operators.h"
#include "stats/split_search.h"

namespace softwood::evolve {

class Improver {
 public:
  explicit Improver(Operators& operators);

  // Gives an inner node that asks for a number the test that is best for the subtrees below as they
  // are: all thresholds of all inputs (or of `only`), and no test at all where one of the subtrees
  // serves all rows well enough. The problem of one node in Carreira-Perpinan & Tavallali 2018.
  // Returns false, with the tree unchanged, when there is nothing better than the test it has; with
  // `accept_worse` the best of `only` is taken however bad.
  bool optimise_test(Individual& tree, size_t node, uint32_t only = no_feature,
                     bool accept_worse = false);
  // Gives an inner node the test of a nominal input that is best for the subtrees below: each level
  // gets the one that costs least for its rows, as often as it likes, or a leaf. Like optimise_test
  // otherwise.
  bool optimise_levels(Individual& tree, size_t node, uint32_t only = no_feature,
                       bool accept_worse = false);
  // Either of them, as the inputs are, unless that was tried before.
  bool optimise(Individual& tree, size_t node);
  bool choose_input(Individual& tree, size_t node, uint32_t input) {
    return rows_.axes()[input].nominal ? optimise_levels(tree, node, input, true)
                                       : optimise_test(tree, node, input, true);
  }

  // What greedy growth looks at.
  struct Greed {
    size_t criterion = 0;  // gini, entropy, misclassification; or mse alone
    double features = 1;   // share of the inputs that a node looks at, drawn at random
    double rows = 1;       // share of the rows, drawn at random
    size_t levels = 1;     // of tests, at most
  };
  Greed random_greed(Random& random) const;
  // Puts a greedily grown subtree in place of the node; what does not pay is cut.
  void regrow(Individual& tree, size_t node, const Greed& greed, Random& random);

  // Puts the best of some two-level subtrees in place of the node: random tests, each with the
  // best splits of its sides. Finds what only two tests together show.
  void look_ahead(Individual& tree, size_t node, size_t tries, Random& random);

  // Goes through all nodes with optimise, and cuts what does not pay, until nothing helps; at most
  // `passes` times. False when must_stop() was true before a node: the tree is then half polished.
  bool polish(Individual& tree, size_t passes, const std::function<bool()>& must_stop = nullptr);

 private:
  struct Best {
    double gain;
    Gene test;
    int all_to = -1;  // 0, 1: no test, all rows to this child
  };
  void add_losses(std::span<const Gene> genes, size_t node, RowSet at, double sign);
  // The same when the subtree of node gets all rows of its parent's place.
  void add_losses_of_all(std::span<const Gene> genes, size_t node, RowSet parent, double sign);
  void leaf_losses(const Gene& leaf, RowSet at, double sign);
  void fill_level_losses(std::span<const Gene> genes, RowSet at);
  void fill_leaf_losses(const Axis& axis, RowSet at, uint32_t heaviest, size_t options,
                        std::vector<double>& losses);
  double choose_options(size_t tried, double price, std::span<const double> option_price);
  // Takes draft_ for the node if the tree is better then.
  bool try_draft(Individual& tree, size_t node, RowSet at, bool accept_worse);
  void collect_rows(RowSet at);
  void best_cut(uint32_t feature, double price_first, double price_second, double dearer,
                Best& best);
  void make_criteria();
  void look_at(RowSet at);
  void place_codes(const Axis& axis);
  void fill_cells(const Axis& axis);
  double levels_score(const stats::SplitSearch& search);
  bool greedy_test(RowSet at, const Greed& greed, Random& random, Gene& test);
  void grow_greedy(RowSet at, uint32_t branch, const Greed& greed, size_t levels, Random& random,
                   Genes& out);
  void thin_out(RowSet at, double share, Random& random);

  Operators& operators_;
  Router& router_;
  const CodedRows& rows_;
  const Fitness& fitness_;
  // Criteria for numbers of classes, ascending up to all: most nodes have few of many.
  struct Criteria {
    size_t classes;
    std::vector<std::unique_ptr<stats::SplitSearch>> kinds;
  };
  std::vector<Criteria> criteria_;
  // Gains of tests that part numbers alike differ by rounding: less than this is no difference.
  double margin_ = 0;
  std::vector<double> counted_weight_;  // of the rows, more for classes whose errors cost more
  stats::Scratch scratch_;
  std::vector<double> difference_;  // by row: loss at the second child less that at the first
  Bits wrong_, touched_, sample_;
  std::vector<uint32_t> care_;  // rows whose difference is not 0
  // Tests of levels: inputs that can be asked, those that are tried now, the subtrees that levels
  // can have, what these and a leaf cost; losses by level and subtree; what each level gets.
  std::vector<uint32_t> nominal_, tried_;
  size_t node_work_ = 0;  // of trying a node, in words or levels
  std::vector<size_t> subtrees_, chosen_;
  std::vector<double> option_price_;
  std::vector<std::vector<double>> level_losses_;
  // The node that greedy growth looks at: its rows, the place of each class in a cell, the width of
  // cells, the sums of all rows.
  std::vector<uint32_t> here_, class_place_;
  size_t width_ = 0;
  const Criteria* fitting_ = nullptr;
  std::vector<double> cells_, node_sums_;
  // Of an input: the codes that have a cell, ascending (empty: all have), and the cell of each.
  std::vector<uint32_t> present_, cell_of_;
  Bits code_bits_;
  size_t known_cells_ = 0;  // those before the cell of missing values
  Genes draft_, grown_, best_grown_;
  Individual trial_;
};

}  // namespace softwood::evolve
