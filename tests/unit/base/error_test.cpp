#include "softwood/error.h"

#include <gtest/gtest.h>

namespace softwood {
namespace {

TEST(Error, IsTheMessageAloneForWhat) {
  const Error error(ErrorKind::data, "is not a number", "cars.csv, line 3", "leave the cell empty");
  EXPECT_STREQ(error.what(), "is not a number");
  EXPECT_EQ(error.kind(), ErrorKind::data);
  EXPECT_EQ(error.where(), "cars.csv, line 3");
  EXPECT_EQ(error.hint(), "leave the cell empty");
}

TEST(Error, HasPlaceAndHintInItsTextWhereTheyAreKnown) {
  EXPECT_EQ(Error(ErrorKind::failure, "no memory").text(), "no memory");
  EXPECT_EQ(Error(ErrorKind::data, "is empty", "cars.csv").text(), "cars.csv: is empty");
  EXPECT_EQ(Error(ErrorKind::usage, "no method 'crat'", {}, "did you mean 'cart'?").text(),
            "no method 'crat'\n  did you mean 'cart'?");
  EXPECT_EQ(Error(ErrorKind::data, "is empty", "cars.csv", "name another").text(),
            "cars.csv: is empty\n  name another");
}

}  // namespace
}  // namespace softwood
