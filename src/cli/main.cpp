#include <fmt/core.h>

#include "softwood/version.h"

int main() { fmt::print("softwood {}\n", softwood::version()); }
