#include "cli/md5.h"

#include <gtest/gtest.h>

namespace softwood {
namespace {

// RFC 1321, appendix A.5.
TEST(Md5, GivesTheDigestsOfItsStandard) {
  EXPECT_EQ(md5_text(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5_text("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(md5_text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
            "d174ab98d277d9f5a5611c2c9f419d9f");
  EXPECT_EQ(
      md5_text("1234567890123456789012345678901234567890123456789012345678901234567890123456789"
               "0"),
      "57edf4a22be3c955ac49da2e2107b67a");
}

// Lengths about the end of a block of 64 bytes.
TEST(Md5, PadsEveryLength) {
  EXPECT_EQ(md5_text(std::string(55, 'a')), "ef1772b6dff9a122358552954ad0df65");
  EXPECT_EQ(md5_text(std::string(56, 'a')), "3b0c8ac703f828b04c6c197006d17218");
  EXPECT_EQ(md5_text(std::string(64, 'a')), "014842d480b571495a4a0363793f7367");
}

}  // namespace
}  // namespace softwood
