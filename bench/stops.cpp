// How long a training goes on after its stop flag is set, stage by stage.
//
//   build/release/bench/bench_stops [--rows 1000000] [--columns 10] [--threads 1] [--longest 30]
//                                   [--only TEXT]
//
// Each training is stopped again and again, later each time, until it ends before that or --longest
// seconds are over. For every stage and activity that a stop has met, the longest time from the
// flag to the return of train() is printed, with all that was freed on the way, and the processor's
// time in it, which other programs on the machine do not change.
#include <fmt/format.h>
#include <softwood/softwood.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Case {
  std::string name, recipe;
  bool classes = true;
  double share = 1;  // of the rows: what needs minutes for 100 000 rows gets fewer
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"grow", "grow"},
      {"grow, regression", "grow", false},
      {"grow, binned", "grow search=binned"},
      {"grow, binned regression", "grow search=binned", false},
      {"grow, gain ratio", "grow criterion=gain-ratio"},
      {"grow, absolute error", "grow criterion=mae", false},
      {"grow, conditional inference", "grow split=conditional-inference"},
      {"grow, linear discriminants", "grow split=linear-discriminant"},
      {"grow, oblique", "grow split=oblique restarts=20"},
      {"prune", "grow | prune"},
      {"prune, regression", "grow | prune", false},
      {"prune, reduced error", "grow | prune by=reduced-error"},
      {"prune, pessimistic", "grow | prune by=pessimistic"},
      {"soften, annealing", "grow max-depth=6 | soften by=anneal", true, 0.1},
      {"soften, intervals", "grow max-depth=10 | soften by=interval"},
      {"soften, gradient", "grow max-depth=6 | soften by=gradient"},
      {"refine, gradient", "grow max-depth=6 | refine by=gradient"},
      {"refine, alternating", "grow max-depth=6 | refine by=alternating"},
      {"grow-soft", "grow-soft shape=full depth=4"},
      {"evolve", "evolve"},
  };
  return all;
}

struct Arguments {
  size_t rows = 1'000'000, columns = 10;
  int threads = 1;
  double longest = 30;
  std::string only;
};

Arguments read_arguments(int count, char** words) {
  Arguments given;
  for (int i = 1; i < count; i += 2) {
    const std::string name = words[i];
    const std::string value = i + 1 < count ? words[i + 1] : "";
    if (name == "--rows" && !value.empty()) {
      given.rows = std::stoul(value);
    } else if (name == "--columns" && !value.empty()) {
      given.columns = std::max(3UL, std::stoul(value));
    } else if (name == "--threads" && !value.empty()) {
      given.threads = std::stoi(value);
    } else if (name == "--longest" && !value.empty()) {
      given.longest = std::stod(value);
    } else if (name == "--only" && !value.empty()) {
      given.only = value;
    } else {
      fmt::print(
          "Usage: bench_stops [--rows N] [--columns N] [--threads N] [--longest SECONDS] "
          "[--only TEXT]\n");
      std::exit(2);
    }
  }
  return given;
}

struct Data {
  std::vector<std::vector<double>> inputs;
  std::vector<double> number;
  std::vector<int32_t> side;

  Data(size_t rows, size_t columns) : inputs(columns) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    for (std::vector<double>& input : inputs) {
      input.resize(rows);
      for (double& x : input) x = normal(random);
    }
    for (size_t i = 0; i < rows; ++i) {
      number.push_back(inputs[0][i] * inputs[1][i] + inputs[2][i] + normal(random));
      side.push_back(number[i] > 0 ? 1 : 0);
    }
  }

  softwood::DataSet first(size_t rows, bool classes) const {
    const auto part = [rows](const auto& cells) { return std::span(cells).first(rows); };
    softwood::DataColumns columns;
    for (size_t j = 0; j < inputs.size(); ++j) {
      columns.add({fmt::format("x{}", j), {softwood::chunk_of(part(inputs[j]))}});
    }
    static const auto levels =
        std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"no", "yes"});
    const softwood::ColumnChunk target =
        classes ? softwood::dictionary_chunk(part(side), levels) : softwood::chunk_of(part(number));
    return softwood::DataSet::from(columns.target({"y", {target}}));
  }
};

double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

struct Stop {
  double seconds = 0, processor = 0;
  std::string place = "before the first stage";
};

// Trains, and sets the flag after `delay` seconds; nothing where the training ended before.
std::optional<Stop> stop_after(double delay, const softwood::DataSet& data, const Case& what,
                               int threads) {
  std::atomic<bool> flag = false, ended = false;
  std::mutex mutex;
  std::string place = Stop().place;
  softwood::TrainSettings settings;
  settings.recipe = what.recipe;
  settings.threads = threads;
  settings.controls.stop_flag = &flag;
  settings.controls.progress = [&](const softwood::Progress& progress) {
    const std::lock_guard lock(mutex);
    const std::string_view activity = progress.activity.substr(0, progress.activity.find(':'));
    if (!flag) place = fmt::format("{}: {}", progress.stage, activity);
  };
  Clock::time_point set;
  double processor = 0;
  Stop stop;
  std::thread setter([&] {
    const auto until = Clock::now() + std::chrono::duration<double>(delay);
    while (Clock::now() < until && !ended)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (ended) return;
    const std::lock_guard lock(mutex);
    stop.place = place;
    processor = processor_seconds();
    set = Clock::now();
    flag = true;
  });
  try {
    softwood::train(data, settings);
  } catch (const softwood::Error& error) {
    if (error.kind() != softwood::ErrorKind::interrupted) throw;
  }
  const Clock::time_point end = Clock::now();
  const double processor_end = processor_seconds();
  ended = true;
  setter.join();
  if (!flag || set > end) return std::nullopt;
  stop.seconds = std::chrono::duration<double>(end - set).count();
  stop.processor = processor_end - processor;
  return stop;
}

void measure(const Case& what, const Data& data, const Arguments& given) {
  const auto wanted = static_cast<size_t>(what.share * static_cast<double>(given.rows));
  const size_t rows = std::min(given.rows, std::max<size_t>(1000, wanted));
  const softwood::DataSet set = data.first(rows, what.classes);
  std::map<std::string, std::pair<Stop, size_t>> by_place;
  for (double delay = 0.02; delay <= given.longest; delay *= 1.4) {
    const std::optional<Stop> stop = stop_after(delay, set, what, given.threads);
    if (!stop) break;
    auto& [longest, stops] = by_place[stop->place];
    if (stop->seconds > longest.seconds) longest = *stop;
    ++stops;
  }
  for (const auto& [place, found] : by_place) {
    fmt::print("{:28} {:>9} {:>6} {:8.3f} {:8.3f}  {}\n", what.name, rows, found.second,
               found.first.seconds, found.first.processor, place);
  }
  if (by_place.empty()) fmt::print("{:28} {:>9} ended before the first stop\n", what.name, rows);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  try {
    const Arguments given = read_arguments(count, words);
    const Data data(given.rows, given.columns);
    fmt::print("{} x {} numbers, {} thread(s)\n", given.rows, given.columns, given.threads);
    fmt::print("{:28} {:>9} {:>6} {:>8} {:>8}  at\n", "case", "rows", "stops", "seconds", "CPU");
    std::fflush(stdout);
    for (const Case& what : cases()) {
      if (what.name.find(given.only) != std::string::npos) measure(what, data, given);
    }
  } catch (const softwood::Error& error) {
    fmt::print(stderr, "{}\n", error.text());
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
