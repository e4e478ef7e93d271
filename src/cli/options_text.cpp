#include "cli/options_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "cli/console.h"

namespace softwood {

namespace {

// "one of a, b; elsewhere a; only with by=gradient".
std::string allowed_text(const OptionSpec& spec, const std::string& value) {
  std::vector<std::string> parts;
  if (spec.type != OptionType::text) parts.push_back(option_range_text(spec));
  if (value != spec.fallback) parts.push_back("elsewhere " + spec.fallback);
  if (!spec.only_with.empty()) parts.push_back("only with " + condition_text(spec.only_with));
  for (const OptionNeed& need : spec.needs) {
    parts.push_back(
        fmt::format("{} needs {}", condition_text(need.when), condition_text(need.needs)));
  }
  return join(parts, "; ");
}

}  // namespace

std::string options_text(std::span<const OptionSpec> specs, const OptionText& value,
                         const OptionText& more) {
  if (specs.empty()) return "  (no options)\n";
  std::vector<std::string> left;
  size_t width = 0;
  for (const OptionSpec& spec : specs) {
    left.push_back(fmt::format("  {}={}", spec.name, value(spec)));
    width = std::max(width, left.back().size());
  }
  const size_t page = help_width();
  const std::string indent(width + 2, ' ');
  std::string text;
  for (size_t i = 0; i < specs.size(); ++i) {
    const OptionSpec& spec = specs[i];
    text += wrapped(fmt::format("{:{}}  ", left[i], width), spec.help, page) + '\n';
    const std::string allowed = allowed_text(spec, value(spec));
    if (!allowed.empty()) text += wrapped(indent, allowed, page) + '\n';
    if (more) text += wrapped(indent, more(spec), page) + '\n';
  }
  return text;
}

}  // namespace softwood
