#include "engine/worker.h"

#include <algorithm>
#include <utility>

namespace softwood {
namespace {

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

}  // namespace

Bytes answer(BinnedShard& shard, const Bytes& request, const Control& control) {
  return answer_request<Histograms, Deviations>(shard, request, control);
}

Worker::Worker(const Table& rows, RowCoding coding)
    : coding_(checked(rows, std::move(coding))),
      rows_(rows, all_rows(rows), coding_.bins, Parallel(1)),
      target_(fixed_targets(code_rows(rows, all_rows(rows), coding_, WithHashes::no, Parallel(1)),
                            coding_)),
      shard_(rows_, coding_.bins, target_, 0, static_cast<uint32_t>(rows.rows())) {}

}  // namespace softwood
