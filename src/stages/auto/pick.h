// From what was judged: the frontier, what each preference takes of it, and what new rows are
// expected to lose.
#pragma once

#include <optional>

#include "stages/auto/race.h"

namespace softwood::choice {

// Of the judged, by number.
struct Picks {
  size_t accuracy = 0, balanced = 0, readable = 0;
  size_t by(Prefer prefer) const {
    return prefer == Prefer::accuracy ? accuracy : prefer == Prefer::balanced ? balanced : readable;
  }
};

// Of the chosen tree on new rows, corrected for the choice.
struct Expected {
  Mean loss;   // by the metric
  Mean plain;  // in errors, their cost, or the squared error
};

class Picking {
 public:
  // `allowed`: by number, whether an entrant may be taken. At least one may. The first entrant is
  // the baseline, whether or not it may be taken.
  Picking(const Judged& judged, const std::vector<char>& allowed, size_t classes);

  // accuracy: what loses least, or the costliest candidate where nothing is better than it by two
  // standard errors of the difference; balanced: the smallest that loses no more than that by a
  // standard error of the difference (fit/tolerance.h); readable: of those that people can read the
  // one that loses least, and where there is none the smallest. Equal ones: the smaller, then the
  // first.
  Picks picks() const;
  size_t pick(Prefer prefer) const { return pick(prefer, judged_.weights); }
  // By number, ascending by parameters: each loses less than all that are no larger.
  std::vector<size_t> frontier() const;

  // What a choice like this loses on rows that it was not made by (Tsamardinos, Greasidou &
  // Borboudakis 2018): the choice is repeated on bootstrap samples of the rows, and judged by the
  // rows outside each. What it loses there more than the chosen one loses on the same rows is added
  // to what that one loses on all: so the samples of one that always wins add nothing, and none
  // makes the figure better than it was. Candidates that were dropped lost by so much that no
  // sample would take them.
  // The standard error has three parts: the judging rows are few; other learning rows would have
  // given other trees (Nadeau & Bengio 2003); other judging rows would have chosen another tree.
  // `counts`: plain losses are errors or their costs, of which few rows may show none. After an
  // interrupt fewer samples do. `chosen`: what was taken where that is not what `prefer` takes, as
  // it was taken before all of the rows had judged.
  Expected estimate(Prefer prefer, uint64_t seed, bool counts, const Control& control = {},
                    std::optional<size_t> chosen = {}) const;

 private:
  size_t pick(Prefer prefer, std::span<const double> weights) const;
  std::vector<double> means(std::span<const double> weights) const;  // by number
  size_t smallest_within(size_t best, std::span<const double> means,
                         std::span<const double> weights) const;
  size_t most_accurate(std::span<const double> means, std::span<const double> weights) const;
  size_t least(std::span<const double> losses, bool readable_only) const;
  // Of the mean of its losses.
  double variance(size_t chosen, bool plain, bool counts) const;
  size_t parameters(size_t i) const { return judged_.entrants[i]->figures.parameters; }
  std::span<const double> losses(size_t i) const {
    return std::span(judged_.entrants[i]->losses).first(judged_.rows);
  }
  std::span<const double> losses(size_t i, bool plain) const {
    return plain ? std::span(judged_.entrants[i]->plain).first(judged_.rows) : losses(i);
  }

  const Judged& judged_;
  std::vector<size_t> allowed_;  // by number
  size_t classes_;
};

}  // namespace softwood::choice
