#include "data/bins.h"

#include <algorithm>
#include <cmath>

#include "data/coder.h"
#include "data/quantiles.h"

namespace softwood {
namespace {

template <class Code>
void fill_codes(std::vector<Code>& codes, const Table& table, std::span<const RowIndex> rows,
                const std::vector<FeatureBins>& bins, const Parallel& parallel,
                const Control& control) {
  const size_t features = bins.size();
  codes.resize(rows.size() * features);
  std::vector<Coder> coders;
  coders.reserve(features);
  for (const FeatureBins& feature : bins) coders.emplace_back(feature.cuts);
  const Blocks blocks{rows.size(), 4096};
  parallel.each(blocks.blocks(), [&](size_t block) {
    control.throw_if_interrupted();
    for (size_t feature = 0; feature < features; ++feature) {
      const Column& column = table.input(feature);
      const auto fill = [&](const auto& code_of) {
        for (size_t i = blocks.begin(block); i < blocks.end(block); ++i) {
          codes[i * features + feature] = static_cast<Code>(code_of(rows[i]));
        }
      };
      const auto code_of = [&coder = coders[feature], missing = bins[feature].bins](double value) {
        return std::isnan(value) ? missing : coder.code(value);
      };
      if (column.kind == Kind::numeric) {
        fill([&, numbers = column.numbers.data()](RowIndex row) { return code_of(numbers[row]); });
      } else if (column.kind == Kind::nominal) {
        fill([&](RowIndex row) {
          const int32_t code = column.codes[row];
          return code < 0 ? bins[feature].bins : static_cast<uint32_t>(code);
        });
      } else {
        fill([&](RowIndex row) { return code_of(column.value(row)); });
      }
    }
  });
}

}  // namespace

std::vector<FeatureBins> make_bins(const Table& table, std::span<const RowIndex> rows,
                                   size_t max_bins, const Parallel& parallel,
                                   const Control& control) {
  std::vector<FeatureBins> bins(table.features());
  const Cells<double> weights = quantile_weights(table, rows);
  parallel.each(bins.size(), [&](size_t feature) {
    control.throw_if_interrupted();
    const Column& column = table.input(feature);
    if (column.kind == Kind::nominal) {
      bins[feature].bins = static_cast<uint32_t>(table.schema().features[feature].levels.size());
    } else {
      bins[feature] = bins_by_quantiles(column, weights, rows, max_bins);
    }
  });
  return bins;
}

BinnedRows::BinnedRows(const Table& table, std::span<const RowIndex> rows,
                       const std::vector<FeatureBins>& bins, const Parallel& parallel,
                       const Control& control)
    : rows_(rows.size()), features_(bins.size()) {
  uint32_t most = 0;
  for (const FeatureBins& feature : bins) most = std::max(most, feature.bins);
  std::vector<uint8_t> narrow;
  std::vector<uint32_t> wide;
  if (most <= 255) {
    fill_codes(narrow, table, rows, bins, parallel, control);
  } else {
    fill_codes(wide, table, rows, bins, parallel, control);
  }
  own(std::move(narrow), std::move(wide));
}

BinnedRows::BinnedRows(size_t features, std::vector<uint8_t> narrow, std::vector<uint32_t> wide)
    : rows_(features == 0 ? 0 : (wide.empty() ? narrow.size() : wide.size()) / features),
      features_(features) {
  own(std::move(narrow), std::move(wide));
}

BinnedRows::BinnedRows(size_t features, std::span<const uint8_t> codes)
    : rows_(features == 0 ? 0 : codes.size() / features), features_(features), narrow_(codes) {}

void BinnedRows::own(std::vector<uint8_t> narrow, std::vector<uint32_t> wide) {
  own_narrow_ = std::make_shared<const std::vector<uint8_t>>(std::move(narrow));
  own_wide_ = std::make_shared<const std::vector<uint32_t>>(std::move(wide));
  narrow_ = *own_narrow_;
  wide_ = *own_wide_;
}

}  // namespace softwood
