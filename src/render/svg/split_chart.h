// The small chart of a split: rows over what it asks, the cut, the curve of a soft gate, and the
// terms of a sum.
#pragma once

#include "render/svg/node_rows.h"

namespace softwood::render {

struct ChartFrame {
  double x = 0, y = 0, width = 0;
};

constexpr double split_chart_height = 50, term_height = 14;

// `histogram`: null without rows. `value`: of a row that is followed, NaN: none.
void draw_split_chart(Canvas& canvas, const ChartFrame& frame, const LoweredTree& tree,
                      uint32_t node, const NodeRows& rows);

// Whether the score is a sum, and not one input.
bool is_sum(const LoweredScore& score);
// Lines of the list of terms.
size_t term_lines(const LoweredScore& score);
void draw_terms(Canvas& canvas, const ChartFrame& frame, const LoweredTree& tree,
                const LoweredScore& score);

}  // namespace softwood::render
