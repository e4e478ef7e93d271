// The constants of `grow-soft shape=full`, and where each of them comes from.
//
// All values were chosen on rows outside the test third of the sets in docs/evidence/soft-trees.md;
// single comparisons were not kept. So a comment names the paper that a value or an idea is from,
// or the reason for it where there is one, and says "chosen, not tuned" of the others.
#pragma once

#include <cstddef>
#include <cstdint>

namespace softwood::soft {

struct Constants {
  // Parts of the rows, each judging fits to the others: 5, 3 from `few_rows` on and 2 from
  // `many_rows` on, by the time that fits take. Chosen, not tuned.
  static constexpr size_t few_rows = 1000, many_rows = 20000;
  static constexpr size_t least_divided_rows = 5;  // as many as there are parts
  // More rows than these change the choice little, and have no part in it; nor is a tree of more
  // rows distilled, as the ensemble would know fewer rows than the tree. By time.
  static constexpr size_t most_judged_rows = 50000;
  // Fits take the steps of so many rows, where there are more to judge by. By time.
  static constexpr size_t most_paced_rows = 20000;

  // Of a budget, the part that choosing and distilling may take; the rest is for the last fit.
  // Chosen, not tuned.
  static constexpr double choosing_share = 0.6;

  // Length of the training: enough for trees of all sizes to settle. So many passes over the rows;
  // where these are few, so many steps per row, within the two limits. Chosen, not tuned.
  static constexpr size_t passes = 150, steps_per_row = 8, least_steps = 200, enough_steps = 4000;
  // Operations per row that a fit is held to, so that the whole choice takes minutes, and the steps
  // that it has at least, in the first round of the race and otherwise. Chosen, not tuned.
  static constexpr double most_work = 2e5;
  // Where leaves have more outputs than these, more operations in proportion, up to so many times
  // as many (by time): many classes take more leaves, and every leaf more operations.
  static constexpr size_t outputs_of_work = 4, most_times_work = 8;
  static constexpr size_t least_first_steps = 50, least_limited_steps = 100;
  // Operations of one row forward and backward, as counted in gradient/pass.h.
  static constexpr size_t work_per_output = 4, work_per_node = 20;

  // Size of the trees: outputs of all leaves together, by time and memory, and the depths that are
  // tried first and then. With 1024 outputs trees of 26 classes had at most 32 leaves, and on inner
  // rows of letter twice the loss. Chosen, not tuned.
  static constexpr size_t most_outputs = 8192;
  static constexpr size_t first_depths[] = {2, 4};
  static constexpr size_t small_depths[] = {1, 3}, large_depths[] = {3, 5, 6};

  // Products of all pairs and knots are tried with at most so many inputs, by time; with more
  // outputs per leaf only the inputs themselves. Chosen, not tuned.
  static constexpr size_t most_paired_inputs = 24, most_knotted_inputs = 64;
  static constexpr size_t most_mapped_outputs = 16;

  // Weight decay times the number of rows (the more rows there are, the less is needed): two values
  // per power of ten, and those that are tried first. Chosen, not tuned.
  static constexpr double decays[] = {0, 15, 50, 150, 500, 1500, 5000, 15000};
  static constexpr double first_decays[] = {150, 5000};

  // The l1 penalty times the square root of rows / batch. Steps of Adam are about as long as the
  // gradient is large against its noise from batch to batch, which is that of all rows times this
  // root: a penalty of 1 outweighs a standard error of the mean gradient. The first one is tried
  // beside the first decays.
  static constexpr double penalties[] = {0, 0.1, 0.3, 1}, first_penalty = 0.3;

  // Candidates race (successive halving; Jamieson & Talwalkar 2016): all have the first share of
  // the steps, so many of the better ones the second (with few rows, of which each has its decays
  // in the first round, more); so many kinds and depths of these are fitted with all steps. By
  // time; chosen, not tuned.
  static constexpr double first_effort = 1.0 / 16, screening_effort = 0.25;
  static constexpr size_t kept = 6, kept_of_few = 15;
  static constexpr size_t kept_makes = 3, kept_depths = 3;
  // While they race they are judged by as many parts as have so many rows, but not by more than so
  // many. By time; chosen, not tuned.
  static constexpr size_t racing_rows = 1000, most_racing_parts = 3;
  // Trees that start from greedy ones are left when they lose this many times the best loss by
  // then.
  static constexpr double hopeless = 1.1;

  // Trees that start from greedy ones: their leaves, rows per leaf, the greedy tree's min-leaf, and
  // the depth of a full tree with as many leaves. Chosen, not tuned.
  static constexpr size_t first_leaves[] = {16, 64, 256};
  static constexpr size_t rows_per_leaf = 10, greedy_min_leaf = 5, most_greedy_depth = 9;
  // At most so many of them are fitted with all steps. The decays that are tried first, and times
  // the work: they have more gates than others, which settle sooner.
  static constexpr size_t kept_greedy = 2;
  static constexpr double greedy_decays[] = {15, 5000}, greedy_work = 4;
  // How wide their ramps are at first (CompileOptions::softness): gradients reach only rows that
  // lie on a ramp.
  static constexpr double greedy_softness = 4;

  // The ensemble is chosen from so many kinds of trees. Caruana et al. 2004 choose from a library
  // of models; its size is chosen by time.
  static constexpr size_t most_kinds = 6;
  // The fits without each part start differently: together they are an ensemble. There are at most
  // 100 starts of a candidate.
  static constexpr uint64_t starts_by_part = 1000;
  // Trees with random cuts without each of the parts. Geurts et al. 2006 grow 100; fewer here, by
  // time, and fewest where a tree has more than a million cells. Their n_min = 5 is that for
  // numeric targets.
  static constexpr size_t least_random_trees = 8, most_random_trees = 32;
  static constexpr size_t random_tree_cells = 64'000'000;
  static constexpr size_t random_min_split = 5;

  // Synthetic rows for the students (Bucila, Caruana & Niculescu-Mizil 2006, section 3): so many
  // times the rows, and at most so many, one of so many of which students do not learn from. Chosen
  // by time.
  static constexpr size_t synthetic_times = 3, most_synthetic = 15000, one_judges_of = 3;
  // Times the steps of its own fit that a student is trained for: the answers of an ensemble have
  // no noise that long training would fit. Chosen, not tuned.
  static constexpr size_t times_longer = 4;
  // Students are tried with so many parts of the rows held out, with few rows two. By time.
  static constexpr size_t least_tried_rows = 1000, most_tried_parts = 2;
  // A student is not taken that lost, in standard errors and as a share of the loss, more than
  // these against the tree by itself: that tree was chosen by the rows that judge, and the student
  // that is tried has had a part of its steps. With no allowance, 3 of 66 trees changed on inner
  // rows, and the mean loss rose by 0.3 % (standard error 0.3 %). Chosen, not tuned.
  static constexpr double student_errors = 2, student_allowance = 0.05;
  // What a smaller student may lose, as a share of the loss of held-out rows. Chosen, not tuned.
  static constexpr double lost_by_smaller = 0.005;

  // Share of the rows that a branch of a sparse tree has at least. Chosen: rows of so small a part
  // hardly show whether it is right.
  static constexpr double least_read_share = 0.002;
};

}  // namespace softwood::soft
