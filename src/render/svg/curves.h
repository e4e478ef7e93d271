// Curves as pictures can show them: no more points than there are pixels, however many rows there
// are.
#pragma once

#include <vector>

#include "render/svg/canvas.h"
#include "use/roc.h"

namespace softwood::render {

// Points of one class against the rest, from (0, 0) to (1, 1).
std::vector<Point> roc_points(std::vector<ScoredRow> rows);

// Of places on a canvas, from the first to the last, those at least `apart` pixels from the one
// kept before. Rates hold for all rows up to a point, so that what is left out is merged, not lost.
std::vector<Point> thinned(const std::vector<Point>& places, double apart = 1);

// Of places that go from left to right the last one in each column of pixels.
std::vector<Point> last_per_column(const std::vector<Point>& places);

// Without the points that a straight line between their neighbours shows as well (Douglas & Peucker
// 1973).
std::vector<Point> simplified(const std::vector<Point>& places, double tolerance = 0.1);

}  // namespace softwood::render
