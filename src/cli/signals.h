// Ctrl-C, SIGTERM and a closed terminal.
//
// StoppableWork (control.h) asks whether to end: while there is some, the first signal only sets
// the flag that Control::interrupt looks at, and a second one ends the program. At other times, as
// in reading, a signal ends the program at once.
#pragma once

#include <atomic>
#include <string_view>

namespace softwood {

// Ignores SIGPIPE and SIGXFSZ: writing fails instead.
void catch_signals();
const std::atomic<bool>* interrupt_flag();
// What the program says and returns when it was interrupted before there was a result: the code is
// 128 and the number of the signal, as a shell reports it.
std::string_view interrupted_text();
int interrupted_code();
std::atomic<int>* stoppable_count();

}  // namespace softwood
