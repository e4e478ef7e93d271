#include "gradient/synthetic_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"

namespace softwood::gradient {

namespace {

// The partner of a row is the nearest of so many others. Chosen by time.
constexpr size_t tried_partners = 30;
// A row takes as long as that many distances.
constexpr size_t rows_per_ask = rows_between_asks / tried_partners;
// Decides what is drawn: another text gives other rows.
constexpr const char* stream = "invented rows";

struct SourceRow {
  const Table* table;
  RowIndex row;
};

// A number between two, at this share of the way; one of them where the other is missing.
double between(double from, double to, double share) {
  if (std::isnan(from) || std::isnan(to)) return share < 0.5 ? from : to;
  return from + share * (to - from);
}

size_t partner_of(size_t row, const Rows<float>& cells, Random& random) {
  size_t nearest = row;
  float least = std::numeric_limits<float>::infinity();
  for (size_t k = 0; k < tried_partners; ++k) {
    const size_t other = random.below(cells.count);
    float distance = 0;
    for (size_t t = 0; t < cells.stride; ++t) {
      const float gap = cells.cells[row * cells.stride + t] - cells.cells[other * cells.stride + t];
      distance += gap * gap;
    }
    if (other == row || !(distance < least)) continue;
    least = distance;
    nearest = other;
  }
  return nearest;
}

// By feature, whether the cells of two rows are not mixed but one of them is taken.
std::vector<char> taken_whole(const Table& table, std::span<const SourceRow> places,
                              bool whole_as_levels) {
  std::vector<char> list(table.features(), 1);
  for (size_t f = 0; f < list.size(); ++f) {
    if (table.input(f).kind != Kind::numeric) continue;
    list[f] = whole_as_levels && std::all_of(places.begin(), places.end(), [&](const auto& place) {
                const double value = place.table->input(f).numbers[place.row];
                return std::isnan(value) || value == std::floor(value);
              });
  }
  return list;
}

}  // namespace

Table synthetic_rows(std::span<const Sample> samples, const Rows<float>& cells, size_t count,
                     uint64_t seed, std::vector<RowPair>* made_of, bool whole_as_levels,
                     const Control& control) {
  const Table& table = *samples[0].table;
  std::vector<SourceRow> places;
  for (const Sample& sample : samples) {
    for (const RowIndex row : sample.rows) places.push_back({sample.table, row});
  }
  const std::vector<char> taken = taken_whole(table, places, whole_as_levels);
  std::vector<ColumnDraft> inputs(table.features());
  for (size_t f = 0; f < inputs.size(); ++f) inputs[f].kind = table.input(f).kind;
  ColumnDraft target(table.target().kind);
  std::vector<double> weights;
  for (size_t i = 0; i < count; ++i) {
    if (i % rows_per_ask == 0) control.throw_if_interrupted();
    Random random(seed, stream, i);
    const size_t first = random.below(places.size());
    const size_t second = partner_of(first, cells, random);
    const SourceRow &a = places[first], &b = places[second];
    if (made_of != nullptr) made_of->emplace_back(first, second);
    const double share = random.uniform();
    for (size_t f = 0; f < inputs.size(); ++f) {
      const Column &from = a.table->input(f), &to = b.table->input(f);
      if (from.kind == Kind::numeric) {
        const double first_cell = from.numbers[a.row], second_cell = to.numbers[b.row];
        inputs[f].numbers.push_back(taken[f] == 0 ? between(first_cell, second_cell, share)
                                    : random.uniform() < share ? second_cell
                                                               : first_cell);
      } else {
        inputs[f].codes.push_back(random.uniform() < share ? to.codes[b.row] : from.codes[a.row]);
      }
    }
    const Column& known = a.table->target();
    if (known.kind == Kind::numeric) {
      target.numbers.push_back(known.numbers[a.row]);
    } else {
      target.codes.push_back(known.codes[a.row]);
    }
    weights.push_back(a.table->weight(a.row));
  }
  return {table.schema(), count, finished(std::move(inputs)), std::move(target),
          std::move(weights)};
}

}  // namespace softwood::gradient
