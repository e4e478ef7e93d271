// The constants of `auto`, and where each of them comes from: the time that the choice may take
// (four times that of its costliest candidate), papers, inner rows of data where it says so; or
// they are marked as chosen.
#pragma once

#include <cstddef>

namespace softwood::choice {

struct Constants {
  // With fewer rows nothing is held out. Chosen: sixteen rows to judge by in a part, and twice as
  // many to learn from.
  static constexpr size_t least_rows = 50;
  // Parts of the rows, and how many of them judge. Every judging part costs one fit of the
  // costliest candidate to the others: two fits to 2/3 of the rows and one to all of them make some
  // two and a half times its time, which leaves the rest to the others. Where there are more rows,
  // the others take a larger share of the time, and one part has rows enough.
  static constexpr size_t few_rows = 1000;
  static constexpr size_t parts_of_few = 3, judging_of_few = 2;
  static constexpr size_t parts_of_many = 3, judging_of_many = 1;
  // More rows change the choice little, and have no part in it; by time, as in grow-soft.
  static constexpr size_t most_judged_rows = 50000;

  // Beyond this share of the rows it is worth a warning that they are copies of others. Chosen.
  static constexpr double many_copies = 0.1;

  // Candidates that take long are tried with so many rows first, where there are twice as many.
  static constexpr size_t racing_rows = 1000;
  // A candidate is dropped where one that is no larger loses less by so many standard errors of the
  // difference: two, so that few of those that would be taken are dropped; after a small part of
  // the rows also by this share, as more rows may help.
  static constexpr double dropping_errors = 2, racing_share = 0.1;

  // Sizes of greedy trees on the frontier, in leaves: where people read them, all that a limit may
  // be, or nearly; one per power of two beyond.
  static constexpr size_t leaves[] = {2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 64, 128, 256};
  static constexpr size_t rows_per_leaf = 10;  // least rows for each of them; chosen
  static constexpr size_t min_leaf = 5;        // as the greedy trees that grow-soft starts from
  // Folds of prunings in slow growing. By time: three grow a third of what ten do.
  static constexpr size_t slow_folds = 3;
  // A short search of evolve: a tenth of its own generations, half of its islands. By time: it
  // takes as long as the costliest candidate otherwise.
  static constexpr size_t generations = 200, patience = 20, islands = 2;
  // Scores over all pairs of inputs are tried with at most so many, by time; as in grow-soft.
  static constexpr size_t most_paired_inputs = 24;
  // Weighted sums are searched for with at most so many, by time.
  static constexpr size_t most_scored_inputs = 64;
  // Cells (rows x inputs x classes) up to which logistic leaves are tried, by time.
  static constexpr size_t most_logistic_cells = 2'000'000;
  // The same where every level of an input is a term of its own: twice as many, as most of their
  // cells are 0.
  static constexpr size_t most_logistic_term_cells = 2 * most_logistic_cells;
  // Terms, a level being one, up to which leaves have regressions: these take time by the third
  // power of the terms, a second for so many.
  static constexpr size_t most_regression_terms = 500;
  // Cells of levels (rows x levels) up to which ensembles and soft trees are tried, which hold all
  // of them: 400 MB, by memory. Rows are those of the last fit; an ensemble learns from at most
  // most_judged_rows.
  static constexpr size_t most_level_cells = 50'000'000;

  // Sizes of trees that are distilled from an ensemble. Its answers have less noise than rows have,
  // so that two rows are enough for a leaf. On inner rows of twelve sets, softened trees of 256
  // leaves were hardly better than those of 64; with many classes each has few leaves otherwise.
  static constexpr size_t distilled_leaves[] = {64, 256, 1024}, small_distilled_leaves = 8;
  static constexpr size_t rows_per_distilled_leaf = 2;
  static constexpr size_t usual_softened_leaves = 64, most_softened_leaves = 256, many_classes = 8;

  // Parts that judge within soft trees of few inputs. By time: what is chosen there is little.
  static constexpr size_t sparse_folds = 2;

  // prefer=readable: what people can read at a glance. Leaves as the paper of the published soft
  // trees shows them; the number of inputs in a sum is chosen.
  static constexpr size_t readable_leaves = 16, readable_inputs = 3;

  // prefer=accuracy takes the costliest candidate where none is better than it by more standard
  // errors of the difference than this: of some fifty the best looks better than it is (of ten that
  // are equally good and independent the best leads by 1.5 by chance), and that one was chosen from
  // many itself. Two: on learning rows of 20 sets, divided again, those that led by one to two
  // standard errors lost more than it on the other rows 10 times of 15, those that led by more once
  // of 4.
  static constexpr double leading_errors = 2;

  // Bootstrap samples of the correction for the choice (Tsamardinos, Greasidou & Borboudakis 2018
  // take 500; the mean settles sooner).
  static constexpr size_t bootstrap_samples = 200;
  static constexpr size_t least_samples = 20;  // after an interrupt; chosen
  // Rows that are added where errors are counted, half of them wrong: Agresti & Coull 1998, for
  // intervals of two standard errors.
  static constexpr size_t added_rows = 4;
  // Under a budget: times the seconds that the last fit is expected to take which are kept for it.
  static constexpr double reserve = 1.3;
  // The least share of the time left that a fit may take which the budget can cut short; chosen.
  static constexpr double least_share_of_time = 0.25;

  // Points of the frontier in a line of progress, which has room for so many.
  static constexpr size_t shown_of_frontier = 5;
};

}  // namespace softwood::choice
