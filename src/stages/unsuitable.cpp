#include "stages/unsuitable.h"

#include <new>
#include <stdexcept>

#include "softwood/error.h"

namespace softwood {

std::string why_unsuitable() {
  const char* const no_memory = "there is not memory enough";
  try {
    throw;
  } catch (const Error& error) {
    return error.what();
  } catch (const std::bad_alloc&) {
    return no_memory;
  } catch (const std::length_error&) {
    return no_memory;  // more than an array can hold
  }
}

}  // namespace softwood
