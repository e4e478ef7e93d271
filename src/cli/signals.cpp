#include "cli/signals.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "study/unfinished.h"

namespace softwood {
namespace {

// All that the handler touches: lock-free atomics and calls that POSIX allows in a handler.
std::atomic<bool> interrupted{false};
std::atomic<int> first_signal{0};
std::atomic<bool> ending{false};
std::atomic<int> stoppable_work{0};
std::atomic<bool> on_terminal{false};

// `text` begins with a line break: after the "^C" and the bar that a terminal shows.
void end_program(std::string_view text, int code) {
  remove_unfinished();
  const std::string_view shown = on_terminal ? text : text.substr(1);
  [[maybe_unused]] const auto written = write(STDERR_FILENO, shown.data(), shown.size());
  _exit(code);
}

void on_signal(int signal) {
  int none = 0;
  first_signal.compare_exchange_strong(none, signal);
  if (stoppable_work.load() > 0 && !interrupted.exchange(true)) return;
  // Two signals may arrive at once, on two threads: the first one ends the program.
  if (ending.exchange(true)) return;
  end_program(interrupted_text(), 128 + signal);
}

}  // namespace

void catch_signals() {
  on_terminal = isatty(STDERR_FILENO) == 1;
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    // Whoever started the program may have asked that a signal be ignored (a shell's "&", nohup).
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
  // A closed pipe and a limit of file sizes are errors of writing, which are told and cleaned up
  // after like others.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

std::string_view interrupted_text() {
  if (anything_saved()) return "\nsoftwood: interrupted; what was finished before is saved\n";
  return anything_begun() ? "\nsoftwood: interrupted, nothing was saved\n"
                          : "\nsoftwood: interrupted\n";
}

int interrupted_code() { return 128 + first_signal.load(); }

const std::atomic<bool>* interrupt_flag() { return &interrupted; }

std::atomic<int>* stoppable_count() { return &stoppable_work; }

}  // namespace softwood
