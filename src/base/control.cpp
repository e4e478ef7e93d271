#include "base/control.h"

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

}  // namespace softwood
