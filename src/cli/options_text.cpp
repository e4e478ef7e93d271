#include "cli/options_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace softwood {

std::string options_text(std::span<const OptionSpec> specs,
                         const std::function<std::string(const OptionSpec&)>& value) {
  if (specs.empty()) return "  (no options)\n";
  std::vector<std::string> left;
  size_t width = 0;
  for (const OptionSpec& spec : specs) {
    left.push_back(fmt::format("  {}={}", spec.name, value(spec)));
    width = std::max(width, left.back().size());
  }
  std::string text;
  for (size_t i = 0; i < specs.size(); ++i) {
    const OptionSpec& spec = specs[i];
    text += fmt::format("{:{}}  {}\n", left[i], width, spec.help);
    std::string range = spec.type == OptionType::text ? "" : option_range_text(spec);
    if (value(spec) != spec.fallback) {
      range += fmt::format("{}elsewhere {}", range.empty() ? "" : "; ", spec.fallback);
    }
    if (!range.empty()) text += fmt::format("{:{}}  {}\n", "", width, range);
  }
  return text;
}

}  // namespace softwood
