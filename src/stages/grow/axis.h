// split=axis: the best threshold or division of levels over all features.
#pragma once

#include "stages/grow/way.h"

namespace softwood::grow {

std::unique_ptr<Way> make_axis_way(const WaySetting& setting);

}  // namespace softwood::grow
