// Figures as they leave the library.
#pragma once

#include "softwood/model.h"
#include "use/evaluate.h"

namespace softwood {

// Without calibration.
EvaluationResult result_of(const Evaluation& evaluation);

}  // namespace softwood
