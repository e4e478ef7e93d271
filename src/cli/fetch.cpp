#include <fmt/format.h>

#include "base/text.h"
#include "cli/check/process.h"
#include "cli/common.h"
#include "cli/openml.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "softwood/error.h"

namespace softwood {
namespace {

struct FetchOptions {
  std::string reference, output;
};

void run_fetch(const FetchOptions& options) {
  if (!is_openml(options.reference)) {
    throw Error(ErrorKind::usage, fmt::format("'{}' names no data set", options.reference), {},
                "expected openml:61, openml:iris or openml:iris@1");
  }
  if (options.output.empty()) {
    throw Error(ErrorKind::usage, "'data fetch' needs -o", {}, "name a file: -o iris.arff");
  }
  Output output(options.output);
  const OpenmlSet& set = openml_set(options.reference);
  output.write(read_file(set.file));
  output.finish();
  print(printable_lines(
      aligned_pairs({{"data set", fmt::format("{}, version {} (openml:{}, {})", set.name,
                                              set.version, set.id, set.status)},
                     {"target", set.targets.empty() ? "-" : join(set.targets, ", ")},
                     {"ignored", set.ignored.empty() ? "-" : join(set.ignored, ", ")},
                     {"saved as", options.output}})));
}

}  // namespace

std::function<void()> declare_fetch(Arguments& arguments) {
  auto options = std::make_shared<FetchOptions>();
  arguments.positional("SET", options->reference,
                       "Data set of OpenML: openml:61, openml:iris or openml:iris@1.");
  arguments.text("-o,--output", "FILE", options->output, "Writes the ARFF file there.");
  return [options] { run_fetch(*options); };
}

}  // namespace softwood
