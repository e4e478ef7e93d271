#include "data/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/text.h"
#include "softwood/error.h"

namespace softwood {
namespace {

// Values lie on a grid of 1e-6, and targets are computed from the values on the grid: six decimals
// write them exactly, so that the file and the data in memory are the same.
double on_grid(double x) { return std::nearbyint(x * 1e6) / 1e6 + 0.0; }  // + 0.0: no "-0"
// Uniform in [low, high), never rounded up to `high`.
double uniform_on_grid(Random& random, double low, double high) {
  return (low * 1e6 + std::floor(random.uniform() * (high - low) * 1e6)) / 1e6;
}

OptionSpec rows_option() {
  return {.name = "rows",
          .type = OptionType::integer,
          .fallback = "1000",
          .help = "How many rows to draw.",
          .low = 1,
          .high = static_cast<double>(max_rows)};
}
OptionSpec noise_columns_option() {
  return {.name = "noise-columns",
          .type = OptionType::integer,
          .fallback = "0",
          .help = "Further inputs that say nothing.",
          .low = 0,
          .high = 1000};
}
OptionSpec label_noise_option() {
  return {.name = "label-noise",
          .type = OptionType::real,
          .fallback = "0",
          .help = "Fraction of rows that get the other class.",
          .low = 0,
          .high = 1};
}

std::vector<std::string> numbered(const std::string& stem, size_t count) {
  std::vector<std::string> names;
  for (size_t i = 1; i <= count; ++i) names.push_back(stem + std::to_string(i));
  return names;
}

// Inputs x1 … xn, then noise1 … noisem.
std::vector<std::string> with_noise(size_t inputs, long noise) {
  std::vector<std::string> names = numbered("x", inputs);
  for (std::string& name : numbered("noise", static_cast<size_t>(noise))) {
    names.push_back(std::move(name));
  }
  return names;
}

// The class, or with probability `noise` the other one of two.
double perhaps_flipped(bool second, double noise, Random& random) {
  return (random.uniform() < noise) != second ? 1 : 0;
}

// The board of k x k unit cells whose colours alternate. Trees that split greedily see no gain in
// the first cut: Krętowski & Grześ (2005), section 3.1, use it with 100 points in each
// cell (per-cell=100); Grubinger, Zeileis & Pfeiffer (2014), evtree, with noise in both ways.
Generated chessboard(const Options& options) {
  const auto side = static_cast<size_t>(options.integer("side"));
  const double noise = options.real("label-noise");
  const bool by_cell = options.has_number("per-cell");
  const auto per_cell = static_cast<size_t>(options.integer("per-cell"));
  Generated g;
  g.rows = by_cell ? side * side * per_cell : static_cast<size_t>(options.integer("rows"));
  if (g.rows > max_rows) {
    throw Error(ErrorKind::usage, fmt::format("{} rows are too many", g.rows), {},
                fmt::format("at most {}", max_rows));
  }
  g.inputs = with_noise(2, options.integer("noise-columns"));
  g.target = "class";
  g.classes = {"white", "black"};
  g.draw = [=](Random& random, size_t row, std::span<double> x) {
    const size_t cell = by_cell ? row / per_cell : 0;
    const double width = by_cell ? 1 : static_cast<double>(side);
    for (size_t i = 0; i < 2; ++i) {
      const size_t step = i == 0 ? cell % side : cell / side;
      x[i] = uniform_on_grid(random, static_cast<double>(step), static_cast<double>(step) + width);
    }
    for (double& v : x.subspan(2)) v = uniform_on_grid(random, 0, static_cast<double>(side));
    const bool black = (static_cast<size_t>(x[0]) + static_cast<size_t>(x[1])) % 2 == 1;
    return perhaps_flipped(black, noise, random);
  };
  return g;
}

constexpr size_t norm_inputs = 20;
const double norm_shift = 2 / std::sqrt(20.0);

// Breiman (1996), Bias, variance, and arcing classifiers: two normal clouds with unit covariance in
// 20 dimensions, means (a, …, a) and (-a, …, -a), a = 2 / sqrt(20). The best possible error is 2.3
// %.
Generated twonorm(const Options& options) {
  Generated g{{},
              static_cast<size_t>(options.integer("rows")),
              numbered("x", norm_inputs),
              "class",
              {"a", "b"},
              {}};
  g.draw = [](Random& random, size_t, std::span<double> x) {
    const bool second = random.below(2) == 1;
    for (double& v : x) v = on_grid(random.normal() + (second ? -norm_shift : norm_shift));
    return second ? 1.0 : 0.0;
  };
  return g;
}

// Breiman (1996), as twonorm; class a: mean 0 and covariance 4 I; class b: mean (a, …, a) and unit
// covariance, with a = 2 / sqrt(20) as in DELVE's data. The best possible error is 1.3 %.
Generated ringnorm(const Options& options) {
  Generated g{{},
              static_cast<size_t>(options.integer("rows")),
              numbered("x", norm_inputs),
              "class",
              {"a", "b"},
              {}};
  g.draw = [](Random& random, size_t, std::span<double> x) {
    const bool second = random.below(2) == 1;
    for (double& v : x) v = on_grid(second ? random.normal() + norm_shift : 2 * random.normal());
    return second ? 1.0 : 0.0;
  };
  return g;
}

// Breiman, Friedman, Olshen & Stone (1984), Classification and Regression Trees:
// a random mixture of two of three triangular waves, peaks of 6 at inputs 7, 15 and 11, plus unit
// normal noise at each of 21 inputs. The best possible error is 14 %.
Generated waveform(const Options& options) {
  Generated g{{},
              static_cast<size_t>(options.integer("rows")),
              with_noise(21, options.integer("noise-columns")),
              "class",
              {"a", "b", "c"},
              {}};
  g.draw = [](Random& random, size_t, std::span<double> x) {
    static constexpr std::array<std::array<int, 2>, 3> peaks{{{7, 15}, {7, 11}, {15, 11}}};
    const size_t which = random.below(3);
    const double u = random.uniform();
    const auto wave = [](int i, int peak) { return std::max(6 - std::abs(i - peak), 0); };
    for (int i = 1; i <= 21; ++i) {
      const double mixture = u * wave(i, peaks[which][0]) + (1 - u) * wave(i, peaks[which][1]);
      x[static_cast<size_t>(i - 1)] = on_grid(mixture + random.normal());
    }
    for (double& v : x.subspan(21)) v = on_grid(random.normal());
    return static_cast<double>(which);
  };
  return g;
}

// Friedman (1991), Multivariate adaptive regression splines: five of ten uniform inputs count.
Generated friedman1(const Options& options) {
  Generated g{{}, static_cast<size_t>(options.integer("rows")), numbered("x", 10), "y", {}, {}};
  const double sd = options.real("noise");
  g.draw = [sd](Random& random, size_t, std::span<double> x) {
    for (double& v : x) v = uniform_on_grid(random, 0, 1);
    const double y = 10 * std::sin(std::numbers::pi * x[0] * x[1]) +
                     20 * (x[2] - 0.5) * (x[2] - 0.5) + 10 * x[3] + 5 * x[4];
    return on_grid(y + sd * random.normal());
  };
  return g;
}

// Exclusive or of the signs of two inputs (Minsky & Papert 1969): no single input says anything.
Generated exclusive_or(const Options& options) {
  Generated g{{},
              static_cast<size_t>(options.integer("rows")),
              with_noise(2, options.integer("noise-columns")),
              "class",
              {"same", "different"},
              {}};
  const double noise = options.real("label-noise");
  g.draw = [noise](Random& random, size_t, std::span<double> x) {
    for (double& v : x) v = uniform_on_grid(random, -1, 1);
    return perhaps_flipped((x[0] > 0) != (x[1] > 0), noise, random);
  };
  return g;
}

// Parity of the first bits (Minsky & Papert 1969): only all of them together say anything.
Generated parity(const Options& options) {
  const auto bits = static_cast<size_t>(options.integer("bits"));
  Generated g{{},
              static_cast<size_t>(options.integer("rows")),
              numbered("bit", bits),
              "parity",
              {"even", "odd"},
              {}};
  for (std::string& name : numbered("noise", static_cast<size_t>(options.integer("noise-bits")))) {
    g.inputs.push_back(std::move(name));
  }
  const double noise = options.real("label-noise");
  g.draw = [bits, noise](Random& random, size_t, std::span<double> x) {
    for (double& v : x) v = static_cast<double>(random.below(2));
    const auto ones = std::count(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(bits), 1.0);
    return perhaps_flipped(ones % 2 == 1, noise, random);
  };
  return g;
}

std::vector<double> parsed_weights(const std::string& text) {
  std::vector<double> weights;
  for (const std::string_view part : split(text, ',')) {
    double weight = 0;
    if (!parse_number(trim(part), weight) || !std::isfinite(weight)) {
      throw Error(ErrorKind::usage, fmt::format("weight '{}' is not a number", part), {},
                  "weights are numbers with commas between them: weights=1,-1,0.5");
    }
    weights.push_back(weight);
  }
  return weights;
}

// Two sides of a hyperplane through the origin: one oblique cut, or many cuts along the axes.
Generated linear(const Options& options) {
  const std::vector<double> weights = parsed_weights(options.text("weights"));
  Generated g{{},
              static_cast<size_t>(options.integer("rows")),
              with_noise(weights.size(), options.integer("noise-columns")),
              "class",
              {"below", "above"},
              {}};
  const double noise = options.real("label-noise");
  g.draw = [weights, noise](Random& random, size_t, std::span<double> x) {
    for (double& v : x) v = uniform_on_grid(random, -1, 1);
    double sum = 0;
    for (size_t i = 0; i < weights.size(); ++i) sum += weights[i] * x[i];
    return perhaps_flipped(sum > 0, noise, random);
  };
  return g;
}

void append_value(fmt::memory_buffer& out, double value) {
  fmt::format_to(std::back_inserter(out), "{}", value);
}

void append_rows(const Generated& g, uint64_t seed, size_t begin, size_t end, std::string& text) {
  fmt::memory_buffer out;
  std::vector<double> inputs(g.inputs.size());
  for (size_t row = begin; row < end; ++row) {
    Random random(seed, g.name, row);
    const double target = g.draw(random, row, inputs);
    for (const double value : inputs) {
      append_value(out, value);
      out.push_back(',');
    }
    if (g.classes.empty()) {
      append_value(out, target);
    } else {
      out.append(g.classes[static_cast<size_t>(target)]);
    }
    out.push_back('\n');
  }
  text.assign(out.data(), out.size());
}

}  // namespace

std::span<const Generator> generators() {
  static const std::vector<Generator> table = {
      {"chessboard",
       "Squares of alternating classes.",
       "Krętowski & Grześ 2005",
       {rows_option(),
        {.name = "side",
         .type = OptionType::integer,
         .fallback = "4",
         .help = "Cells along each side; inputs are in [0, side).",
         .low = 1,
         .high = 10000},
        {.name = "per-cell",
         .type = OptionType::integer,
         .fallback = "none",
         .help = "Rows in each cell, instead of rows=.",
         .low = 1,
         .high = 1e9,
         .word = "none"},
        noise_columns_option(),
        label_noise_option()},
       chessboard},
      {"twonorm", "Two normal clouds in 20 dimensions.", "Breiman 1996", {rows_option()}, twonorm},
      {"ringnorm",
       "A narrow normal cloud within a wide one, 20 dimensions.",
       "Breiman 1996",
       {rows_option()},
       ringnorm},
      {"waveform",
       "Three classes of noisy waves, 21 inputs.",
       "Breiman et al. 1984",
       {rows_option(), noise_columns_option()},
       waveform},
      {"friedman1",
       "Regression, 10 inputs of which 5 count.",
       "Friedman 1991",
       {rows_option(),
        {.name = "noise",
         .type = OptionType::real,
         .fallback = "1",
         .help = "Standard deviation of the noise.",
         .low = 0,
         .high = 1e6}},
       friedman1},
      {"xor",
       "Class by whether two signs differ.",
       "Minsky & Papert 1969",
       {rows_option(), noise_columns_option(), label_noise_option()},
       exclusive_or},
      {"parity",
       "Class by whether the number of ones is odd.",
       "Minsky & Papert 1969",
       {rows_option(),
        {.name = "bits",
         .type = OptionType::integer,
         .fallback = "3",
         .help = "Bits that count.",
         .low = 1,
         .high = 1000},
        {.name = "noise-bits",
         .type = OptionType::integer,
         .fallback = "0",
         .help = "Further bits that say nothing.",
         .low = 0,
         .high = 1000},
        label_noise_option()},
       parity},
      {"linear",
       "Two sides of an oblique plane.",
       "textbook",
       {rows_option(),
        {.name = "weights",
         .type = OptionType::text,
         .fallback = "1,-1",
         .help =
             "One weight per input; class 'above' when the weighted sum is positive (x1 > x2)."},
        noise_columns_option(),
        label_noise_option()},
       linear},
  };
  return table;
}

const Generator& find_generator(std::string_view name) {
  std::vector<std::string> names;
  for (const Generator& generator : generators()) {
    if (generator.name == name) return generator;
    names.push_back(generator.name);
  }
  throw Error(ErrorKind::usage, fmt::format("there is no generator '{}'", name), {},
              known_names_hint(name, names));
}

Generated prepare(const Generator& generator, const Options::Pairs& given) {
  Generated generated = generator.prepare(Options(generator.name, generator.options, given));
  generated.name = generator.name;
  return generated;
}

void write_csv(const Generated& generated, uint64_t seed, const Parallel& parallel,
               const std::function<void(std::string_view)>& sink) {
  sink(join(generated.inputs, ",") + "," + generated.target + "\n");
  constexpr size_t block_rows = 4096;
  const Blocks blocks{generated.rows, block_rows};
  // As many blocks at once as keep all threads busy, then written in their order.
  std::vector<std::string> texts(static_cast<size_t>(parallel.threads()) * 8);
  for (size_t first = 0; first < blocks.blocks(); first += texts.size()) {
    const size_t count = std::min(texts.size(), blocks.blocks() - first);
    parallel.each(count, [&](size_t i) {
      append_rows(generated, seed, blocks.begin(first + i), blocks.end(first + i), texts[i]);
    });
    for (size_t i = 0; i < count; ++i) sink(texts[i]);
  }
}

Frame generated_frame(const Generated& generated, uint64_t seed, const std::string& source) {
  Frame frame;
  frame.source = source;
  frame.rows = generated.rows;
  std::vector<std::vector<double>> columns(generated.inputs.size());
  for (std::vector<double>& column : columns) column.reserve(generated.rows);
  FrameColumn target{generated.target, {}, {}};
  ColumnDraft answers(generated.classes.empty() ? Kind::numeric : Kind::nominal);
  std::vector<int32_t> code_of(generated.classes.size(), missing_code);  // levels as first seen
  std::vector<double> inputs(generated.inputs.size());
  for (size_t row = 0; row < generated.rows; ++row) {
    Random random(seed, generated.name, row);
    const double answer = generated.draw(random, row, inputs);
    for (size_t i = 0; i < inputs.size(); ++i) columns[i].push_back(inputs[i]);
    if (generated.classes.empty()) {
      answers.numbers.push_back(answer);
      continue;
    }
    int32_t& code = code_of[static_cast<size_t>(answer)];
    if (code == missing_code) {
      code = static_cast<int32_t>(target.levels.size());
      target.levels.push_back(generated.classes[static_cast<size_t>(answer)]);
    }
    answers.codes.push_back(code);
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    frame.columns.push_back(
        {generated.inputs[i], Column{Kind::numeric, std::move(columns[i]), {}, 0}, {}});
  }
  target.cells = std::move(answers);
  frame.columns.push_back(std::move(target));
  return frame;
}

}  // namespace softwood
