// The library in programs that have set their process up otherwise: the same models, answers, texts
// and exports, and the host finds everything as it left it.

#include <gtest/gtest.h>

#include <sys/time.h>

#include <array>
#include <atomic>
#include <bit>
#include <cfenv>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <locale>
#include <string>
#include <thread>
#include <vector>

#include "softwood/softwood.h"
#include "support/data.h"
#include "support/scratch.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace softwood {
namespace {

// Cells that rounding and subnormal numbers matter for. Made by usual arithmetic.
DataColumns make_columns() {
  DataColumns columns;
  std::vector<double> x, tiny, y;
  std::vector<std::string> colours;
  for (size_t i = 0; i < 300; ++i) {
    const auto step = static_cast<double>(i);
    x.push_back(0.1 * step / 3);
    tiny.push_back(step * 3e-320);
    colours.push_back(std::array{"red", "green", "blue"}[i * 7 % 3]);
    y.push_back((i % 100 < 40 ? 1.7 : -0.3) + 0.001 * static_cast<double>(i * 37 % 101) +
                (i > 200 ? 1e-3 / 7 : 0));
  }
  columns.number("x", x).number("tiny", tiny).text("colour", colours).number("y", y);
  return columns;
}

const DataColumns& columns() {
  static const DataColumns columns = make_columns();
  return columns;
}

void append_numbers(std::string& text, std::span<const double> numbers) {
  for (const double number : numbers) text += std::to_string(std::bit_cast<uint64_t>(number)) + " ";
}

// All that the library makes of a training, as texts.
std::vector<std::string> texts_of(const DataSet& data, const std::string& recipe, int threads) {
  TrainSettings settings;
  settings.recipe = recipe;
  settings.threads = threads;
  const TreeModel trained = train(data, settings).model;
  const TreeModel model = TreeModel::from_text(trained.text());
  std::vector<std::string> texts = {trained.text()};
  for (const TextView view : {TextView::tree, TextView::rpart, TextView::c50, TextView::rules,
                              TextView::summary, TextView::json}) {
    texts.push_back(model.show(view));
  }
  std::string numbers;
  append_numbers(numbers, model.predict(data, threads));
  for (const auto& [name, figure] : model.evaluate(data, threads).figures) {
    append_numbers(numbers, std::array{figure});
  }
  texts.push_back(numbers);
  for (const ExportFormat& format : export_formats()) {
    try {
      texts.push_back(export_model(model, format.name));
    } catch (const Error& error) {
      texts.emplace_back(error.what());  // a tree that the format has no words for
    }
  }
  texts.push_back(model.plot({}, &data));
  texts.push_back(report(model, &data));
  return texts;
}

std::vector<std::string> everything(int threads = 2) {
  const test::ScratchFolder folder;
  const std::string path = folder.file("model.json");
  const DataSet data = DataSet::from(columns());
  std::vector<std::string> texts;
  for (const char* const recipe :
       {"grow | prune", "grow split=oblique max-depth=3", "grow max-leaves=6 | soften by=gradient",
        "evolve population=20 generations=20", "grow criterion=mae min-leaf=20"}) {
    for (std::string& text : texts_of(data, recipe, threads)) texts.push_back(std::move(text));
  }
  const TreeModel model = TreeModel::from_text(texts[0]);
  model.save(path);
  texts.push_back(TreeModel::load(path).text());
  const DataSet read = DataSet::read(test::data_file("iris.csv").string());
  texts.push_back(train(read).model.text());
  return texts;
}

const std::vector<std::string>& usual() {
  static const std::vector<std::string> texts = everything();
  return texts;
}

void expect_usual() {
  const std::vector<std::string> texts = everything();
  ASSERT_EQ(texts.size(), usual().size());
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_TRUE(texts[i] == usual()[i]) << "text " << i << ": " << texts[i].substr(0, 2000);
  }
}

TEST(Hosts, TheNumberOfThreadsDoesNotMatter) { EXPECT_TRUE(everything(1) == usual()); }

TEST(Hosts, DecimalCommas) {
  usual();
  setenv("LOCPATH", SOFTWOOD_LOCALES, 1);
  if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) {
    GTEST_SKIP() << "skipped: there is no locale de_DE.UTF-8";
  }
  ASSERT_STREQ(std::localeconv()->decimal_point, ",");
  const std::locale before = std::locale::global(std::locale("de_DE.UTF-8"));
  expect_usual();
  EXPECT_STREQ(std::localeconv()->decimal_point, ",");
  std::locale::global(before);
  std::setlocale(LC_ALL, "C");
}

TEST(Hosts, OtherRounding) {
  usual();
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    expect_usual();
    EXPECT_EQ(std::fegetround(), mode);
  }
  std::fesetround(FE_TONEAREST);
}

TEST(Hosts, SubnormalNumbersThatAreFlushed) {
#if defined(__SSE2__)
  usual();
  constexpr unsigned flush_results = 0x8000, flush_inputs = 0x0040;
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | flush_results | flush_inputs);
  expect_usual();
  EXPECT_EQ(_mm_getcsr() & (flush_results | flush_inputs), flush_results | flush_inputs);
  _mm_setcsr(before);
#else
  GTEST_SKIP() << "skipped: not known how to flush subnormal numbers here";
#endif
}

std::atomic<int> host_signals{0};
void on_host_signal(int) { ++host_signals; }

// Calls are interrupted all the time: the handlers are without SA_RESTART.
TEST(Hosts, SignalHandlersOfTheirOwn) {
  usual();
  constexpr std::array signals = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM};
  constexpr std::array faults = {SIGSEGV, SIGBUS, SIGFPE};
  struct sigaction own {};
  own.sa_handler = on_host_signal;
  std::array<struct sigaction, 16> before{};
  size_t count = 0;
  for (const int signal : signals) sigaction(signal, &own, &before[count++]);
  std::array<struct sigaction, 3> faults_before{};
  for (size_t i = 0; i < faults.size(); ++i) sigaction(faults[i], nullptr, &faults_before[i]);

  const itimerval often{{0, 2000}, {0, 2000}}, never{};
  setitimer(ITIMER_REAL, &often, nullptr);
  expect_usual();
  setitimer(ITIMER_REAL, &never, nullptr);

  EXPECT_GT(host_signals.load(), 0);
  count = 0;
  for (const int signal : signals) {
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    EXPECT_TRUE(now.sa_handler == on_host_signal) << signal;
    sigaction(signal, &before[count++], nullptr);
  }
  for (size_t i = 0; i < faults.size(); ++i) {
    struct sigaction now {};
    sigaction(faults[i], nullptr, &now);
    EXPECT_TRUE(now.sa_handler == faults_before[i].sa_handler) << faults[i];
  }
}

// A host that wants to hear of a division by zero means its own.
TEST(Hosts, FloatingPointTraps) {
#if defined(__GLIBC__) && defined(__SSE2__)
  usual();
  constexpr int wanted = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW;
  const int before = feenableexcept(wanted);
  if (before == -1) GTEST_SKIP() << "skipped: no traps here";
  expect_usual();
  EXPECT_EQ(fegetexcept() & wanted, wanted);
  fedisableexcept(FE_ALL_EXCEPT);
  feenableexcept(before);
#else
  GTEST_SKIP() << "skipped: not known how to set traps here";
#endif
}

// Each thread of a host with arithmetic of its own, all at work at once.
TEST(Hosts, ThreadsThatDiffer) {
  usual();
  std::vector<std::thread> threads;
  std::array<bool, 4> same{};
  constexpr std::array modes = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  for (size_t i = 0; i < modes.size(); ++i) {
    threads.emplace_back([&, i] {
      std::fesetround(modes[i]);
      same[i] = everything() == usual() && std::fegetround() == modes[i];
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < modes.size(); ++i) EXPECT_TRUE(same[i]) << i;
}

}  // namespace
}  // namespace softwood
