// Declared options as text for people.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/options.h"

namespace softwood {

using OptionText = std::function<std::string(const OptionSpec&)>;

// A table of the options: name, value when nothing else is said, what it does, what is allowed, and
// `more` in a line of its own.
std::string options_text(std::span<const OptionSpec> specs, const OptionText& value,
                         const OptionText& more = {});

}  // namespace softwood
