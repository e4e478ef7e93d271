#include "render/html/markup.h"

#include <fmt/format.h>

#include "render/svg/canvas.h"

namespace softwood::render {

Markup& Markup::open(std::string_view tag, std::string_view attributes) {
  text_ += fmt::format("<{}{}>", tag, attributes);
  open_.emplace_back(tag);
  return *this;
}

Markup& Markup::close() {
  text_ += fmt::format("</{}>\n", open_.back());
  open_.pop_back();
  return *this;
}

Markup& Markup::text(std::string_view text) {
  text_ += xml_text(text);
  return *this;
}

Markup& Markup::raw(std::string_view markup) {
  text_ += markup;
  return *this;
}

Markup& Markup::element(std::string_view tag, std::string_view text, std::string_view attributes) {
  return open(tag, attributes).text(text).close();
}

Markup& Markup::paragraph(std::string_view text, std::string_view attributes) {
  return element("p", text, attributes);
}

std::string attribute(std::string_view name, std::string_view text) {
  return fmt::format(" {}=\"{}\"", name, xml_text(text));
}

void HtmlTable::add(std::vector<HtmlCell> row, std::string attributes) {
  rows_.push_back({std::move(row), std::move(attributes)});
}

std::string HtmlTable::markup(std::string_view attributes) const {
  const auto cell = [](Markup& out, const HtmlCell& one, std::string_view tag,
                       const std::string& more) {
    out.open(tag, more + (one.is_number ? " class=\"number\"" : "") + one.attributes);
    one.markup.empty() ? out.text(one.text) : out.raw(one.markup);
    out.close();
  };
  Markup out;
  out.open("div",
           " class=\"scroll\" tabindex=\"0\" role=\"region\"" + attribute("aria-label", caption_));
  out.open("table", attributes).element("caption", caption_);
  out.open("thead").open("tr");
  for (const HtmlCell& one : header_) cell(out, one, "th", " scope=\"col\"");
  out.close().close().open("tbody");
  for (const Row& row : rows_) {
    out.open("tr", row.attributes);
    bool first = true;
    for (const HtmlCell& one : row.cells) {
      cell(out, one, first ? "th" : "td", first ? " scope=\"row\"" : "");
      first = false;
    }
    out.close();
  }
  return out.close().close().close().done();
}

std::string figure(std::string_view svg, std::string_view caption, bool wide) {
  Markup out;
  out.open("figure", wide ? " class=\"wide\"" : "");
  if (wide) {
    out.open("div",
             " class=\"scroll\" tabindex=\"0\" role=\"region\"" + attribute("aria-label", caption));
  }
  out.raw(svg);
  if (wide) out.close();
  return out.element("figcaption", caption).close().done();
}

std::string json_in_page(const Json& value) {
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<' || c == '>' || c == '&') {
      safe += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else if (text.compare(i, 3, "\xE2\x80\xA8") == 0 || text.compare(i, 3, "\xE2\x80\xA9") == 0) {
      safe += text[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace softwood::render
