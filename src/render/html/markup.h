// HTML, written from the front to the back: what comes from a user's file is always text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "render/json.h"

namespace softwood::render {

class Markup {
 public:
  // `attributes` is markup of ours: " class=\"wide\"".
  Markup& open(std::string_view tag, std::string_view attributes = "");
  Markup& close();
  Markup& text(std::string_view text);   // never a tag
  Markup& raw(std::string_view markup);  // of ours
  Markup& element(std::string_view tag, std::string_view text, std::string_view attributes = "");
  // A paragraph of our own words, with names of the user's in it.
  Markup& paragraph(std::string_view text, std::string_view attributes = "");

  const std::string& done() const { return text_; }  // every tag is closed

 private:
  std::string text_;
  std::vector<std::string> open_;
};

// name="text", with a space before it.
std::string attribute(std::string_view name, std::string_view text);

// A cell of a table: numbers are aligned to the right.
struct HtmlCell {
  std::string text;
  bool is_number = false;
  std::string attributes = {};  // markup of ours
  std::string markup = {};      // of ours, instead of the text
};
inline HtmlCell number_cell(std::string text) { return {std::move(text), true}; }

// A table that scrolls by itself where it is too wide for the page. `caption` says what it is.
class HtmlTable {
 public:
  HtmlTable(std::string caption, std::vector<HtmlCell> header)
      : caption_(std::move(caption)), header_(std::move(header)) {}
  void add(std::vector<HtmlCell> row, std::string attributes = "");
  bool empty() const { return rows_.empty(); }
  // The first cell of each row is its heading. `attributes` are those of the table.
  std::string markup(std::string_view attributes = "") const;

 private:
  struct Row {
    std::vector<HtmlCell> cells;
    std::string attributes;
  };
  std::string caption_;
  std::vector<HtmlCell> header_;
  std::vector<Row> rows_;
};

// A picture with its text underneath. Wide ones scroll, others shrink with the page.
std::string figure(std::string_view svg, std::string_view caption, bool wide = false);

// JSON that may stand in a script element, and in JavaScript: no <, > and &, and no line ends of
// JavaScript that JSON allows (U+2028, U+2029).
std::string json_in_page(const Json& value);

// Base64 of the SHA-256 of a text, as a Content-Security-Policy names a script.
std::string sha256_base64(std::string_view text);

}  // namespace softwood::render
