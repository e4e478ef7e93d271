#include "cli/signals.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace softwood {
namespace {

TEST(Signals, EndTheProgramAtOnceAndRemoveWhatIsHalfWritten) {
  const std::string path = testing::TempDir() + "softwood-half-written";
  std::ofstream(path) << "half";
  EXPECT_EXIT(
      {
        catch_signals();
        const Doomed doomed(path);
        raise(SIGTERM);
      },
      testing::ExitedWithCode(128 + SIGTERM), "interrupted");
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Signals, AskAnytimeWorkToStopAndEndTheProgramTheSecondTime) {
  EXPECT_EXIT(
      {
        catch_signals();
        const AnytimeWork work;
        raise(SIGINT);
        if (!interrupt_flag()->load()) _exit(9);
        raise(SIGINT);
      },
      testing::ExitedWithCode(128 + SIGINT), "interrupted");
}

}  // namespace
}  // namespace softwood
