#include "render/export/c/code.h"

namespace softwood::render {
namespace {

constexpr std::string_view guards = R"(
#if defined(__FAST_MATH__) || defined(_M_FP_FAST) || defined(__ASSOCIATIVE_MATH__) || \
    defined(__RECIPROCAL_MATH__) || \
    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "missing values and exact answers need IEEE arithmetic: compile without -ffast-math"
#endif
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != @METHODS@
#error "arithmetic of extended precision gives other answers: compile with -msse2 -mfpmath=sse"
#endif
#if @MANT_DIG@ != @DIGITS@
#error "@TYPE@ is not the IEEE type of @WIDTH@ bits here@ADVICE@"
#endif
)";

}  // namespace

// Method 1 computes float in double, which changes nothing for comparisons and for double; 16 says
// that of types with fewer bits than float.
void write_guards(CodeWriter& out, bool computes) {
  const bool single = out.single() && !computes;
  out.code(guards, {{"METHODS", "1 && FLT_EVAL_METHOD != 16"},
                    {"MANT_DIG", single ? "FLT_MANT_DIG" : "DBL_MANT_DIG"},
                    {"DIGITS", single ? "24" : "53"},
                    {"TYPE", single ? "float" : "double"},
                    {"WIDTH", single ? "32" : "64"},
                    {"ADVICE", single || computes ? "" : ": export in single precision"}});
}

}  // namespace softwood::render
