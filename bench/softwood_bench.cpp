// Times one item of work and prints one JSON object; run.py and growth.py call it. One item a
// process, so that the peak memory is that item's. The keys are those of peers.py, with
// median_seconds besides.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <stdexcept>
#include <string_view>

#include "items.h"

namespace softwood::bench {
namespace {

template <class Number>
Number number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) {
    throw std::runtime_error(fmt::format("'{}' is not a number of this kind", text));
  }
  return number;
}

Request request_of(std::span<char*> arguments) {
  Request request;
  for (size_t i = 0; i + 1 < arguments.size(); i += 2) {
    const std::string_view name = arguments[i], value = arguments[i + 1];
    if (name == "--work") {
      request.work = value;
    } else if (name == "--rows") {
      request.rows = number_of<size_t>(value);
    } else if (name == "--columns") {
      request.columns = number_of<size_t>(value);
    } else if (name == "--classes") {
      request.classes = number_of<size_t>(value);
    } else if (name == "--threads") {
      request.threads = number_of<int>(value);
    } else if (name == "--reps") {
      request.reps = std::max<size_t>(1, number_of<size_t>(value));
    } else {
      throw std::runtime_error(fmt::format("there is no option '{}'", name));
    }
  }
  if (arguments.size() % 2 != 0) throw std::runtime_error("an option has no value");
  return request;
}

void print_result(const Result& result, const Request& request) {
  std::vector<double> sorted = result.seconds;
  std::sort(sorted.begin(), sorted.end());
  fmt::print(R"({{"seconds":{},"median_seconds":{},"rows":{},"threads":{})", sorted.front(),
             sorted[sorted.size() / 2], result.rows, request.threads);
  fmt::print(R"(,"data_kib":{},"peak_kib":{})", result.data_kib, result.peak_kib);
  if (sorted.size() <= 20) {
    fmt::print(R"(,"all_seconds":[{}])", fmt::join(result.seconds, ","));
  }
  if (result.train_accuracy) fmt::print(R"(,"train_accuracy":{})", *result.train_accuracy);
  if (result.train_mse) fmt::print(R"(,"train_mse":{})", *result.train_mse);
  if (result.shape) {
    fmt::print(R"(,"leaves":{},"depth":{})", result.shape->leaves, result.shape->depth);
  }
  fmt::print("}}\n");
}

void print_usage() {
  fmt::print(
      "Usage: softwood_bench ITEM [--work DIR] [--rows N] [--threads N] [--reps N]\n"
      "                           [--columns N [--classes N]]\n"
      "DIR holds the files that peers.py makes; with --columns data are generated instead.\n");
  for (const Item& item : items()) fmt::print("  {:<18}{}\n", item.name, item.help);
}

int run(std::span<char*> arguments) {
  const std::string_view name = arguments.size() > 1 ? arguments[1] : "";
  for (const Item& item : items()) {
    if (item.name != name) continue;
    const Request request = request_of(arguments.subspan(2));
    print_result(item.run(item, request), request);
    return 0;
  }
  print_usage();
  return 2;
}

}  // namespace
}  // namespace softwood::bench

int main(int count, char** arguments) {
  try {
    return softwood::bench::run({arguments, static_cast<size_t>(count)});
  } catch (const std::exception& error) {
    fmt::print(stderr, "softwood_bench: {}\n", error.what());
    return 1;
  }
}
