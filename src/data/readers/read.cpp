#include "base/text.h"
#include "data/frame.h"
#include "data/readers/readers.h"

namespace softwood {
namespace {

// By its first line that is neither empty nor a comment.
bool looks_like_arff(std::string_view bytes) {
  constexpr std::string_view relation = "@relation";
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view line = trim(bytes.substr(0, end));
    if (!line.empty() && line[0] != '%') {
      return in_lower_case(line.substr(0, relation.size())) == relation;
    }
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
  return read_frame(Source::open(path, options.unpack_limit, parallel), options, parallel);
}

Frame read_frame(const Source& source, const ReadOptions& options, const Parallel& parallel) {
  const std::string& name = source.name();
  const bool named_arff = name.ends_with(".arff") || name.ends_with(".arff.gz");
  const Format format = named_arff || looks_like_arff(source.bytes()) ? Format::arff : Format::csv;
  return read_source(source, format, options, {parallel});
}

Frame read_frame_bytes(std::string_view bytes, Format format, const std::string& name,
                       const ReadOptions& options, const Reading& reading) {
  return read_source(Source::copy(bytes, name, options.unpack_limit), format, options, reading);
}

}  // namespace softwood
