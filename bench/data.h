// Data for the timed work.
#pragma once

#include <string>

#include "base/parallel.h"
#include "data/table.h"

namespace softwood::bench {

// Columns as raw doubles, one after the other, the target last, as peers.py writes them: so no text
// reader adds to the peak memory. `classes` is 0 when the target is a number.
Table read_table(const std::string& path, size_t rows, size_t classes);

// Uniform inputs. The target is a function of the first four and noise, cut in `classes` parts.
Table generated_table(size_t rows, size_t columns, size_t classes, const Parallel& parallel);

Table iris_table();

}  // namespace softwood::bench
