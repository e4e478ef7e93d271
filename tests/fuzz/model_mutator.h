// Changes of a model file that keep it JSON: a value becomes another one, is moved, doubled or left
// out. Bytes that are no JSON change as libFuzzer changes them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

namespace softwood::fuzz {

class ModelMutator {
 public:
  explicit ModelMutator(unsigned seed) : random_(seed) {}

  // Empty where the text is no JSON.
  std::string changed(const std::string& text) {
    Json document = Json::parse(text, nullptr, false);
    if (!document.is_structured()) return {};
    for (unsigned changes = 1 + below(3); changes > 0; --changes) {
      std::vector<Json*> values;
      collect(document, values);
      change(*values[below(values.size())], *values[below(values.size())]);
    }
    return document.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

 private:
  using Json = nlohmann::ordered_json;

  size_t below(size_t end) { return random_() % end; }

  static void collect(Json& value, std::vector<Json*>& values) {
    values.push_back(&value);
    if (!value.is_structured()) return;
    for (Json& part : value) collect(part, values);
  }

  void change(Json& value, const Json& other) {
    if (value.is_number() && below(2) == 0) return change_number(value);
    if (value.is_array() && !value.empty() && below(3) != 0) return change_list(value);
    if (value.is_object() && !value.empty() && below(3) != 0) return change_object(value);
    if (value.is_string() && below(4) == 0) {
      value = value.get<std::string>() + "x";
      return;
    }
    value = Json(other);  // a copy: it may be a part of the value
  }

  void change_number(Json& value) {
    const double number = value.get<double>();
    switch (below(6)) {
      case 0:
        value = 0;
        break;
      case 1:
        value = number + 1;
        break;
      case 2:
        value = -number;
        break;
      case 3:
        value = number * 1e300;
        break;
      case 4:
        value = value.is_number_integer() ? Json(value.get<int64_t>() - 1) : Json(number / 3);
        break;
      default:
        value = random_();
    }
  }

  void change_list(Json& list) {
    const size_t at = below(list.size());
    switch (below(3)) {
      case 0:
        list.erase(list.begin() + static_cast<ptrdiff_t>(at));
        break;
      case 1:
        list.insert(list.begin() + static_cast<ptrdiff_t>(at), Json(list[at]));
        break;
      default:
        std::swap(list[at], list[below(list.size())]);
    }
  }

  void change_object(Json& object) {
    auto at = object.begin();
    std::advance(at, static_cast<ptrdiff_t>(below(object.size())));
    const std::string key = at.key();
    if (below(2) == 0) {
      object.erase(key);
    } else {
      auto to = object.begin();
      std::advance(to, static_cast<ptrdiff_t>(below(object.size())));
      to.value() = Json(object[key]);
    }
  }

  std::minstd_rand random_;
};

inline size_t mutated_model(uint8_t* data, size_t size, size_t most, unsigned seed) {
  constexpr unsigned plain_in = 8;
  if (seed % plain_in != 0) {
    const std::string text = ModelMutator(seed).changed(std::string(data, data + size));
    if (!text.empty() && text.size() <= most) {
      std::copy(text.begin(), text.end(), data);
      return text.size();
    }
  }
  return LLVMFuzzerMutate(data, size, most);
}

}  // namespace softwood::fuzz
