// How stable trees are, for people and for scripts.
#pragma once

#include <string>

#include "render/json.h"
#include "study/stability.h"

namespace softwood {

std::string stability_text(const std::string& method, const Stability& stability);
Json stability_json(const Stability& stability);

}  // namespace softwood
