#pragma once

namespace softwood {

// The version of the linked library, as "major.minor.patch".
const char* version();

}  // namespace softwood
