#include "cluster/merged_codes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/random.h"
#include "softwood/error.h"
#include "tree/gate.h"

namespace softwood::cluster {
namespace {

std::vector<uint64_t> hashes_of(const CodedRows& rows) {
  std::vector<uint64_t> hashes(rows.rows());
  for (size_t row = 0; row < hashes.size(); ++row) {
    hashes[row] = mix64(rows.klass[row]);
    for (size_t f = 0; f < rows.codes.features(); ++f) {
      hashes[row] = mix64(hashes[row] ^ rows.codes.code(row, f));
    }
  }
  return hashes;
}

// Negative, 0 or positive.
int compared(const CodedRows& rows, uint32_t a, uint32_t b) {
  if (rows.klass[a] != rows.klass[b]) return rows.klass[a] < rows.klass[b] ? -1 : 1;
  for (size_t f = 0; f < rows.codes.features(); ++f) {
    const uint32_t x = rows.codes.code(a, f), y = rows.codes.code(b, f);
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

}  // namespace

void MergedCodes::add(const CodedRows& rows) {
  if (rows.rows() == 0) return;
  if (rows.klass.empty()) throw Error(ErrorKind::failure, "rows without a class can't be merged");
  const std::array<Bytes, 2> both = {rows_.to_bytes(), rows.to_bytes()};
  const CodedRows joined = CodedRows::from_bytes(both);
  const std::vector<uint64_t> hashes = hashes_of(joined);
  std::vector<uint32_t> sorted(joined.rows());
  std::iota(sorted.begin(), sorted.end(), 0U);
  std::sort(sorted.begin(), sorted.end(), [&](uint32_t a, uint32_t b) {
    return hashes[a] != hashes[b] ? hashes[a] < hashes[b] : compared(joined, a, b) < 0;
  });
  std::vector<uint32_t> first;
  std::vector<double> weights;
  for (const uint32_t row : sorted) {
    const bool known = !first.empty() && hashes[first.back()] == hashes[row] &&
                       compared(joined, first.back(), row) == 0;
    if (known) {
      weights.back() += joined.row_weight(row);
      continue;
    }
    if (first.size() == most_) {
      all_ = false;
      break;
    }
    first.push_back(row);
    weights.push_back(joined.row_weight(row));
  }
  rows_ = joined.at(first);
  rows_.weight = std::move(weights);
  rows_.hash.clear();
  rows_.fold.clear();
}

void MergedCodes::merge(const MergedCodes& other) {
  if (most_ != other.most_) throw Error(ErrorKind::failure, "answers to different requests");
  all_ = all_ && other.all_;
  add(other.rows_);
}

void MergedCodes::write(ByteWriter& out) const {
  out.value(most_);
  out.value(all_);
  out.vector(rows_.to_bytes());
}

MergedCodes MergedCodes::read(ByteReader& in) {
  MergedCodes codes(in.value<uint64_t>());
  codes.all_ = in.value<bool>();
  const std::array<Bytes, 1> rows = {in.vector<std::byte>()};
  codes.rows_ = CodedRows::from_bytes(rows);
  return codes;
}

Table table_of_codes(const Schema& schema, const std::vector<FeatureBins>& bins,
                     const CodedRows& rows) {
  std::vector<ColumnDraft> inputs;
  for (size_t f = 0; f < bins.size(); ++f) {
    ColumnDraft& column = inputs.emplace_back(schema.features[f].kind);
    for (size_t row = 0; row < rows.rows(); ++row) {
      const uint32_t code = rows.codes.code(row, f);
      const bool known = code < bins[f].bins;
      if (column.kind == Kind::numeric) {
        column.numbers.push_back(known ? static_cast<double>(code) : missing_number);
      } else {
        column.codes.push_back(known ? static_cast<int32_t>(code) : missing_code);
      }
    }
  }
  ColumnDraft target(schema.target.kind);
  target.codes.assign(rows.klass.begin(), rows.klass.end());
  return {schema, rows.rows(), finished(std::move(inputs)), std::move(target), rows.weight};
}

void set_cuts_of_bins(Tree& tree, const std::vector<FeatureBins>& bins) {
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) continue;
    const std::optional<Threshold> threshold = as_threshold(tree.node(i).gate());
    if (!threshold) continue;
    // Codes up to the cut are whole numbers, so that it tells the last of them.
    const auto last = static_cast<size_t>(std::floor(threshold->cut));
    const double cut = bins.at(threshold->feature).cuts.at(last);
    tree.node(i).gate() = with_cut(tree.node(i).gate(), cut);
  }
}

}  // namespace softwood::cluster
