// Hints to the system about memory.
#pragma once

#include <cstddef>

namespace softwood {

// The bytes are not needed any more, though the memory is kept: whole pages among them are given
// back. What they hold after that is not defined.
void release_pages(void* begin, size_t bytes);

}  // namespace softwood
