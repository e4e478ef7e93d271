// Reading JSON that may be wrong in any way: every accessor throws a model Error that says what was
// expected. The place (file, node) is added by the caller.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace softwood {

// The value of a key that must be there / may be there (null when it is not).
const nlohmann::json& required(const nlohmann::json& object, std::string_view key);
const nlohmann::json* optional(const nlohmann::json& object, std::string_view key);

// An object that has no other keys than these. `what` names it in messages: "a gate".
void check_object(const nlohmann::json& value, std::string_view what,
                  std::initializer_list<std::string_view> keys);
const nlohmann::json& checked_array(const nlohmann::json& value, std::string_view what);
const std::string& checked_text(const nlohmann::json& value, std::string_view what);
double checked_number(const nlohmann::json& value, std::string_view what);
double not_negative(const nlohmann::json& value, std::string_view what);
// A whole number from 0 to `most`.
uint64_t checked_count(const nlohmann::json& value, std::string_view what,
                       uint64_t most = std::numeric_limits<uint32_t>::max());

// Writing: the shortest text that reads back to the same double. -0 becomes 0: JSON readers take
// "-0" for a whole number, and no answer depends on the sign.
void append_number(double value, std::string& out);

[[noreturn]] void model_error(const std::string& message, const std::string& hint = {});

}  // namespace softwood
