// The border of the library: what leaves it is an Error.
#pragma once

#include <exception>
#include <new>
#include <utility>

#include "base/float_environment.h"
#include "base/no_threads.h"
#include "base/parallel.h"
#include "softwood/error.h"

namespace softwood {

// Runs `body` with the usual arithmetic; every exception of another family becomes a failure Error.
template <class Body>
auto at_border(Body&& body) -> decltype(body()) {
  const FloatEnvironment usual;
  try {
    return std::forward<Body>(body)();
  } catch (const Error&) {
    throw;
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
