// Figures as JSON for scripts and as aligned text for people.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "render/json.h"
#include "use/evaluate.h"

namespace softwood {

// "yes is predicted where its probability is at least 0.3".
std::string threshold_text(const ClassThreshold& threshold,
                           const std::vector<std::string>& classes);

Json evaluation_json(const Evaluation& evaluation);
void print_json(const Json& object);

// Names and values in two aligned columns.
std::string aligned_pairs(const std::vector<std::pair<std::string, std::string>>& pairs);
std::string evaluation_text(const Evaluation& evaluation);
Json calibration_json(std::span<const CalibrationBin> bins);
// Bins without weight are left out; the weights stand beside the rows where rows have weights.
std::string calibration_text(std::span<const CalibrationBin> bins, const Schema& schema,
                             bool weighted);
Json importance_json(std::span<const InputImportance> inputs);
// The most important first; those that the tree does not use are left out.
std::string importance_text(std::span<const InputImportance> inputs, const std::string& loss);
// "4.0 %".
std::string percent(double fraction);
// "0.012", "3.4": seconds for people.
std::string seconds_text(double seconds);

}  // namespace softwood
