#include "cli/http.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <memory>
#include <new>

#include "softwood/error.h"
#include "softwood/version.h"

namespace softwood {
namespace {

// What is used of libcurl's interface, whose numbers never change (curl/curl.h).
constexpr int option_write_data = 10001, option_url = 10002, option_user_agent = 10018,
              option_accept_encoding = 10102, option_write_function = 20011,
              option_low_speed_limit = 19, option_low_speed_time = 20, option_follow_location = 52,
              option_max_redirections = 68, option_connect_timeout = 78, option_no_signal = 99,
              option_protocols = 181;
constexpr long http_and_https = 3;
constexpr int error_writing = 23;  // the function for the bytes took not all
constexpr int info_response_code = 0x200002;
constexpr size_t most_bytes = size_t{4} << 30;  // of an answer
constexpr long connect_seconds = 30, silent_seconds = 60, most_redirections = 10;

class Curl {
 public:
  using Handle = void*;
  Handle (*easy_init)() = nullptr;
  int (*easy_setopt)(Handle, int, ...) = nullptr;
  int (*easy_perform)(Handle) = nullptr;
  int (*easy_getinfo)(Handle, int, ...) = nullptr;
  void (*easy_cleanup)(Handle) = nullptr;
  const char* (*easy_strerror)(int) = nullptr;

  static const Curl& library() {
    static const Curl curl;
    return curl;
  }

 private:
  Curl() {
    void* library = nullptr;
    for (const char* const name : {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.4.dylib"}) {
      library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (library != nullptr) break;
    }
    const bool complete = library != nullptr && load(library, "curl_easy_init", easy_init) &&
                          load(library, "curl_easy_setopt", easy_setopt) &&
                          load(library, "curl_easy_perform", easy_perform) &&
                          load(library, "curl_easy_getinfo", easy_getinfo) &&
                          load(library, "curl_easy_cleanup", easy_cleanup) &&
                          load(library, "curl_easy_strerror", easy_strerror);
    if (complete) return;
    throw Error(ErrorKind::failure, "libcurl, which fetches data from the web, is not installed",
                {}, "install it (Debian and Ubuntu: apt-get install libcurl4)");
  }

  template <class Function>
  static bool load(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  }
};

// No exception may pass through the library: a size of 0 ends the transfer.
size_t append(const char* bytes, size_t size, size_t count, void* to) {
  auto& body = *static_cast<std::string*>(to);
  if (size * count > most_bytes - body.size()) return 0;
  try {
    body.append(bytes, size * count);
  } catch (const std::bad_alloc&) {
    return 0;
  }
  return size * count;
}

}  // namespace

HttpAnswer http_get(const std::string& url) {
  const Curl& curl = Curl::library();
  const std::unique_ptr<void, void (*)(void*)> handle(curl.easy_init(), curl.easy_cleanup);
  if (!handle) throw Error(ErrorKind::failure, "libcurl can't be started");
  HttpAnswer answer;
  const std::string agent = fmt::format("softwood/{}", version());
  const auto set = [&](int option, auto value) { curl.easy_setopt(handle.get(), option, value); };
  set(option_url, url.c_str());
  set(option_user_agent, agent.c_str());
  set(option_accept_encoding, "");  // whatever libcurl can unpack
  set(option_write_function, &append);
  set(option_write_data, static_cast<void*>(&answer.body));
  set(option_follow_location, 1L);
  set(option_max_redirections, most_redirections);
  set(option_protocols, http_and_https);
  set(option_connect_timeout, connect_seconds);
  set(option_low_speed_limit, 1L);  // bytes per second
  set(option_low_speed_time, silent_seconds);
  set(option_no_signal, 1L);
  const int fault = curl.easy_perform(handle.get());
  if (fault == error_writing) {
    throw Error(ErrorKind::failure,
                fmt::format("can't be kept in memory after {} bytes", answer.body.size()), url,
                "at most 4 GiB are fetched");
  }
  if (fault != 0) {
    throw Error(ErrorKind::failure, fmt::format("can't be fetched: {}", curl.easy_strerror(fault)),
                url, "check the connection and try again");
  }
  curl.easy_getinfo(handle.get(), info_response_code, &answer.status);
  return answer;
}

}  // namespace softwood
