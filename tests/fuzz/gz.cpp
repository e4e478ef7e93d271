// Arbitrary bytes as a .gz, and as what a .gz holds: what was packed comes out, and never more than
// the limit.
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "data/readers/source.h"
#include "table_checks.h"

namespace {

using softwood::Source;
using softwood::fuzz::require;

constexpr uint64_t limit = 1 << 20;

void unpack(const std::string& packed) {
  try {
    const Source source = Source::copy(packed, "input", limit);
    require(source.bytes().size() <= limit || packed.size() > limit, "no more than the limit");
    for (size_t i = 0; i < Source::padding; ++i) {
      require(source.bytes().data()[source.bytes().size() + i] == '\0', "zeros follow");
    }
  } catch (const softwood::Error& error) {
    require(error.kind() == softwood::ErrorKind::data, "errors are about the data");
  }
}

std::string pack(const std::string& text, int level) {
  z_stream stream{};
  constexpr int gzip_window = 15 + 16;
  require(deflateInit2(&stream, level, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) == Z_OK,
          "zlib works");
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  std::string copy = text;
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  require(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib packs");
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(data + 1, data + size);
  const unsigned choice = data[0];
  std::string packed = pack(text, static_cast<int>(choice % 10));
  if ((choice & 64U) != 0) packed += packed;
  if ((choice & 128U) != 0) packed += std::string(choice % 7, '\0');
  const std::string whole = (choice & 64U) != 0 ? text + text : text;
  if (whole.size() <= limit) {
    require(Source::copy(packed, "input", limit).bytes() == whole, "what was packed comes out");
  } else {
    unpack(packed);
  }
  unpack(text);
  // The packed bytes with one that is wrong.
  if (!text.empty()) packed[static_cast<unsigned char>(text[0]) % packed.size()] ^= 1;
  unpack(packed);
  unpack("\x1f\x8b\x08" + text);
  return 0;
}
