#include "base/names.h"

#include <gtest/gtest.h>

namespace softwood {
namespace {

TEST(ShownName, IsQuotedOnlyWhereItWouldMislead) {
  EXPECT_EQ(shown_name("petal length (cm)", NamePlace::comparison), "petal length (cm)");
  EXPECT_EQ(shown_name("petal length (cm)", NamePlace::sum), "\"petal length (cm)\"");
  EXPECT_EQ(shown_name("a, b", NamePlace::set), "\"a, b\"");
  EXPECT_EQ(shown_name("a, b", NamePlace::comparison), "a, b");
  EXPECT_EQ(shown_name("", NamePlace::set), "\"\"");
  EXPECT_EQ(shown_name(" a", NamePlace::set), "\" a\"");
  EXPECT_EQ(shown_name("2x", NamePlace::sum), "\"2x\"");
}

TEST(ShownName, IsEscapedAsInJson) {
  EXPECT_EQ(shown_name("a\"b\\\n\x01", NamePlace::set), R"("a\"b\\\n\u0001")");
  EXPECT_EQ(shown_name("ä,ö", NamePlace::set), "\"ä,ö\"");
  EXPECT_EQ(shown_name("a,\xFF", NamePlace::set), "\"a,\xEF\xBF\xBD\"");
}

TEST(ShownNumber, HasSixDigitsOrTwoAfterALongWholePart) {
  EXPECT_EQ(shown_number(2.4499999999999997), "2.45");
  EXPECT_EQ(shown_number(12345678.25), "12345678.25");
  EXPECT_EQ(shown_number(-0.0), "0");
  EXPECT_EQ(shown_number(1e-9), "1e-09");
}

}  // namespace
}  // namespace softwood
