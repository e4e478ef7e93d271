#include "render/export/pmml/xml.h"

#include <fmt/format.h>

#include "base/text.h"
#include "softwood/error.h"

namespace softwood::render::pmml {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\t':
      case '\n':
      case '\r':
        out += fmt::format("&#{};", int(c));
        break;
      default:
        if (static_cast<unsigned char>(c) < ' ') {
          throw Error(
              ErrorKind::failure,
              fmt::format("pmml cannot express the control character in '{}'", printable(text, 60)),
              {}, "rename it in the data and train again");
        }
        out += c;
    }
  }
  return out;
}

std::string opened(std::string_view name, const Attributes& attributes) {
  std::string text = fmt::format("<{}", name);
  for (const auto& [key, value] : attributes) {
    text += fmt::format(" {}=\"{}\"", key, escaped(value));
  }
  return text + ">";
}

std::string element(std::string_view name, const Attributes& attributes, std::string_view content) {
  std::string text = opened(name, attributes);
  if (content.empty()) {
    text.insert(text.size() - 1, "/");
    return text;
  }
  return fmt::format("{}{}</{}>", text, content, name);
}

std::string number(double value) {
  return element("Constant", {{"dataType", "double"}}, number_text(value));
}

std::string reference(std::string_view name) {
  return element("FieldRef", {{"field", std::string(name)}});
}

std::string has_level(std::string_view field, std::string_view level) {
  return element("NormDiscrete", {{"field", std::string(field)}, {"value", std::string(level)}});
}

std::string call(std::string_view function, const std::vector<std::string>& arguments) {
  return element("Apply", {{"function", std::string(function)}}, join(arguments, ""));
}

std::string known(const std::string& field, const std::string& expression) {
  return call("if", {call("isNotMissing", {field}), expression});
}

std::string sum(const std::vector<std::string>& parts) {
  std::string total = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) total = call("+", {total, parts[i]});
  return total;
}

std::string balanced_sum(const std::vector<std::string>& parts) {
  std::vector<std::string> level = parts;
  while (level.size() > 1) {
    std::vector<std::string> above;
    for (size_t i = 0; i < level.size(); i += 2) {
      above.push_back(i + 1 < level.size() ? call("+", {level[i], level[i + 1]}) : level[i]);
    }
    level = std::move(above);
  }
  return level[0];
}

}  // namespace softwood::render::pmml
