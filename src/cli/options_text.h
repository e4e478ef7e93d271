// Declared options as text for people.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/options.h"

namespace softwood {

// A table of the options: name, value when nothing else is said, what is allowed, what it does.
std::string options_text(std::span<const OptionSpec> specs,
                         const std::function<std::string(const OptionSpec&)>& value);

}  // namespace softwood
