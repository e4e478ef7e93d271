// $predict_rows of soft trees: rows without missing cells go down in blocks, each node with all
// rows of the block at once, so that compilers take several rows per step. The steps of a row are
// those of descent_text.h, in their order.
#pragma once

#include <string_view>

namespace softwood::render::descent_text {

inline constexpr std::string_view block = R"(
/* Rows without missing cells, side by side: every node, in their order. A share of 0 adds nothing.
   0: a sum is not a number or a level was not seen; then the rows must be answered one by one. */
FUNCTION int $block(const CELL *const *rows, double *const *outs)
{
  EXACT
  double cells[@ALLCELLS@][@ROWS@], shares[@QUEUE@][@ROWS@], mixed[@OUTPUTS@][@ROWS@];
  int32_t node, r, k;
  for (k = 0; k < @INPUTS@; ++k) for (r = 0; r < @ROWS@; ++r) cells[k][r] = rows[r][k];
@MAPROWS@  for (k = 0; k < @OUTPUTS@; ++k) for (r = 0; r < @ROWS@; ++r) mixed[k][r] = 0;
  for (r = 0; r < @ROWS@; ++r) shares[0][r] = 1;
  for (node = 0; node < @NODES@; ++node) {
    const int32_t child = $node_child[node];
    double share[@ROWS@], s[@ROWS@];
    for (r = 0; r < @ROWS@; ++r) share[r] = shares[node % @QUEUE@][r];
    if (child < 0) {
@LEAF@    } else {
      const int32_t c = $node_condition[node];
      double *const left = shares[child % @QUEUE@], *const right = shares[(child + 1) % @QUEUE@];
@GATE@      for (r = 0; r < @ROWS@; ++r) {
        const double part = share[r] * s[r];
        left[r] = part > @SMALLEST@ ? part : 0;
      }
      for (r = 0; r < @ROWS@; ++r) {
        const double part = share[r] * (1 - s[r]);
        right[r] = part > @SMALLEST@ ? part : 0;
      }
    }
  }
  for (r = 0; r < @ROWS@; ++r) {
    double *const out = outs[r];
    for (k = 0; k < @OUTPUTS@; ++k) out[k] = mixed[k][r];
@FINISH@  }
  return 1;
}
)";

inline constexpr std::string_view map_rows = R"(  for (k = 0; k < @MAPS@; ++k) {
    for (r = 0; r < @ROWS@; ++r) {
      cells[@INPUTS@ + k][r] = $asinh((cells[$map_input[k]][r] - $map_centre[k]) / $map_scale[k]);
    }
  }
)";

// Each makes s the weights of the first child.
inline constexpr std::string_view gate_threshold = R"(      if ($condition_code[c] == 0) {
        const double cut = $condition_cut[c], *const x = cells[$condition_input[c]];
        for (r = 0; r < @ROWS@; ++r) s[r] = x[r] <= cut ? 1 : 0;
      } else
)";
inline constexpr std::string_view gate_levels = R"(      if ($condition_code[c] == 1) {
        for (r = 0; r < @ROWS@; ++r) {
          k = $level_child[$condition_first[c] + CAST<int32_t>(cells[$condition_input[c]][r])];
          if (k < 0) return 0;
          s[r] = k == 0 ? 1 : 0;
        }
      } else
)";
inline constexpr std::string_view gate_sum = R"(      {
        const int32_t begin = $condition_first[c], end = begin + $condition_count[c];
        const double cut = $condition_cut[c];
        int32_t t, not_a_number = 0;
        for (r = 0; r < @ROWS@; ++r) s[r] = 0;
        for (t = begin; t < end; ++t) {
          const double factor = $term_coefficient[t], *const x = cells[$term_input[t]];
          for (r = 0; r < @ROWS@; ++r) s[r] += factor * x[r];
        }
        for (r = 0; r < @ROWS@; ++r) not_a_number |= s[r] != s[r];
        if (not_a_number) return 0;
@LINKROWS@      }
)";
inline constexpr std::string_view rows_ramp = R"(        if ($condition_code[c] == 3) {
          const double below = $condition_below[c], above = $condition_above[c];
          for (r = 0; r < @ROWS@; ++r) {
            const double under = cut - s[r];
            s[r] = under > 0   ? (under >= below ? 1 : 0.5 + 0.5 * under / below)
                   : under < 0 ? (-under >= above ? 0 : 0.5 + 0.5 * under / above)
                               : 0.5;
          }
        } else
)";
inline constexpr std::string_view rows_logistic = R"(        if ($condition_code[c] == 4) {
          for (r = 0; r < @ROWS@; ++r) s[r] -= cut;
          $exp_rows(s);
          for (r = 0; r < @ROWS@; ++r) s[r] = 1 / (1 + s[r]);
        } else
)";
inline constexpr std::string_view rows_step = R"(        {
          for (r = 0; r < @ROWS@; ++r) s[r] = s[r] <= cut ? 1 : 0;
        }
)";

inline constexpr std::string_view leaf_constant =
    R"(      for (k = 0; k < @OUTPUTS@; ++k) {
        const double answer = $answers[$node_answer[node] * @OUTPUTS@ + k];
        for (r = 0; r < @ROWS@; ++r) mixed[k][r] += share[r] * answer;
      }
)";
inline constexpr std::string_view leaf_formula =
    R"(      const int32_t formula = $node_formula[node];
      if (formula >= 0) {
        for (k = 0; k < @FORMULACOUNT@; ++k) {
          const double *const factors =
              $coefficients + $output_first[$formula_first_output[formula] + k];
          int32_t infinite = 0;
          for (r = 0; r < @ROWS@; ++r) s[r] = factors[0];
@TERMSOFLEAF@          for (r = 0; r < @ROWS@; ++r) infinite |= !(s[r] - s[r] == 0);
          if (infinite) return 0;
@LIMITSOFLEAF@          for (r = 0; r < @ROWS@; ++r) mixed[k][r] += share[r] * s[r];
        }
        continue;
      }
)";
inline constexpr std::string_view terms_of_leaf =
    R"(          {
            const int32_t first = $formula_first_term[formula];
            int32_t t;
            for (t = 0; t < $formula_terms[formula]; ++t) {
              const double factor = factors[1 + t], *const x = cells[$term_input[first + t]];
              for (r = 0; r < @ROWS@; ++r) s[r] += factor * x[r];
            }
          }
)";
inline constexpr std::string_view limits_of_leaf =
    R"(          for (r = 0; r < @ROWS@; ++r) {
            const double low = $formula_low[formula], high = $formula_high[formula];
            s[r] = s[r] < low ? low : high < s[r] ? high : s[r];
          }
)";

inline constexpr std::string_view rows_by_blocks = R"(
PUBLIC void $predict_rows(const CELL *rows, size_t count, CELL *out)
{
  const CELL *held[@ROWS@]; /* rows without missing cells that wait */
  CELL *outs[@ROWS@];
  int32_t waiting = 0, k;
  size_t r;
  for (r = 0; r < count; ++r) {
    int32_t complete = 1;
    held[waiting] = rows + r * @INPUTS@u;
    outs[waiting] = out + r * @OUTPUTS@u;
    for (k = 0; k < @INPUTS@; ++k) {
      const double x = $cell(held[waiting], k@UNFILLED@);
      complete &= x == x;
    }
    if (!complete) {
      $predict(held[waiting], outs[waiting]);
      continue;
    }
    waiting += 1;
    if (waiting < @ROWS@) continue;
    if ($block(held, outs)) waiting = 0;
    for (; waiting > 0; waiting -= 1) $predict(held[waiting - 1], outs[waiting - 1]);
  }
  for (; waiting > 0; waiting -= 1) $predict(held[waiting - 1], outs[waiting - 1]);
}
)";

}  // namespace softwood::render::descent_text
