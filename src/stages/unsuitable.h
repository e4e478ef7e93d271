// Why a recipe could not be run on some rows, where many are tried.
#pragma once

#include <string>

namespace softwood {

// In a catch block, of a run that failed: why the recipe does not suit the rows, or that there is
// not memory enough for it. What is neither is thrown again.
std::string why_unsuitable();

}  // namespace softwood
