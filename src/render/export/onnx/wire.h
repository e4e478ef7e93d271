// Protocol buffers' wire format, as much of it as ONNX files need: messages are fields, each a
// number, a type and a value (https://protobuf.dev/programming-guides/encoding/).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace softwood::render::onnx {

class Message {
 public:
  Message& integer(uint32_t field, int64_t value) {
    varint(field << 3U);
    varint(static_cast<uint64_t>(value));
    return *this;
  }
  Message& text(uint32_t field, std::string_view value) {
    varint(field << 3U | 2U);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(uint32_t field, const Message& value) { return text(field, value.bytes_); }

  const std::string& bytes() const { return bytes_; }

 private:
  // Seven bits per byte, the lowest first; the highest bit says that there are more.
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_ += static_cast<char>((value & 0x7fU) | 0x80U);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace softwood::render::onnx
