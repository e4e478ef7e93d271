#include "base/control.h"

#include <gtest/gtest.h>

#include <vector>

#include "softwood/error.h"
#include "support/interruption.h"

namespace softwood {
namespace {

using test::Interruption;

TEST(Control, ThrowsAnErrorOfItsOwnKindWhenInterrupted) {
  Interruption interruption(2);
  const Control control = interruption.control();
  control.throw_if_interrupted();
  try {
    control.throw_if_interrupted();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::interrupted);
  }
}

TEST(Control, ABudgetStopsOnlyWorkThatHasAResult) {
  Control control;
  control.deadline = Control::Clock::now();
  EXPECT_EQ(control.should_stop(), Stopped::budget);
  EXPECT_NO_THROW(control.throw_if_interrupted());
}

TEST(Control, WorkThatMustFinishIsNotInterrupted) {
  Interruption interruption(1);
  Control control = interruption.control();
  control.must_finish = true;
  EXPECT_NO_THROW(control.throw_if_interrupted());
  EXPECT_NO_THROW(control.silent().throw_if_interrupted());
  EXPECT_EQ(control.should_stop(), Stopped::interrupt);  // stages that have a result still stop
}

TEST(Control, AsksBeforeEveryBlockOfRows) {
  Interruption interruption(100);
  const Control control = interruption.control();
  std::vector<size_t> ends;
  each_block(2 * rows_between_asks + 5, control, [&](size_t begin, size_t end) {
    EXPECT_EQ(begin, ends.empty() ? 0 : ends.back());
    ends.push_back(end);
  });
  EXPECT_EQ(ends, (std::vector<size_t>{rows_between_asks, 2 * rows_between_asks,
                                       2 * rows_between_asks + 5}));
  EXPECT_EQ(interruption.asked(), 3U);
  each_block(0, control, [](size_t, size_t) { FAIL(); });
}

TEST(Control, AsksWhenEnoughRowsHaveComeTogether) {
  Interruption interruption(100);
  const Control control = interruption.control();
  RowsUntilAsk until_ask;
  for (int i = 0; i < 8; ++i) until_ask.add(rows_between_asks / 4, control);
  EXPECT_EQ(interruption.asked(), 2U);
  until_ask.add(3 * rows_between_asks, control);
  EXPECT_EQ(interruption.asked(), 3U);
}

TEST(Progress, IsAShareOfTheWork) {
  EXPECT_EQ((Progress{"", "", 3, 4, {}}).share(), 0.75);
  EXPECT_EQ((Progress{"", "", 5, 4, {}}).share(), 1);
  EXPECT_EQ((Progress{"", "", 0, 0, {}}).share(), 1);
}

TEST(Control, ReportsTheStageThatRuns) {
  Control control;
  std::string seen;
  control.progress = [&](const Progress& progress) {
    seen = std::string(progress.stage) + " " + std::string(progress.activity);
    EXPECT_EQ(progress.best, 0.5);
  };
  control.stage = "prune";
  control.report("cross-validating", 1, 10, 0.5);
  EXPECT_EQ(seen, "prune cross-validating");
}

TEST(Control, StopsByTheBudgetFromTheDeadlineOn) {
  Control control;
  EXPECT_FALSE(control.should_stop());
  control.deadline = Control::Clock::time_point::max();
  EXPECT_FALSE(control.should_stop());
  control.deadline = Control::Clock::time_point::min();
  EXPECT_EQ(control.should_stop(), Stopped::budget);
}

TEST(Control, SendsWarningsWhereNotesGoUnlessTheyHaveAPlaceOfTheirOwn) {
  std::vector<std::string> notes, warnings;
  Control control;
  control.say("nobody listens");
  control.warn("nobody listens");
  control.note = [&](const Note& note) { notes.push_back(note.text()); };
  control.say("a note");
  control.warn("a warning");
  EXPECT_EQ(notes, (std::vector<std::string>{"a note", "a warning"}));
  control.warning = [&](const Note& note) { warnings.push_back(note.text()); };
  control.warn("another");
  EXPECT_EQ(notes.size(), 2U);
  EXPECT_EQ(warnings, std::vector<std::string>{"another"});
}

TEST(Control, OfInnerWorkStopsAndIsSilent) {
  Control control;
  control.deadline = Control::Clock::time_point::min();
  control.note = [](const Note& note) { ADD_FAILURE() << note.text(); };
  control.warning = control.note;
  const Control inner = control.silent();
  EXPECT_EQ(inner.should_stop(), Stopped::budget);
  inner.say("unheard");
  inner.warn("unheard");
}

TEST(Control, NamesWhyItStopped) {
  EXPECT_EQ(stopped_name(Stopped::converged), "converged");
  EXPECT_EQ(stopped_name(Stopped::budget), "budget");
  EXPECT_EQ(stopped_name(Stopped::interrupt), "interrupt");
}

}  // namespace
}  // namespace softwood
