// Ctrl-C, SIGTERM and a closed terminal.
//
// Reading, growing and pruning have no useful result before they are done: a signal then ends the
// program at once. A stage that can stop at its best tree so far is StoppableWork (control.h) while
// it runs; the first signal then only sets the flag that Control::interrupt looks at, and a second
// one ends the program.
#pragma once

#include <atomic>

namespace softwood {

// Also for SIGBUS: a mapped file that others cut short while it is read.
void catch_signals();
const std::atomic<bool>* interrupt_flag();
std::atomic<int>* stoppable_count();

}  // namespace softwood
