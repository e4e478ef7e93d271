#include "render/svg/canvas.h"

#include <gtest/gtest.h>

#include "render/svg/chart.h"

namespace softwood::render {
namespace {

TEST(Canvas, ShowsTextsOfUsersAsText) {
  Canvas canvas;
  canvas.text(0, 0, "</text><script>alert('x')</script> & \"q\" \x1b[31m");
  const std::string file = canvas.finish(10, 10, "a<b", "c&d");
  EXPECT_EQ(file.find("<script"), std::string::npos);
  EXPECT_EQ(file.find('\x1b'), std::string::npos);
  EXPECT_NE(file.find("&lt;/text&gt;&lt;script&gt;alert(&#39;x&#39;)"), std::string::npos);
  EXPECT_NE(file.find("aria-label=\"a&lt;b\""), std::string::npos);
  EXPECT_NE(file.find("<desc>c&amp;d</desc>"), std::string::npos);
}

TEST(Canvas, CutsLongTextsAndKeepsThemAsTitle) {
  Canvas canvas;
  canvas.text(0, 0, "a name that is far too long for its place", {12, Anchor::start, "", 80});
  const std::string file = canvas.finish(10, 10, "", "");
  EXPECT_NE(file.find("<title>a name that is far too long for its place</title>a name"),
            std::string::npos);
  EXPECT_NE(file.find("…</text>"), std::string::npos);
  EXPECT_LE(text_width(fitted_text("a name that is far too long", 12, 80), 12), 80);
  EXPECT_EQ(fitted_text("short", 12, 80), "short");
  EXPECT_EQ(fitted_text("ÄÖÜäöüß", 12, 30).find('\xc3'), 0U);  // whole characters
}

TEST(Chart, HasRoundTicks) {
  EXPECT_EQ(round_ticks(0, 1), (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}));
  EXPECT_EQ(round_ticks(-3, 3), (std::vector<double>{-2, 0, 2}));
  EXPECT_EQ(round_ticks(5, 5), std::vector<double>{5});
}

TEST(Chart, PlacesNumbersInItsFrame) {
  Canvas canvas;
  const Chart chart(canvas, {10, 20}, 100, 50, {0, 2, "x"}, {-1, 1, "y"});
  EXPECT_EQ(chart.at(0, -1).x, 10);
  EXPECT_EQ(chart.at(0, -1).y, 70);
  EXPECT_EQ(chart.at(1, 0).x, 60);
  EXPECT_EQ(chart.at(1, 0).y, 45);
  EXPECT_EQ(chart.at(9, 9).x, 110);  // held in it
  EXPECT_EQ(chart.at(9, 9).y, 20);
}

TEST(Colours, OfClassesDiffer) {
  for (size_t a = 0; a < 16; ++a) {
    for (size_t b = 0; b < a; ++b) EXPECT_NE(class_colour(a), class_colour(b));
  }
  EXPECT_EQ(scale_colour(0), "#0072b2");
  EXPECT_EQ(scale_colour(1), "#e69f00");
}

}  // namespace
}  // namespace softwood::render
