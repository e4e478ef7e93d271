// The columns of the data: kinds, missing cells, ranges and distributions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "data/describe.h"
#include "render/html/sections.h"
#include "render/svg/canvas.h"

namespace softwood::render {
namespace {

constexpr size_t bins = 20, most_levels = 12;
constexpr double bar_width = 6, bar_height = 28;

std::string bars_svg(const std::vector<double>& counts, std::string_view label) {
  const double most = std::max(1.0, *std::max_element(counts.begin(), counts.end()));
  const double width = bar_width * static_cast<double>(counts.size());
  std::string bars;
  for (size_t i = 0; i < counts.size(); ++i) {
    const double height = counts[i] > 0 ? std::max(1.0, bar_height * counts[i] / most) : 0;
    bars +=
        fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                    coordinate(bar_width * static_cast<double>(i)), coordinate(bar_height - height),
                    coordinate(bar_width - 1), coordinate(height));
  }
  return fmt::format(
      "<svg class=\"bars\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "role=\"img\"{2}>{3}</svg>",
      coordinate(width), coordinate(bar_height), attribute("aria-label", label), bars);
}

std::string number_bars(const Column& column, const ColumnFigures& figures) {
  std::vector<double> counts(bins, 0);
  const double width = figures.max - figures.min;
  for (const double value : column.numbers) {
    if (std::isnan(value)) continue;
    const double share = width > 0 && std::isfinite(width) ? (value - figures.min) / width : 0;
    counts[std::min(bins - 1, static_cast<size_t>(share * bins))] += 1;
  }
  return bars_svg(counts, fmt::format("histogram of {} from {} to {}", printable(figures.name),
                                      short_number(figures.min), short_number(figures.max)));
}

std::string level_bars(const ColumnFigures& figures) {
  std::vector<double> counts;
  for (const auto& [level, count] : figures.levels) {
    if (counts.size() < bins) counts.push_back(static_cast<double>(count));
  }
  return bars_svg(counts, fmt::format("rows per level of {}", printable(figures.name)));
}

std::string levels_text(const ColumnFigures& figures) {
  std::vector<std::string> parts;
  for (const auto& [level, count] : figures.levels) {
    if (parts.size() == most_levels) {
      parts.push_back(fmt::format("{} more", figures.levels.size() - most_levels));
      break;
    }
    parts.push_back(fmt::format("{} {}", level, count));
  }
  return join(parts, ", ");
}

Frame shown_columns(const ReportFacts& facts) {
  const Table& table = *facts.task.rows;
  const Schema& schema = table.schema();
  Frame frame;
  frame.rows = table.rows();
  if (table.has_target()) {
    frame.columns.push_back({schema.target.name, table.target(), schema.target.levels});
  }
  for (uint32_t f = 0; f < table.features(); ++f) {
    if (facts.is_shown(f)) {
      frame.columns.push_back({schema.features[f].name, table.input(f), schema.features[f].levels});
    }
  }
  return frame;
}

}  // namespace

std::string data_section(const ReportFacts& facts) {
  if (facts.all.empty()) return "";
  const Frame frame = shown_columns(facts);
  const std::vector<ColumnFigures> columns = describe(frame, facts.task.parallel);
  HtmlTable table("Columns",
                  {{"column"}, {"kind"}, number_cell("missing"), {"distribution"}, {"values"}});
  for (size_t i = 0; i < columns.size(); ++i) {
    const ColumnFigures& one = columns[i];
    const bool target = i == 0 && facts.task.rows->has_target();
    const bool numeric = one.kind == Kind::numeric;
    const bool some = one.distinct > 0;
    table.add(
        {{target ? one.name + " (target)" : one.name},
         {std::string(kind_name(one.kind))},
         number_cell(one.missing == 0 ? "0"
                                      : fmt::format("{} ({})", one.missing,
                                                    shown_share(static_cast<double>(one.missing) /
                                                                static_cast<double>(frame.rows)))),
         {"", false, "",
          some ? numeric ? number_bars(frame.columns[i].cells, one) : level_bars(one) : "–"},
         {!some      ? "no values"
          : !numeric ? levels_text(one)
                     : fmt::format("{} to {}, median {}, mean {}, sd {}", short_number(one.min),
                                   short_number(one.max), short_number(one.median),
                                   short_number(one.mean), shown_figure(one.sd))}});
  }
  Markup out;
  out.paragraph(fmt::format("{} rows and {} columns{}.", frame.rows, columns.size(),
                            facts.task.rows->weighted() ? ", with weights" : ""));
  return out.raw(table.markup()).done();
}

}  // namespace softwood::render
