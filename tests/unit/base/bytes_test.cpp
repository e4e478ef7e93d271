#include "base/bytes.h"

#include <gtest/gtest.h>

namespace softwood {
namespace {

struct Plain {
  int32_t number;
  float share;
  bool operator==(const Plain&) const = default;
};

Bytes written() {
  ByteWriter writer;
  writer.value(uint16_t{7});
  writer.vector(std::vector<Plain>{{1, 0.5F}, {-2, 4}});
  writer.vector(std::vector<double>{});
  return writer.take();
}

TEST(Bytes, AreReadBackInTheOrderOfWriting) {
  const Bytes bytes = written();
  ByteReader reader(bytes);
  EXPECT_EQ(reader.value<uint16_t>(), 7);
  EXPECT_EQ(reader.vector<Plain>(), (std::vector<Plain>{{1, 0.5F}, {-2, 4}}));
  EXPECT_FALSE(reader.at_end());
  EXPECT_EQ(reader.vector<double>(), std::vector<double>{});
  EXPECT_TRUE(reader.at_end());
}

TEST(Bytes, CutShortAreAnErrorWhereverTheyEnd) {
  const Bytes whole = written();
  for (size_t length = 0; length < whole.size(); ++length) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_THROW(
        {
          ByteReader reader(cut);
          reader.value<uint16_t>();
          reader.vector<Plain>();
          reader.vector<double>();
        },
        Error)
        << length;
  }
}

TEST(Bytes, OfAVectorThatClaimsMoreThanThereIsAreRefusedBeforeMemoryIsTaken) {
  ByteWriter writer;
  writer.value(uint64_t{1} << 61);  // times 8 bytes overflows
  const Bytes bytes = writer.take();
  ByteReader reader(bytes);
  EXPECT_THROW(reader.vector<double>(), Error);
}

}  // namespace
}  // namespace softwood
