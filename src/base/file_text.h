// The whole text of a file.
#pragma once

#include <string>

namespace softwood {

// Reads until the end, over interrupted calls and short reads. std::system_error says why it could
// not be opened or read; a folder is EISDIR.
std::string file_text(const std::string& path);

}  // namespace softwood
