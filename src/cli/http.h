// Documents from a web server, by libcurl, which is loaded when it is first needed: programs that
// never fetch anything do not need it.
#pragma once

#include <string>

namespace softwood {

struct HttpAnswer {
  long status = 0;  // 200: found
  std::string body;
};

// Follows redirections. A failure Error when libcurl is not there (it names the package), or the
// server can't be reached.
HttpAnswer http_get(const std::string& url);

}  // namespace softwood
