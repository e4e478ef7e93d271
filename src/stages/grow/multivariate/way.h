// split=linear-discriminant, oblique, quadratic, omnivariate: scores over several inputs.
#pragma once

#include "stages/grow/way.h"

namespace softwood::grow {

std::unique_ptr<Way> make_discriminant_way(const WaySetting& setting);
std::unique_ptr<Way> make_oblique_way(const WaySetting& setting);
std::unique_ptr<Way> make_quadratic_way(const WaySetting& setting);
std::unique_ptr<Way> make_omnivariate_way(const WaySetting& setting);

}  // namespace softwood::grow
