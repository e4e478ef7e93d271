#include "softwood/version.h"

namespace softwood {

const char* version() { return SOFTWOOD_VERSION; }

}  // namespace softwood
