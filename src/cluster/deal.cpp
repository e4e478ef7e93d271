#include "cluster/deal.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "base/random.h"
#include "data/canonical.h"
#include "data/folds.h"
#include "softwood/error.h"

namespace softwood::cluster {
namespace {

// Rows in order, by class and key; those that share a key by what is known of their content.
class RowOrder {
 public:
  RowOrder(const CodedRows& rows, uint64_t key) : rows_(rows) {
    keys_.reserve(rows.rows());
    for (const uint64_t hash : rows.hash) keys_.push_back(mix64(hash ^ key));
  }

  bool is_before(uint32_t a, uint32_t b) const {
    if (klass(a) != klass(b)) return klass(a) < klass(b);
    if (keys_[a] != keys_[b]) return keys_[a] < keys_[b];
    return compared(a, b) < 0;
  }
  bool are_equal(uint32_t a, uint32_t b) const {
    return klass(a) == klass(b) && keys_[a] == keys_[b] && compared(a, b) == 0;
  }

 private:
  uint32_t klass(uint32_t row) const { return rows_.klass.empty() ? 0 : rows_.klass[row]; }
  int compared(uint32_t a, uint32_t b) const {
    for (size_t f = 0; f < rows_.codes.features(); ++f) {
      const uint32_t x = rows_.codes.code(a, f), y = rows_.codes.code(b, f);
      if (x != y) return x < y ? -1 : 1;
    }
    if (rows_.number.empty() || rows_.number[a] == rows_.number[b]) return 0;
    return rows_.number[a] < rows_.number[b] ? -1 : 1;
  }

  const CodedRows& rows_;
  std::vector<uint64_t> keys_;
};

bool is_whole(double weight) {
  constexpr double most_whole = 9007199254740992.0;  // 2^53
  return weight == std::floor(weight) && weight <= most_whole;
}

// How many pieces a row is dealt out as, where nothing limits it.
size_t wanted_pieces(double weight, bool whole, const DealSettings& settings) {
  const auto folds = static_cast<double>(settings.folds);
  const double wanted = whole ? weight : std::ceil(weight / settings.weight * folds);
  return std::max<size_t>(1, static_cast<size_t>(std::min(wanted, folds)));
}

size_t group_of(const CodedRows& rows, size_t row) {
  return rows.klass.empty() ? 0 : rows.klass[row];
}

}  // namespace

void DealSettings::write(ByteWriter& out) const {
  out.value(key);
  out.value(classes);
  out.value(folds);
  out.value(weight);
  out.value(destinations);
}

DealSettings DealSettings::read(ByteReader& in) {
  DealSettings settings;
  settings.key = in.value<uint64_t>();
  settings.classes = in.value<uint64_t>();
  settings.folds = in.value<uint64_t>();
  settings.weight = in.value<double>();
  settings.destinations = in.value<uint64_t>();
  return settings;
}

std::vector<uint32_t> destinations_of(const CodedRows& rows, const DealSettings& settings) {
  __extension__ using Wide = unsigned __int128;
  std::vector<uint32_t> to(rows.rows());
  for (size_t row = 0; row < to.size(); ++row) {
    const uint64_t key = mix64(rows.hash[row] ^ settings.key);
    to[row] = static_cast<uint32_t>((static_cast<Wide>(key) * settings.destinations) >> 64);
  }
  return to;
}

CodedRows merged_for_deal(const CodedRows& rows, const DealSettings& settings) {
  const RowOrder order(rows, settings.key);
  std::vector<uint32_t> sorted(rows.rows());
  std::iota(sorted.begin(), sorted.end(), 0U);
  std::sort(sorted.begin(), sorted.end(),
            [&](uint32_t a, uint32_t b) { return order.is_before(a, b); });
  std::vector<uint32_t> first;
  std::vector<double> merged, weights;
  for (size_t i = 0; i < sorted.size();) {
    size_t end = i;
    weights.clear();
    for (; end < sorted.size() && order.are_equal(sorted[i], sorted[end]); ++end) {
      weights.push_back(rows.row_weight(sorted[end]));
    }
    first.push_back(sorted[i]);
    merged.push_back(weight_of_equal(weights));
    i = end;
  }
  CodedRows result = rows.at(first);
  result.weight = std::move(merged);
  return result;
}

void DealCounts::add(uint32_t part, const CodedRows& merged, const DealSettings& settings) {
  const size_t width = settings.folds + 1;
  Part& counts = parts[part];
  counts.whole.resize(settings.groups() * width);
  counts.shares.resize(settings.groups() * width);
  for (size_t row = 0; row < merged.rows(); ++row) {
    const double weight = merged.row_weight(row);
    all_whole = all_whole && is_whole(weight);
    const size_t group = group_of(merged, row) * width;
    for (size_t i = 1; i <= wanted_pieces(weight, true, settings); ++i) ++counts.whole[group + i];
    for (size_t i = 1; i <= wanted_pieces(weight, false, settings); ++i) ++counts.shares[group + i];
  }
}

void DealCounts::merge(const DealCounts& other) {
  all_whole = all_whole && other.all_whole;
  for (const auto& [part, counts] : other.parts) {
    if (!parts.emplace(part, counts).second) {
      throw Error(ErrorKind::failure, "a part of the rows was counted twice");
    }
  }
}

void DealCounts::write(ByteWriter& out) const {
  out.value(all_whole);
  out.value(static_cast<uint64_t>(parts.size()));
  for (const auto& [part, counts] : parts) {
    out.value(part);
    out.vector(counts.whole);
    out.vector(counts.shares);
  }
}

DealCounts DealCounts::read(ByteReader& in) {
  DealCounts counts;
  counts.all_whole = in.value<bool>();
  for (auto left = in.value<uint64_t>(); left > 0; --left) {
    const auto part = in.value<uint32_t>();
    counts.parts[part].whole = in.vector<uint64_t>();
    counts.parts[part].shares = in.vector<uint64_t>();
  }
  return counts;
}

Dealing::Dealing(const DealCounts& counts, const DealSettings& settings, uint64_t seed)
    : whole(counts.all_whole) {
  const size_t width = settings.folds + 1;
  const auto at_least = [&](const DealCounts::Part& part) -> const std::vector<uint64_t>& {
    return whole ? part.whole : part.shares;
  };
  std::vector<uint64_t> all(width, 0);
  for (const auto& [number, part] : counts.parts) {
    for (size_t i = 0; i < at_least(part).size(); ++i) all[i % width] += at_least(part)[i];
  }
  most = whole ? most_pieces(all, all[1]) : settings.folds;
  for (size_t group = 0; group < settings.groups(); ++group) {
    for (const auto& [number, part] : counts.parts) {
      before[number].push_back(pieces);
      for (size_t i = 1; i <= most; ++i) pieces += at_least(part)[group * width + i];
    }
  }
  folds = std::min(settings.folds, pieces);
  if (folds < 2)
    throw Error(ErrorKind::data, "1 row is too few for 2 folds", {}, "ask for fewer folds");
  order = fold_order(folds, seed);
}

void Dealing::write(ByteWriter& out) const {
  out.value(whole);
  out.value(most);
  out.value(pieces);
  out.value(folds);
  out.vector(order);
  out.value(static_cast<uint64_t>(before.size()));
  for (const auto& [part, numbers] : before) {
    out.value(part);
    out.vector(numbers);
  }
}

Dealing Dealing::read(ByteReader& in) {
  Dealing dealing;
  dealing.whole = in.value<bool>();
  dealing.most = in.value<uint64_t>();
  dealing.pieces = in.value<uint64_t>();
  dealing.folds = in.value<uint64_t>();
  dealing.order = in.vector<uint32_t>();
  for (auto left = in.value<uint64_t>(); left > 0; --left) {
    const auto part = in.value<uint32_t>();
    dealing.before[part] = in.vector<uint64_t>();
  }
  return dealing;
}

CodedRows dealt_rows(uint32_t part, const CodedRows& merged, const DealSettings& settings,
                     const Dealing& dealing) {
  if (merged.rows() == 0) return merged;
  std::vector<uint64_t> next = dealing.before.at(part);
  std::vector<uint32_t> rows;
  std::vector<double> weights;
  std::vector<uint16_t> folds;
  bool any_weight = false;
  for (uint32_t row = 0; row < merged.rows(); ++row) {
    const double weight = merged.row_weight(row);
    const size_t count =
        std::min<size_t>(wanted_pieces(weight, dealing.whole, settings), dealing.most);
    uint64_t& place = next[group_of(merged, row)];
    for (size_t i = 0; i < count; ++i) {
      rows.push_back(row);
      weights.push_back(piece_weight(weight, count, i, dealing.whole));
      any_weight = any_weight || weights.back() != 1;
      folds.push_back(static_cast<uint16_t>(dealing.order[place++ % dealing.folds]));
    }
  }
  CodedRows dealt = merged.at(rows);
  dealt.hash.clear();
  dealt.weight.clear();
  if (any_weight) dealt.weight = std::move(weights);
  dealt.fold = std::move(folds);
  return dealt;
}

}  // namespace softwood::cluster
