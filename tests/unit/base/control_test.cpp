#include "base/control.h"

#include <gtest/gtest.h>

#include <vector>

namespace softwood {
namespace {

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
  control.note = [&](const std::string& text) { notes.push_back(text); };
  control.say("a note");
  control.warn("a warning");
  EXPECT_EQ(notes, (std::vector<std::string>{"a note", "a warning"}));
  control.warning = [&](const std::string& text) { warnings.push_back(text); };
  control.warn("another");
  EXPECT_EQ(notes.size(), 2U);
  EXPECT_EQ(warnings, std::vector<std::string>{"another"});
}

TEST(Control, OfInnerWorkStopsAndIsSilent) {
  Control control;
  control.deadline = Control::Clock::time_point::min();
  control.note = [](const std::string& text) { ADD_FAILURE() << text; };
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
