// The whole text of a file.
#pragma once

#include <cstddef>
#include <string>

namespace softwood {

// Reads until the end, over interrupted calls and short reads. std::system_error says why it could
// not be opened or read; a folder is EISDIR. Devices may give bytes without end: of what is no file
// more than `most_of_device` is EFBIG.
std::string file_text(const std::string& path, size_t most_of_device = size_t{1} << 30);

}  // namespace softwood
