// What a smaller tree may lose on held-out rows, wherever trees of different sizes are compared.
#pragma once

#include <algorithm>

namespace softwood::fit {

struct Tolerance {
  double share = 0;  // of the loss, or of what is gained over the baseline if that is less
  double standard_errors = 0;  // of the difference, the rows being the same
};

// One standard error is the rule of Breiman et al. 1984; shares, and the two of `small_size`, are
// chosen, not tuned.
constexpr Tolerance exact_choice{0, 0}, balanced_choice{0.05, 1}, small_size{0.2, 2};

// How much more than the best tree another may lose, whichever of the two is more. A tree that
// tells little may not lose what it tells.
inline double allowed_loss(const Tolerance& tolerance, double best_loss, double baseline_loss,
                           double standard_error) {
  const double gained = std::clamp(baseline_loss - best_loss, 0.0, std::max(0.0, best_loss));
  return std::max(tolerance.standard_errors * standard_error, tolerance.share * gained);
}

}  // namespace softwood::fit
