#include "cluster/merged_codes.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace softwood::cluster {
namespace {

CodedRows random_rows(size_t rows, uint64_t seed) {
  Random random(seed, "codes");
  CodedRows coded;
  std::vector<uint8_t> codes;
  for (size_t i = 0; i < rows; ++i) {
    codes.push_back(static_cast<uint8_t>(random.below(10)));
    codes.push_back(static_cast<uint8_t>(random.below(10)));
    coded.klass.push_back(static_cast<uint32_t>(random.below(2)));
  }
  coded.codes = BinnedRows(2, std::move(codes), {});
  return coded;
}

Bytes bytes_of(const MergedCodes& codes) {
  ByteWriter out;
  codes.write(out);
  return out.take();
}

TEST(MergedCodes, AreTheSameHoweverRowsAreDivided) {
  const CodedRows rows = random_rows(500, 1);
  for (const uint64_t most : {1000, 50}) {
    MergedCodes whole(most);
    whole.add(rows);
    EXPECT_EQ(whole.are_all(), most == 1000);
    EXPECT_EQ(whole.rows().rows() == most, most == 50);
    MergedCodes all(most);
    for (uint32_t part = 0; part < 5; ++part) {
      std::vector<uint32_t> own;
      for (uint32_t row = part; row < rows.rows(); row += 5) own.push_back(row);
      MergedCodes one(most);
      one.add(rows.at(own));
      const Bytes bytes = bytes_of(one);
      ByteReader in(bytes);
      all.merge(MergedCodes::read(in));
    }
    EXPECT_EQ(bytes_of(all), bytes_of(whole));
  }
}

TEST(MergedCodes, KeepAllWeight) {
  MergedCodes codes(1000);
  codes.add(random_rows(500, 2));
  double weight = 0;
  for (const double own : codes.rows().weight) weight += own;
  EXPECT_EQ(weight, 500);
}

}  // namespace
}  // namespace softwood::cluster
