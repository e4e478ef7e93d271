// Advice of the library in the words of the command line.
#pragma once

#include <string>
#include <string_view>

#include "softwood/note.h"

namespace softwood {

std::string advice_text(const Advice& advice);

// The code as JSON has it: "declare_missing".
std::string_view advice_name(AdviceCode code);

// A text as an argument of a command, in single quotes where a shell would read it otherwise.
std::string shell_word(const std::string& text);

}  // namespace softwood
