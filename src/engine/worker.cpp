#include "engine/worker.h"

#include <algorithm>
#include <utility>

namespace softwood {
namespace {

constexpr ByteForm coding_form{{'S', 'W', 'R', 'C'}, 1, "a coding of rows"};

bool fits(const FeatureBins& bins, const Feature& feature) {
  if (feature.kind == Kind::nominal) return bins.bins == feature.levels.size();
  return bins.cuts.size() + 1 == std::max<size_t>(bins.bins, 1) &&
         std::is_sorted(bins.cuts.begin(), bins.cuts.end());
}

// A coding that comes as bytes may be that of another table; codes beyond its bins would be counted
// outside of the histograms.
RowCoding checked(const Table& rows, RowCoding coding) {
  const Schema& schema = rows.schema();
  const auto known = [&](RowIndex row) { return !rows.target().is_missing(row); };
  const std::vector<RowIndex> all = all_rows(rows);
  if (coding.bins.size() != rows.features() || coding.classes != schema.classes() ||
      !std::equal(coding.bins.begin(), coding.bins.end(), schema.features.begin(), fits)) {
    throw Error(ErrorKind::failure, "a coding of rows that is of another table");
  }
  if (!all.empty() && (!rows.has_target() || !std::all_of(all.begin(), all.end(), known))) {
    throw Error(ErrorKind::data, "rows of a worker have no target, or one of an unknown class");
  }
  return coding;
}

FixedPoint fixed_targets(const Table& rows, const RowCoding& coding) {
  FixedPoint fixed;
  fixed.classes = coding.classes;
  fixed.weight_unit = coding.weight_unit;
  fixed.amount_unit = coding.amount_unit;
  if (rows.weighted()) {
    std::vector<double> weights(rows.rows());
    for (size_t row = 0; row < weights.size(); ++row) weights[row] = rows.weight(row);
    to_fixed_point(weights, coding.weight_unit, fixed.weight);
  }
  if (coding.classes > 0) {
    fixed.klass.assign(rows.target().codes.begin(), rows.target().codes.end());
    return fixed;
  }
  std::vector<double> values(rows.rows());
  for (size_t row = 0; row < values.size(); ++row) {
    values[row] = rows.target().numbers[row] - coding.centre;
  }
  set_amounts(fixed, values, rows.weights());
  return fixed;
}

}  // namespace

Bytes answer(BinnedShard& shard, const Bytes& request, const Control& control) {
  return answer_request<Histograms, Deviations>(shard, request, control);
}

void RowCoding::set_units(const TableSummary& all, const AmountSummary& amounts) {
  weight_unit = fixed_point_unit(all.weight.value(), all.whole_weights);
  if (classes == 0) amount_unit = fixed_point_unit(amounts.size.value(), amounts.whole);
}

Bytes RowCoding::to_bytes() const {
  ByteWriter out;
  out.form(coding_form);
  out.value(static_cast<uint64_t>(bins.size()));
  for (const FeatureBins& feature : bins) {
    out.value(feature.bins);
    out.vector(feature.cuts);
  }
  out.value(classes);
  out.value(centre);
  out.value(weight_unit);
  out.value(amount_unit);
  return out.take();
}

RowCoding RowCoding::from_bytes(const Bytes& bytes) {
  ByteReader in(bytes);
  in.form(coding_form);
  RowCoding coding;
  for (auto count = in.value<uint64_t>(); count > 0; --count) {
    const auto bins = in.value<uint32_t>();
    coding.bins.push_back({bins, in.vector<double>()});
  }
  coding.classes = in.value<uint64_t>();
  coding.centre = in.value<double>();
  coding.weight_unit = in.value<double>();
  coding.amount_unit = in.value<double>();
  in.end();
  return coding;
}

Worker::Worker(const Table& rows, RowCoding coding)
    : coding_(checked(rows, std::move(coding))),
      rows_(rows, all_rows(rows), coding_.bins, Parallel(1)),
      target_(fixed_targets(rows, coding_)),
      shard_(rows_, coding_.bins, target_, 0, static_cast<uint32_t>(rows.rows())) {}

}  // namespace softwood
