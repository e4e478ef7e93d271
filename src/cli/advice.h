// Advice of the library in the words of the command line.
#pragma once

#include <string>

#include "softwood/note.h"

namespace softwood {

std::string advice_text(const Advice& advice);

}  // namespace softwood
