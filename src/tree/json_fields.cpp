#include "tree/json_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "base/text.h"
#include "softwood/error.h"

namespace softwood {

using nlohmann::json;

void model_error(const std::string& message, const std::string& hint) {
  throw Error(ErrorKind::model, printable_lines(message), {}, printable_lines(hint));
}

void append_number(double value, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}", value == 0 ? 0.0 : value);
}

const json& required(const json& object, std::string_view key) {
  const auto found = object.find(key);
  if (found == object.end()) model_error(fmt::format("'{}' is missing", key));
  return *found;
}

const json* optional(const json& object, std::string_view key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

// Names in messages come from the file: not more than a line's worth of them.
constexpr size_t most_shown = 60;

void check_object(const json& value, std::string_view what,
                  std::initializer_list<std::string_view> keys) {
  if (!value.is_object()) model_error(fmt::format("{} must be an object", what));
  for (const auto& item : value.items()) {
    if (std::find(keys.begin(), keys.end(), item.key()) != keys.end()) continue;
    const std::vector<std::string> known(keys.begin(), keys.end());
    model_error(fmt::format("{} has the unknown key '{}'", what, printable(item.key(), most_shown)),
                known_names_hint(item.key(), known));
  }
}

const json& checked_array(const json& value, std::string_view what) {
  if (!value.is_array()) model_error(fmt::format("{} must be a list", what));
  return value;
}

const std::string& checked_text(const json& value, std::string_view what) {
  if (!value.is_string()) model_error(fmt::format("{} must be a text", what));
  return value.get_ref<const std::string&>();
}

double checked_number(const json& value, std::string_view what) {
  if (!value.is_number()) model_error(fmt::format("{} must be a number", what));
  const double number = value.get<double>();
  if (!std::isfinite(number)) model_error(fmt::format("{} must be finite", what));
  return number;
}

double not_negative(const json& value, std::string_view what) {
  const double number = checked_number(value, what);
  if (number < 0) model_error(fmt::format("{} must not be negative", what));
  return number;
}

uint64_t checked_count(const json& value, std::string_view what, uint64_t most) {
  if (!value.is_number_unsigned()) {
    model_error(fmt::format("{} must be a whole number, not negative", what));
  }
  const uint64_t count = value.get<uint64_t>();
  if (count > most) model_error(fmt::format("{} is {}, at most {} is possible", what, count, most));
  return count;
}

}  // namespace softwood
