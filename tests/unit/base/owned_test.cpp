#include "base/owned.h"

#include <gtest/gtest.h>

#include <string>

namespace softwood {
namespace {

TEST(Owned, IsEmptyOrHoldsAValue) {
  Owned<std::string> none;
  EXPECT_FALSE(none);
  Owned<std::string> some(std::string("leaf"));
  ASSERT_TRUE(some);
  EXPECT_EQ(*some, "leaf");
  EXPECT_EQ(some->size(), 4U);
  some.reset();
  EXPECT_FALSE(some);
  EXPECT_EQ(sizeof(none), sizeof(void*));
}

TEST(Owned, IsCopiedWithItsOwner) {
  Owned<std::string> first(std::string("one"));
  Owned<std::string> second = first;
  *second = "two";
  EXPECT_EQ(*first, "one");
  first = second;
  EXPECT_EQ(*first, "two");
  EXPECT_NE(&*first, &*second);
  const Owned<std::string>& same = first;
  first = same;
  EXPECT_EQ(*first, "two");
  first = Owned<std::string>();
  EXPECT_FALSE(first);
}

TEST(Owned, IsMovedWithoutACopy) {
  Owned<std::string> first(std::string("one"));
  const std::string* const place = &*first;
  const Owned<std::string> second = std::move(first);
  EXPECT_EQ(&*second, place);
}

}  // namespace
}  // namespace softwood
