#include "cli/signals.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>

namespace softwood {
namespace {

// All that the handler touches: lock-free atomics and calls that POSIX allows in a handler.
std::atomic<bool> interrupted{false};
std::atomic<bool> ending{false};
std::atomic<int> anytime_work{0};
std::atomic<bool> on_terminal{false};
std::array<std::atomic<const char*>, 8> doomed{};
static_assert(std::atomic<const char*>::is_always_lock_free);

void on_signal(int signal) {
  if (anytime_work.load() > 0 && !interrupted.exchange(true)) return;
  // Two signals may arrive at once, on two threads: the first one ends the program.
  if (ending.exchange(true)) return;
  for (const auto& slot : doomed) {
    const char* path = slot.load();
    if (path != nullptr) unlink(path);
  }
  // After the "^C" and the bar that a terminal shows, on a line of its own.
  constexpr std::string_view text = "\nsoftwood: interrupted, nothing was saved\n";
  const std::string_view shown = on_terminal ? text : text.substr(1);
  [[maybe_unused]] const auto written = write(STDERR_FILENO, shown.data(), shown.size());
  _exit(128 + signal);  // as a shell reports a signal
}

}  // namespace

void catch_signals() {
  on_terminal = isatty(STDERR_FILENO) == 1;
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    // Whoever started the program may have asked that a signal be ignored (a shell's "&", nohup).
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

const std::atomic<bool>* interrupt_flag() { return &interrupted; }

AnytimeWork::AnytimeWork() { ++anytime_work; }
AnytimeWork::~AnytimeWork() { --anytime_work; }

Doomed::Doomed(const std::string& path) : path_(path), slot_(0) {
  for (; slot_ < doomed.size(); ++slot_) {
    const char* empty = nullptr;
    if (doomed[slot_].compare_exchange_strong(empty, path_.c_str())) return;
  }
  throw std::logic_error("too many temporary files");
}

Doomed::~Doomed() { doomed[slot_].store(nullptr); }

}  // namespace softwood
