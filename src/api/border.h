// The border of the library: what leaves it is an Error.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "base/float_environment.h"
#include "base/no_threads.h"
#include "base/parallel.h"
#include "base/text.h"
#include "softwood/error.h"

namespace softwood {

// Parts of messages come from files: what a terminal obeys is escaped wherever the message is
// shown.
inline Error printable_error(const Error& error) {
  Advice advice = error.advice();
  advice.text = printable_lines(advice.text);
  for (std::string& value : advice.values) value = printable_lines(value);
  return {error.kind(), printable_lines(error.what()), printable(error.where()), std::move(advice)};
}

// Runs `body` with the usual arithmetic; every exception of another family becomes a failure Error.
template <class Body>
auto at_border(Body&& body) -> decltype(body()) {
  const FloatEnvironment usual;
  try {
    return std::forward<Body>(body)();
  } catch (const Error& error) {
    throw printable_error(error);
  } catch (const NoThreads& error) {
    throw Error(ErrorKind::failure, error.what(), {}, "work with one thread, or raise the limit");
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::failure, "there is not enough memory");
  } catch (const std::exception& error) {
    throw Error(ErrorKind::failure, error.what());
  } catch (...) {
    throw Error(ErrorKind::failure, "an exception of unknown kind");
  }
}

// As many threads as the caller asks for; 0: as many as the machine has.
inline Parallel threads_for(int threads) {
  if (threads < 0) {
    throw Error(ErrorKind::usage, "the number of threads is negative", {},
                "0 takes as many as the machine has");
  }
  return Parallel(threads);
}

}  // namespace softwood
