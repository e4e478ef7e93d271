#include "cli/options_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "cli/console.h"

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
    const size_t page = help_width();
    text += wrapped(fmt::format("{:{}}  ", left[i], width), spec.help, page) + '\n';
    std::string range = spec.type == OptionType::text ? "" : option_range_text(spec);
    if (value(spec) != spec.fallback) {
      range += fmt::format("{}elsewhere {}", range.empty() ? "" : "; ", spec.fallback);
    }
    if (!spec.only_with.empty()) {
      range +=
          fmt::format("{}only with {}", range.empty() ? "" : "; ", option_condition_text(spec));
    }
    if (!range.empty()) text += wrapped(std::string(width + 2, ' '), range, page) + '\n';
  }
  return text;
}

}  // namespace softwood
