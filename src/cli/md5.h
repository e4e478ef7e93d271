// MD5 (RFC 1321), by which OpenML names the content of its files. Not for secrets.
#pragma once

#include <string>
#include <string_view>

namespace softwood {

std::string md5_text(std::string_view bytes);  // 32 hex digits

}  // namespace softwood
