// dot: Graphviz reads the file and draws it.
#include "cli/check/check.h"

namespace softwood {

void check_dot(const CheckTask& task) {
  require_programs({"dot"});
  run_or_fail({"dot", "-Tsvg", task.file, "-o", task.folder + "/picture.svg"}, task.folder);
}

}  // namespace softwood
