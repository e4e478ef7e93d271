#include "softwood/error.h"

namespace softwood {

std::string Error::text() const {
  std::string text = where_.empty() ? what() : where_ + ": " + what();
  if (!hint_.empty()) text += "\n  " + hint_;
  return text;
}

}  // namespace softwood
