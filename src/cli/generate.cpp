#include "data/generate.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/common.h"
#include "cli/figures.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "softwood/error.h"

namespace softwood {
namespace {

struct GenerateOptions {
  std::string name, output;
  std::vector<std::string> settings;
  RunOptions run;
};

std::string generators_text() {
  std::string text;
  for (const Generator& generator : generators()) {
    text += fmt::format("{}: {} ({})\n", generator.name, generator.help, generator.source);
    std::vector<std::pair<std::string, std::string>> options;
    for (const OptionSpec& spec : generator.options) {
      options.emplace_back(fmt::format("  {}={}", spec.name, spec.fallback), spec.help);
    }
    text += aligned_pairs(options) + "\n";
  }
  return text + "Example: softwood data generate chessboard side=4 rows=2000 -o board.csv\n";
}

Options::Pairs parse_settings(const std::string& owner, const std::vector<std::string>& settings) {
  Options::Pairs pairs;
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      throw Error(ErrorKind::usage, fmt::format("'{}' is not an option of '{}'", setting, owner),
                  {}, "options are written as key=value: rows=1000");
    }
    pairs.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return pairs;
}

void run_generate(const GenerateOptions& options) {
  if (options.name.empty()) return print(generators_text());
  const Generator& generator = find_generator(options.name);
  const Generated generated = prepare(generator, parse_settings(generator.name, options.settings));
  Output output(options.output);
  write_csv(generated, static_cast<uint64_t>(options.run.seed), options.run.parallel(),
            [&](std::string_view text) { output.write(text); });
  output.finish();
}

}  // namespace

std::function<void()> declare_generate(Arguments& arguments) {
  auto options = std::make_shared<GenerateOptions>();
  arguments.positional("NAME", options->name, "Generator; without a name they are listed.", false);
  arguments.positionals("KEY=VALUE", options->settings, "Its options, such as rows=1000.");
  arguments.text("-o,--output", "FILE", options->output,
                 "Writes the CSV there instead of to standard output.");
  options->run.declare_seed(arguments);
  options->run.declare_threads(arguments);
  return [options] { run_generate(*options); };
}

}  // namespace softwood
