#include "base/text.h"
#include "data/frame.h"
#include "data/readers/readers.h"

namespace softwood {
namespace {

bool begins_with_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() < lower.size()) return false;
  for (size_t i = 0; i < lower.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + 32) : text[i];
    if (c != lower[i]) return false;
  }
  return true;
}

// By its first line that is neither empty nor a comment.
bool looks_like_arff(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view line = trim(bytes.substr(0, end));
    if (!line.empty() && line[0] != '%') return begins_with_ignoring_case(line, "@relation");
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return false;
}

Frame read_source(const Source& source, Format format, const ReadOptions& options,
                  const Reading& reading) {
  return format == Format::arff ? read_arff(source, options, reading)
                                : read_csv(source, options, reading);
}

}  // namespace

Frame read_frame(const std::string& path, const ReadOptions& options, const Parallel& parallel) {
  const Source source = Source::open(path, options.unpack_limit);
  const bool named_arff = path.ends_with(".arff") || path.ends_with(".arff.gz");
  const Format format = named_arff || looks_like_arff(source.bytes()) ? Format::arff : Format::csv;
  return read_source(source, format, options, {parallel});
}

Frame read_frame_bytes(std::string_view bytes, Format format, const std::string& name,
                       const ReadOptions& options, const Reading& reading) {
  return read_source(Source::copy(bytes, name, options.unpack_limit), format, options, reading);
}

}  // namespace softwood
