#include "softwood/error.h"

namespace softwood {

std::string Error::text_with(const std::string& hint) const {
  std::string text = where_.empty() ? what() : where_ + ": " + what();
  if (!hint.empty()) text += "\n  " + hint;
  return text;
}

}  // namespace softwood
