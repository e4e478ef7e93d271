// What the options of grow say about a finished tree.
#include "data/feature_options.h"
#include "softwood/lowered.h"
#include "stages/grow/grow.h"
#include "stages/grow/split.h"

namespace softwood::grow {

void describe(const Options& options, const Schema& schema, LoweredTree& tree) {
  const Criterion& criterion = criterion_of(options, schema.task());
  tree.origin.gain_name = criterion.gain;
  tree.origin.gain_unit = criterion.unit;
  tree.origin.by_gain_ratio = criterion.traits.by_ratio;
  const std::vector<int8_t> directions = monotone_directions(options, schema);
  for (size_t f = 0; f < directions.size(); ++f) tree.inputs[f].monotone = directions[f];
}

}  // namespace softwood::grow
