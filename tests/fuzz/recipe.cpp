// Arbitrary text as a recipe, and after zero bytes settings laid over it. What is taken says itself
// in words that give the same recipe.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/text.h"
#include "stages/recipe.h"
#include "table_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace softwood;
  const std::string bytes(data, data + size);
  std::vector<std::string> words;
  for (const std::string_view part : split(bytes, '\0')) words.emplace_back(part);
  const std::vector<std::string> settings(words.begin() + 1, words.end());
  for (const bool on_tree : {false, true}) {
    try {
      const Recipe recipe = Recipe::parse(words[0], settings, on_tree);
      const std::string text = recipe.text();
      fuzz::require(Recipe::parse(text, {}, on_tree).text() == text, "the text is the recipe");
    } catch (const Error& error) {
      fuzz::require(error.kind() == ErrorKind::usage && !error.text().empty(),
                    "errors are about the command");
    }
  }
  return 0;
}
