// How much memory this process may have.
#pragma once

#include <cstdint>

namespace softwood {

// Of the machine, of the process (ulimit -v) and of the container that it runs in, the least.
uint64_t most_memory();

}  // namespace softwood
