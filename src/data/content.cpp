#include "data/content.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "base/random.h"
#include "data/row_sort.h"
#include "data/sorted.h"

namespace softwood {
namespace {

constexpr uint64_t missing_word = 0x6a09e667f3bcc909ULL;

// Whole number arithmetic alone, so that it is the same on every machine. The shift brings what
// only the high bits of a number tell, such as 1 from 2, down to the bits that the next
// multiplication spreads.
uint64_t mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 32);
}

uint64_t hash_of(std::string_view text) {
  uint64_t hash = mix64(text.size());
  for (const unsigned char byte : text) hash = mixed(hash, byte);
  return mix64(hash);
}

uint64_t word_of(double number) {
  return number != number ? missing_word : std::bit_cast<uint64_t>(number + 0.0);
}

// Turns the cells of one column into words.
class CellWords {
 public:
  CellWords(const Column& column, const Feature& feature) : column_(column) {
    for (const std::string& level : feature.levels) levels_.push_back(hash_of(level));
  }
  void add(std::span<const RowIndex> rows, uint64_t* hashes) const {
    if (column_.kind == Kind::numeric) {
      const double* numbers = column_.numbers.data();
      for (size_t i = 0; i < rows.size(); ++i) {
        hashes[i] = mixed(hashes[i], word_of(numbers[rows[i]]));
      }
      return;
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      const int32_t code = column_.codes[rows[i]];
      hashes[i] = mixed(hashes[i], code < 0 ? missing_word : levels_[static_cast<size_t>(code)]);
    }
  }

 private:
  const Column& column_;
  std::vector<uint64_t> levels_;
};

// Below zero, zero or above it as the cell of the first row is less than, equal to or greater than
// that of the second; missing is greatest.
int compared(const Column& column, const Feature& feature, RowIndex a, RowIndex b) {
  if (column.is_missing(a) || column.is_missing(b)) {
    return static_cast<int>(column.is_missing(a)) - static_cast<int>(column.is_missing(b));
  }
  if (column.kind != Kind::numeric) {
    if (column.codes[a] == column.codes[b]) return 0;
    const auto& levels = feature.levels;
    return levels[static_cast<size_t>(column.codes[a])].compare(
        levels[static_cast<size_t>(column.codes[b])]);
  }
  const double x = column.numbers[a], y = column.numbers[b];
  return static_cast<int>(x > y) - static_cast<int>(x < y);
}

int compared(const Table& table, RowIndex a, RowIndex b) {
  const Schema& schema = table.schema();
  for (size_t f = 0; f < table.features(); ++f) {
    const int order = compared(table.input(f), schema.features[f], a, b);
    if (order != 0) return order;
  }
  return table.has_target() ? compared(table.target(), schema.target, a, b) : 0;
}

// Positions in the order of key(position), equal ones ascending.
template <class Key>
std::vector<uint64_t> sorted_positions(size_t count, const Key& key, const RowSort& layout,
                                       const Control& control) {
  std::vector<uint64_t> items(count);
  for (size_t i = 0; i < count; ++i) items[i] = i;
  std::vector<uint64_t> other;
  layout.sort(items, other, key, control);
  return items;
}

// Whole numbers modulo the prime 2^61 - 1, where 2 has an inverse: every weight that a double can
// be has a residue, and the residue of a sum is the sum of the residues.
constexpr uint64_t prime = (uint64_t{1} << 61) - 1;

uint64_t reduced(uint64_t number) {
  number = (number & prime) + (number >> 61);
  return number >= prime ? number - prime : number;
}

uint64_t product(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide wide = static_cast<Wide>(a) * b;
  return reduced((static_cast<uint64_t>(wide) & prime) + static_cast<uint64_t>(wide >> 61));
}

uint64_t residue(double weight) {
  if (weight == 1) return 1;
  int exponent = 0;
  const double fraction = std::frexp(weight, &exponent);
  const auto mantissa = static_cast<uint64_t>(std::ldexp(fraction, 53));
  const int shift = ((exponent - 53) % 61 + 61) % 61;  // 2^61 is 1
  return product(mantissa, uint64_t{1} << shift);
}

void add_feature(uint64_t& hash, const Feature& feature) {
  hash = mixed(hash, static_cast<uint64_t>(feature.kind));
  hash = mixed(hash, hash_of(feature.name));
  hash = mixed(hash, feature.levels.size());
  for (const std::string& level : feature.levels) hash = mixed(hash, hash_of(level));
}

}  // namespace

std::vector<uint64_t> content_hashes(const Table& table, std::span<const RowIndex> rows,
                                     const Parallel& parallel, const Control& control) {
  std::vector<CellWords> columns;
  for (size_t f = 0; f < table.features(); ++f) {
    columns.emplace_back(table.input(f), table.schema().features[f]);
  }
  if (table.has_target()) columns.emplace_back(table.target(), table.schema().target);
  std::vector<uint64_t> hashes(rows.size(), 0);
  const Blocks blocks{rows.size(), 4096};
  parallel.each(blocks.blocks(), [&](size_t block) {
    control.throw_if_interrupted();
    const size_t begin = blocks.begin(block), end = blocks.end(block);
    for (const CellWords& column : columns) {
      column.add(rows.subspan(begin, end - begin), hashes.data() + begin);
    }
    for (size_t i = begin; i < end; ++i) hashes[i] = mix64(hashes[i]);
  });
  return hashes;
}

std::vector<uint32_t> content_order(const Table& table, std::span<const RowIndex> rows,
                                    const Parallel& parallel, const Control& control) {
  const std::vector<uint64_t> hashes = content_hashes(table, rows, parallel, control);
  const RowSort layout{static_cast<unsigned>(std::bit_width(rows.size()))};
  std::vector<uint64_t> items = sorted_positions(
      rows.size(), [&](uint32_t at) { return hashes[at]; }, layout, control);
  std::vector<uint32_t> order(rows.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = layout.row(items[i]);
  const auto before = [&](uint32_t a, uint32_t b) {
    const int content = compared(table, rows[a], rows[b]);
    return content != 0 ? content < 0 : a < b;
  };
  RowsUntilAsk until_ask;
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin + 1;
    bool equal = true;  // all of this hash
    for (; end < order.size() && hashes[order[end]] == hashes[order[begin]]; ++end) {
      equal = equal && compared(table, rows[order[begin]], rows[order[end]]) == 0;
    }
    if (equal) {
      order[begin] |= new_value_mark;
    } else {
      const auto first = order.begin() + static_cast<ptrdiff_t>(begin);
      std::sort(first, order.begin() + static_cast<ptrdiff_t>(end), before);
      for (size_t i = end; --i > begin;) {
        if (compared(table, rows[order[i]], rows[order[i - 1]]) != 0) order[i] |= new_value_mark;
      }
      order[begin] |= new_value_mark;
    }
    until_ask.add(end - begin, control);
    begin = end;
  }
  return order;
}

std::vector<uint32_t> shuffled_by_content(const Table& table, std::span<const RowIndex> rows,
                                          uint64_t key, const Control& control) {
  std::vector<uint64_t> hashes = content_hashes(table, rows, Parallel(), control);
  for (uint64_t& hash : hashes) hash = mix64(hash ^ key);
  const RowSort layout{static_cast<unsigned>(std::bit_width(rows.size()))};
  const std::vector<uint64_t> items = sorted_positions(
      rows.size(), [&](uint32_t at) { return hashes[at]; }, layout, control);
  std::vector<uint32_t> order(rows.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = layout.row(items[i]);
  return order;
}

uint64_t content_sum(const Table& table) {
  const std::vector<uint64_t> hashes = content_hashes(table, all_rows(table));
  uint64_t sum = 0;
  for (size_t row = 0; row < table.rows(); ++row) {
    sum = reduced(sum + product(reduced(hashes[row]), residue(table.weight(row))));
  }
  return sum;
}

uint64_t added_content(uint64_t one, uint64_t other) { return reduced(one + other); }

std::string fingerprint_of(const Schema& schema, uint64_t content) {
  uint64_t hash = mix64(schema.features.size());
  for (const Feature& feature : schema.features) add_feature(hash, feature);
  add_feature(hash, schema.target);
  return fmt::format("{:016x}", mix64(hash ^ content));
}

std::string Table::fingerprint() const { return fingerprint_of(schema_, content_sum(*this)); }

}  // namespace softwood
