// Artificial data with known structure. Each generator is an entry of one table; what it draws for
// a row depends on (seed, generator, row) alone, so any part can be made by any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "base/parallel.h"
#include "base/random.h"
#include "data/frame.h"

namespace softwood {

// A generator with its options applied: what the columns are, and how a row is drawn.
struct Generated {
  std::string name;  // the generator's; tells the random numbers of two generators apart
  size_t rows = 0;
  std::vector<std::string> inputs;
  std::string target;
  std::vector<std::string> classes;  // empty: the target is a number
  // Fills the inputs of row number `row` and returns its target: a number, or the class's index.
  std::function<double(Random& random, size_t row, std::span<double> inputs)> draw;
};

struct Generator {
  std::string name;
  std::string help;    // one sentence
  std::string source;  // the publication it follows
  std::vector<OptionSpec> options;
  Generated (*prepare)(const Options& options);
};

// The table of generators.
std::span<const Generator> generators();
const Generator& find_generator(std::string_view name);  // usage Error with the nearest name

// Checks the options and prepares; a usage Error for what is not right.
Generated prepare(const Generator& generator, const Options::Pairs& given);

// The data as CSV text, passed on in order, piece by piece: 10 million rows need little memory.
void write_csv(const Generated& generated, uint64_t seed, const Parallel& parallel,
               const std::function<void(std::string_view)>& sink);
// The same data, as reading that text would give them.
Frame generated_frame(const Generated& generated, uint64_t seed, const std::string& source);

}  // namespace softwood
