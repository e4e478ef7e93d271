#include "cli/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"
#include "cli/advice.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "render/renderer.h"
#include "softwood/error.h"

namespace softwood {
namespace {

using Seconds = std::chrono::duration<double>;
constexpr double bar_after = 1.0;  // seconds of work before a bar appears
constexpr double bar_every = 0.1;  // seconds between two drawings
constexpr size_t bar_cells = 24;
constexpr size_t longest_message = 2000;  // a file may have names of any length

// Columns of the terminal that a file is, else `otherwise`.
size_t terminal_width(int file, size_t otherwise) {
  winsize size{};
  return ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : otherwise;
}

}  // namespace

size_t page_width() {
  constexpr long narrowest = 20;
  const char* const columns = std::getenv("COLUMNS");
  long given = 0;
  if (columns != nullptr && parse_integer(columns, given) && given >= narrowest) {
    return static_cast<size_t>(given);
  }
  return terminal_width(STDOUT_FILENO, render::usual_width);
}

size_t help_width() {
  constexpr size_t widest = 96;
  return std::min(page_width(), widest);
}

Console::Console(bool quiet)
    : quiet_(quiet),
      bar_allowed_(!quiet && isatty(STDERR_FILENO) == 1),
      began_(Clock::now()),
      drawn_(began_) {}

Console::~Console() { clear_bar(); }

Control Console::control() {
  Control control;
  control.progress = [this](const Progress& now) { progress(now); };
  control.note = [this](const Note& what) { note(what); };
  control.warning = [this](const Note& what) { tell("warning", what); };
  control.interrupt = [] { return interrupt_flag()->load(std::memory_order_relaxed); };
  control.stoppable = stoppable_count();
  return control;
}

void Console::note(const Note& note) { tell("note", note, !quiet_); }

void Console::tell(const char* what, const Note& note, bool print) {
  const std::string text = note.text_with(advice_text(note.advice));
  const std::lock_guard lock(mutex_);
  told_.push_back({what, note.advice.code, text});
  if (!print) return;
  clear_bar();
  print_message(fmt::format("{}: {}\n", what, printable(text, longest_message)));
}

void Console::progress(const Progress& report) {
  if (!bar_allowed_) return;
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  const std::string_view what = report.activity;
  const double fraction = report.share();
  const size_t colon = std::min(what.find(':'), what.size());
  const std::string_view work = what.substr(0, colon);
  if (work != work_) {  // the time left is that of the present work
    work_ = work;
    began_ = now;
    first_fraction_ = fraction;
  }
  const double elapsed = Seconds(now - began_).count();
  if (fraction >= 1) return clear_bar();
  if (elapsed < bar_after || Seconds(now - drawn_).count() < bar_every) return;
  drawn_ = now;
  const auto full = static_cast<size_t>(fraction * bar_cells);
  std::string line = fmt::format("{} [{}{}] {:3.0f} %", work, std::string(full, '#'),
                                 std::string(bar_cells - full, '.'), fraction * 100);
  const double done = fraction - first_fraction_;
  if (done > 0.01) line += fmt::format(", {} left", duration_text(elapsed * (1 - fraction) / done));
  line += what.substr(colon);
  line.resize(std::min(line.size(), terminal_width(STDERR_FILENO, 80) - 1));
  print_message(fmt::format("\r\033[K{}", line));
  bar_shown_ = true;
}

void Console::clear_bar() {
  if (!bar_shown_) return;
  print_message("\r\033[K");
  bar_shown_ = false;
}

std::chrono::nanoseconds parse_duration(const std::string& text) {
  const size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string unit = text.substr(digits);
  const double factor = unit == "ms"  ? 1e-3
                        : unit == "s" ? 1
                        : unit == "m" ? 60
                        : unit == "h" ? 3600
                                      : 0;
  double number = 0;
  constexpr double longest = 3600.0 * 24 * 365 * 10;
  if (factor == 0 || !parse_number(text.substr(0, digits), number) || !(number > 0) ||
      number * factor > longest) {
    throw Error(ErrorKind::usage, fmt::format("'{}' is not a time span", text), {},
                "expected a number and a unit: 500ms, 30s, 2m, 1h");
  }
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Seconds(number * factor));
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{}s", whole);
  if (whole < 3600) return fmt::format("{}m {:02}s", whole / 60, whole % 60);
  return fmt::format("{}h {:02}m", whole / 3600, whole % 3600 / 60);
}

}  // namespace softwood
