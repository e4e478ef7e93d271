#include "data/canonical.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "data/content.h"
#include "data/sorted.h"

namespace softwood {
namespace {

// Rows may become so many times more than there are different ones, or so many in all.
constexpr size_t most_times = 4, always_allowed = 100'000;

// Different rows: the first of each group of equal ones, and the weight of all of the group.
struct MergedRows {
  std::vector<RowIndex> rows;
  std::vector<double> weights;
  bool whole = true;  // all weights are whole numbers
};

MergedRows merged(const Table& table, std::span<const RowIndex> rows, const Parallel& parallel,
                  const Control& control) {
  std::vector<RowIndex> weighing;
  if (table.weighted()) {
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(weighing),
                 [&](RowIndex row) { return table.weight(row) > 0; });
    if (!weighing.empty()) rows = weighing;
  }
  MergedRows result;
  std::vector<double> weights;
  const auto close = [&] {
    if (weights.empty()) return;
    result.weights.push_back(weight_of_equal(weights));
    constexpr double most_whole = 9007199254740992.0;  // 2^53
    const double weight = result.weights.back();
    result.whole = result.whole && weight == std::floor(weight) && weight <= most_whole;
    weights.clear();
  };
  RowsUntilAsk until_ask;
  for (const uint32_t entry : content_order(table, rows, parallel, control)) {
    until_ask.add(1, control);
    const RowIndex row = rows[entry & ~new_value_mark];
    if ((entry & new_value_mark) != 0) {
      close();
      result.rows.push_back(row);
    }
    weights.push_back(table.weight(row));
  }
  close();
  return result;
}

// The most rows that one is dealt out as, where weights count rows.
size_t most_pieces(const std::vector<double>& weights, size_t parts) {
  std::vector<uint64_t> at_least(parts + 2, 0);  // rows that weigh so much
  for (const double weight : weights) {
    ++at_least[weight >= static_cast<double>(parts) ? parts : static_cast<size_t>(weight)];
  }
  for (size_t i = parts; i > 0; --i) at_least[i] += at_least[i + 1];
  at_least.pop_back();
  return softwood::most_pieces(at_least, weights.size());
}

struct Piece {
  RowIndex row;
  double weight;
};

void deal_out(RowIndex row, double weight, size_t count, bool whole, std::vector<Piece>& pieces) {
  for (size_t i = 0; i < count; ++i) pieces.push_back({row, piece_weight(weight, count, i, whole)});
}

std::vector<Piece> dealt_out(const MergedRows& merged, size_t parts) {
  std::vector<Piece> pieces;
  pieces.reserve(merged.rows.size());
  const size_t most = merged.whole ? most_pieces(merged.weights, parts) : parts;
  double total = 0;
  for (const double weight : merged.weights) total += weight;
  for (size_t i = 0; i < merged.rows.size(); ++i) {
    const double weight = merged.weights[i];
    const double wanted =
        merged.whole ? weight : std::ceil(weight / total * static_cast<double>(parts));
    const auto count = wanted >= static_cast<double>(most) ? most : static_cast<size_t>(wanted);
    deal_out(merged.rows[i], weight, std::max<size_t>(count, 1), merged.whole, pieces);
  }
  return pieces;
}

Column gathered(const Column& column, const std::vector<Piece>& pieces) {
  ColumnDraft draft(column.kind);
  if (column.kind == Kind::numeric) {
    draft.numbers.resize(pieces.size());
    for (size_t i = 0; i < pieces.size(); ++i) draft.numbers[i] = column.numbers[pieces[i].row];
  } else {
    draft.codes.resize(pieces.size());
    for (size_t i = 0; i < pieces.size(); ++i) draft.codes[i] = column.codes[pieces[i].row];
  }
  return Column(std::move(draft));
}

}  // namespace

double weight_of_equal(std::vector<double>& weights) {
  std::sort(weights.begin(), weights.end());
  double sum = 0;
  for (const double weight : weights) sum += weight;
  return sum;
}

size_t most_pieces(const std::vector<uint64_t>& at_least, uint64_t rows) {
  const uint64_t allowed = std::max<uint64_t>(most_times * rows, always_allowed);
  size_t most = 1;
  uint64_t pieces = at_least[1];
  while (most + 1 < at_least.size() && pieces + at_least[most + 1] <= allowed) {
    pieces += at_least[++most];
  }
  return most;
}

double piece_weight(double weight, size_t count, size_t piece, bool whole) {
  const auto number = static_cast<double>(count);
  if (!whole) return weight / number;
  const double each = std::floor(weight / number);
  return piece < static_cast<size_t>(weight - each * number) ? each + 1 : each;
}

Table canonical_table(const Table& table, std::span<const RowIndex> rows, size_t parts,
                      const Parallel& parallel, const Control& control) {
  const std::vector<Piece> pieces =
      dealt_out(merged(table, rows, parallel, control), std::max<size_t>(parts, 1));
  std::vector<Column> columns(table.features() + 1);
  parallel.each(columns.size(), [&](size_t c) {
    control.throw_if_interrupted();
    const bool target = c == table.features();
    if (!target || table.has_target()) {
      columns[c] = gathered(target ? table.target() : table.input(c), pieces);
    }
  });
  Column target = std::move(columns.back());
  columns.pop_back();
  std::vector<double> weights;
  if (std::any_of(pieces.begin(), pieces.end(), [](const Piece& p) { return p.weight != 1; })) {
    for (const Piece& piece : pieces) weights.push_back(piece.weight);
  }
  Table result(table.schema(), pieces.size(), std::move(columns), std::move(target),
               std::move(weights));
  result.set_canonical();
  return result;
}

bool divides_as_canonical(const Table& table, std::span<const RowIndex> rows, size_t parts,
                          const Parallel& parallel, const Control& control) {
  const MergedRows different = merged(table, rows, parallel, control);
  const auto most = static_cast<double>(most_pieces(different.weights, parts));
  return std::all_of(different.weights.begin(), different.weights.end(),
                     [&](double weight) { return weight <= most; });
}

}  // namespace softwood
