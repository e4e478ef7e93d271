// What long work says while it runs.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

namespace softwood {

// Why a computation ended: by itself, because its time was over, or because it was asked to.
enum class Stopped { converged, budget, interrupt };
std::string_view stopped_name(Stopped stopped);  // "converged", "budget", "interrupt"

// Where long work stands. The texts are valid during the call that hands them over.
struct Progress {
  std::string_view stage;     // the stage that runs: "grow"; empty outside of a recipe
  std::string_view activity;  // in words, and after a colon how far it is: "evolving: generation 7"
  // Rows, folds, passes; a share of 1 where a stage can't count. The share of a stage never falls.
  double done = 0, of = 1;
  std::optional<double> best;  // what the stage lowers, of its best tree so far, where it has one

  double share() const { return of > 0 ? std::clamp(done / of, 0.0, 1.0) : 1; }
};

}  // namespace softwood
