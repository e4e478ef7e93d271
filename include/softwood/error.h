// The one exception family. Everything that can go wrong for a user is an Error; what() is the
// message alone, text() is what the command line prints.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace softwood {

// The kind decides the exit code of the command line: usage 2, data and model 3, failure 1,
// interrupted 128 and the number of the signal. Interrupted: the caller asked for the end of work
// that had no result yet.
enum class ErrorKind { usage, data, model, failure, interrupted };

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, std::string where = {}, std::string hint = {})
      : std::runtime_error(message),
        kind_(kind),
        where_(std::move(where)),
        hint_(std::move(hint)) {}

  ErrorKind kind() const { return kind_; }
  // Where it happened: "cars.csv, line 12, column 'speed'".
  const std::string& where() const { return where_; }
  // What the user can do about it, as a sentence.
  const std::string& hint() const { return hint_; }
  // One line "where: message", and a second one with the hint if there is one.
  std::string text() const;

 private:
  ErrorKind kind_;
  std::string where_;
  std::string hint_;
};

}  // namespace softwood
