// The one exception family. Everything that can go wrong for a user is an Error; what() is the
// message alone, text() has place and hint, too.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "softwood/note.h"

namespace softwood {

// The kind decides the exit code of the command line: usage 2, data and model 3, failure 1,
// interrupted 128 and the number of the signal. Interrupted: the caller asked for the end of work
// that had no result yet.
enum class ErrorKind { usage, data, model, failure, interrupted };

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, std::string where = {}, Advice advice = {})
      : std::runtime_error(message),
        kind_(kind),
        where_(std::move(where)),
        advice_(std::move(advice)) {}

  ErrorKind kind() const { return kind_; }
  // Where it happened: "cars.csv, line 12, column 'speed'".
  const std::string& where() const { return where_; }
  // What the user can do about it, as a sentence.
  const std::string& hint() const { return advice_.text; }
  // The hint with its code, for a front end that words it.
  const Advice& advice() const { return advice_; }
  // One line "where: message", and a second one with the hint if there is one.
  std::string text() const { return text_with(hint()); }
  // The same with the hint in a front end's own words.
  std::string text_with(const std::string& hint) const;

 private:
  ErrorKind kind_;
  std::string where_;
  Advice advice_;
};

}  // namespace softwood
