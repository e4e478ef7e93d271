// split=linear-discriminant, oblique, quadratic, omnivariate: scores over several inputs.
#pragma once

#include "stages/grow/splitter.h"

namespace softwood::grow {

std::unique_ptr<Splitter> make_discriminant_splitter(const SplitterSetting& setting);
std::unique_ptr<Splitter> make_oblique_splitter(const SplitterSetting& setting);
std::unique_ptr<Splitter> make_quadratic_splitter(const SplitterSetting& setting);
std::unique_ptr<Splitter> make_omnivariate_splitter(const SplitterSetting& setting);

}  // namespace softwood::grow
