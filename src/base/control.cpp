#include "base/control.h"

#include "softwood/error.h"

namespace softwood {

std::string_view stopped_name(Stopped stopped) {
  switch (stopped) {
    case Stopped::converged:
      return "converged";
    case Stopped::budget:
      return "budget";
    case Stopped::interrupt:
      return "interrupt";
  }
  return "";
}

void Control::throw_interrupted() {
  throw Error(ErrorKind::interrupted, "interrupted before there was a result");
}

}  // namespace softwood
