// What the program tells a person while it works, on standard error: notes, and a progress bar for
// work over a second when standard error is a terminal.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "base/control.h"

namespace softwood {

class Console {
 public:
  // Quiet: neither notes nor bar; warnings stay.
  explicit Console(bool quiet);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  // Callbacks to this console, which must outlive it; stops on a signal.
  Control control();
  void note(const Note& note);
  // What must be known to read the results: also where it is quiet.
  void note_always(const Note& note) { tell("note", note); }
  // All notes and warnings so far, in their order, also those that a quiet console did not print.
  struct Told {
    std::string_view level;  // "note" or "warning"
    AdviceCode code;         // of what to do about it
    std::string text;
  };
  const std::vector<Told>& told() const { return told_; }

 private:
  using Clock = std::chrono::steady_clock;
  void tell(const char* what, const Note& note, bool print = true);
  void progress(const Progress& report);
  void clear_bar();

  bool quiet_;
  bool bar_allowed_;
  bool bar_shown_ = false;
  std::mutex mutex_;
  Clock::time_point began_, drawn_;
  std::string work_;
  std::vector<Told> told_;
  double first_fraction_ = 0;  // done when the clock of the present work started
};

// Columns of a line on standard output: as the variable COLUMNS says, or the terminal, else
// usual_width.
size_t page_width();
// The same for explanations, which are not made wider than people like to read.
size_t help_width();

// "30s", "500ms", "2m", "1h" as a time span; usage Error for anything else.
std::chrono::nanoseconds parse_duration(const std::string& text);
// "4s", "2m 05s", "1h 10m".
std::string duration_text(double seconds);

}  // namespace softwood
