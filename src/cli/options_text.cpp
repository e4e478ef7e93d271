#include "cli/options_text.h"

#include <fmt/format.h>

namespace softwood {

std::string options_text(std::span<const OptionSpec> specs,
                         const std::function<std::string(const OptionSpec&)>& value) {
  if (specs.empty()) return "  (no options)\n";
  std::string text;
  for (const OptionSpec& spec : specs) {
    const std::string shown = value(spec);
    text +=
        fmt::format("  {}={}{}\n", spec.name, shown,
                    shown == spec.fallback ? "" : fmt::format("  (otherwise {})", spec.fallback));
    text += fmt::format("      {}\n", spec.help);
    if (spec.type != OptionType::text) text += fmt::format("      {}\n", option_range_text(spec));
  }
  return text;
}

}  // namespace softwood
