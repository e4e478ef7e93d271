// Arbitrary words as a command line: the first byte chooses the verb, lines are words. Nothing is
// run.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/verb.h"
#include "table_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace softwood;
  if (size == 0) return 0;
  const Verb& verb = verbs()[data[0] % verbs().size()];
  const std::string bytes(data + 1, data + size);
  std::vector<std::string> words;
  for (const std::string_view word : split(bytes, '\n')) words.emplace_back(word);
  Arguments arguments(verb.name);
  const std::function<void()> action = verb.declare(arguments);
  fuzz::require(action != nullptr && !arguments.help().empty(), "every verb has help");
  try {
    arguments.parse(words);
  } catch (const Error& error) {
    fuzz::require(error.kind() == ErrorKind::usage && !error.text().empty(),
                  "errors are about the command");
  }
  return 0;
}
