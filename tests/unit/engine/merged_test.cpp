#include "engine/merged.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/random.h"

namespace softwood {
namespace {

struct Sample {
  RowCoding coding;
  BinnedRows codes{0, {}, {}};
  FixedPoint target;
  std::vector<uint32_t> slots;
};

Sample random_rows(size_t rows, size_t classes, uint64_t seed) {
  Random random(seed, "codes");
  Sample sample;
  sample.coding.bins = {{9, {1, 2, 3, 4, 5, 6, 7, 8}}, {9, {1, 2, 3, 4, 5, 6, 7, 8}}};
  sample.coding.classes = sample.target.classes = classes;
  std::vector<uint8_t> codes;
  CodedRows coded;
  AmountSummary amounts;
  for (size_t i = 0; i < rows; ++i) {
    codes.push_back(static_cast<uint8_t>(random.below(10)));
    codes.push_back(static_cast<uint8_t>(random.below(10)));
    coded.weight.push_back(random.uniform());
    if (classes > 0) {
      coded.klass.push_back(static_cast<uint32_t>(random.below(classes)));
    } else {
      coded.number.push_back(random.normal());
      amounts.add(coded.number.back(), coded.weight.back(), 0);
    }
  }
  ExactSum weight;
  for (const double own : coded.weight) weight.add(own);
  sample.coding.set_units(weight.value(), false, amounts);
  sample.codes = BinnedRows(2, std::move(codes), {});
  sample.target = fixed_targets(coded, sample.coding);
  sample.slots.resize(rows);
  std::iota(sample.slots.begin(), sample.slots.end(), 0U);
  return sample;
}

Bytes bytes_of(const RowMerger& merger) {
  ByteWriter out;
  merger.write(out);
  return out.take();
}

TEST(RowMerger, GivesTheSameHoweverRowsAreDivided) {
  for (const size_t classes : {2, 0}) {
    const Sample sample = random_rows(500, classes, 1);
    for (const uint64_t most : {1000, 50}) {
      RowMerger whole(sample.coding, most);
      whole.add(sample.codes, sample.target, sample.slots);
      const MergedRows expected = whole.rows(sample.coding);
      EXPECT_EQ(expected.are_all, most == 1000);
      EXPECT_EQ(expected.rows() == most, most == 50);
      RowMerger all(sample.coding, most);
      for (uint32_t part = 0; part < 5; ++part) {
        std::vector<uint32_t> own;
        for (uint32_t row = part; row < sample.slots.size(); row += 5) own.push_back(row);
        RowMerger one(sample.coding, most);
        one.add(sample.codes, sample.target, own);
        const Bytes bytes = bytes_of(one);
        ByteReader in(bytes);
        all.merge(RowMerger::read(in));
      }
      EXPECT_EQ(bytes_of(all), bytes_of(whole));
    }
  }
}

TEST(RowMerger, KeepsAllWeightAndAllAmounts) {
  const Sample sample = random_rows(500, 0, 2);
  RowMerger merger(sample.coding, 1000);
  merger.add(sample.codes, sample.target, sample.slots);
  const MergedRows merged = merger.rows(sample.coding);
  EXPECT_LT(merged.rows(), 101U);
  const auto sum = [](const std::vector<int64_t>& all) {
    return std::accumulate(all.begin(), all.end(), int64_t{0});
  };
  EXPECT_EQ(sum(merged.target.weight), sum(sample.target.weight));
  EXPECT_EQ(sum(merged.target.amount), sum(sample.target.amount));
  const double squares = static_cast<double>(sum(merged.square)) * merged.square_unit;
  EXPECT_NEAR(squares, sample.coding.squares, 1e-9 * sample.coding.squares);
}

TEST(RowMerger, RefusesCodesOfAnotherCoding) {
  const Sample sample = random_rows(100, 2, 3);
  RowMerger merger(sample.coding, 1000);
  merger.add(sample.codes, sample.target, sample.slots);
  RowCoding other = sample.coding;
  other.bins[1] = {3, {1, 2}};
  EXPECT_THROW(merger.rows(other), Error);
}

}  // namespace
}  // namespace softwood
