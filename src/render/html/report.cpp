#include "render/html/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "render/export/exporter.h"
#include "render/html/files.h"
#include "render/html/sections.h"
#include "render/svg/canvas.h"
#include "softwood/version.h"

namespace softwood::render {
namespace {

std::string head_markup(const PageText& page) {
  std::string hashes;
  for (const std::string& script : page.scripts) {
    hashes += fmt::format(" 'sha256-{}'", sha256_base64(script));
  }
  return fmt::format(
      "<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "script-src{}; style-src 'unsafe-inline'; img-src data:; connect-src 'none'; base-uri "
      "'none'; "
      "form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"Softwood {}\">\n"
      "<meta name=\"color-scheme\" content=\"light "
      "dark\">\n<title>{}</title>\n<style>\n{}</style>\n"
      "</head>\n",
      hashes.empty() ? " 'none'" : hashes, version(), xml_text(page.title), page_style);
}

struct SectionPart {
  const char *id, *title;
  std::string (*body)(const ReportFacts&);
  const char* absent;  // why a report may have none
};

// In this order, after the summary.
constexpr SectionPart section_parts[] = {
    {"tree", "Tree", tree_section, ""},
    {"ask", "Ask the tree", ask_section, ""},
    {"rules", "Rules", rules_section, ""},
    {"importance", "Importance", importance_section, ""},
    {"evaluation", "Evaluation", evaluation_section, "it needs rows with known answers"},
    {"errors", "Errors", errors_section, "they need rows with known answers"},
    {"pruning", "Pruning", pruning_section, "the model has no cost-complexity sequence"},
    {"frontier", "Frontier", frontier_section, ""},
    {"regions", "Regions", regions_section, "the tree uses fewer than two numeric inputs"},
    {"gates", "Soft splits", gates_section, "the tree has none"},
    {"data", "Data", data_section, "none were given"},
};

}  // namespace

std::string page_text(const PageText& page) {
  Markup out;
  out.raw("<!DOCTYPE html>\n").open("html", " lang=\"en\"").raw("\n" + head_markup(page));
  out.open("body").raw("<a class=\"skip\" href=\"#main\">Skip to the content</a>\n");
  out.open("header").element("h1", page.title).paragraph(page.subtitle).close();
  out.open("nav", " aria-label=\"Sections\"").open("ul");
  for (const Section& section : page.sections) {
    out.open("li").element("a", section.title, " href=\"#" + section.id + "\"").close();
  }
  out.close().close().open("main", " id=\"main\" tabindex=\"-1\"");
  for (const Section& section : page.sections) {
    out.open("section", fmt::format(" id=\"{0}\" aria-labelledby=\"{0}-title\"", section.id));
    out.element("h2", section.title, fmt::format(" id=\"{}-title\"", section.id));
    out.raw(section.body).close();
  }
  out.close();
  out.open("footer")
      .paragraph(fmt::format("Written by Softwood {}. This file loads nothing and sends nothing.",
                             version()))
      .close();
  out.raw("<script type=\"application/json\" id=\"page-data\">" + json_in_page(page.data) +
          "</script>\n");
  for (const std::string& script : page.scripts) out.raw("<script>" + script + "</script>\n");
  return out.close().close().done();
}

std::string report_page(const ReportTask& task) {
  const ReportFacts facts(task);
  PageText page;
  const LoweredTree& tree = task.tree;
  page.title =
      tree.target.name + (tree.is_classifier() ? ": a classification tree" : ": a regression tree");
  page.subtitle = fmt::format(
      "{}{}",
      task.options.model_name.empty() ? "A decision tree" : printable(task.options.model_name),
      task.options.data_name.empty() ? "" : ", measured on " + printable(task.options.data_name));
  std::vector<std::string> left_out;
  PageText others;
  for (const SectionPart& part : section_parts) {
    std::string body = part.body(facts);
    if (body.empty() && *part.absent != '\0') {
      left_out.push_back(fmt::format("{} ({})", part.title, part.absent));
    }
    others.add(part.id, part.title, std::move(body));
  }
  page.add("summary", "Summary", summary_section(facts, left_out));
  std::move(others.sections.begin(), others.sections.end(), std::back_inserter(page.sections));
  page.data = page_data(facts);
  ExportOptions options;
  options.name = "softwood_model";
  options.module = "script";
  options.paths = true;
  page.scripts = {export_tree(tree, find_exporter("javascript"), options),
                  std::string(page_script)};
  return page_text(page);
}

}  // namespace softwood::render
