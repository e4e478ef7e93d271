// How many of each eight entries are of the second class of two.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stats/entries.h"

namespace softwood::stats {

constexpr size_t counted_together = 8;

// counts[i] is of entries 8 i … 8 i + 7; those after the last whole eight are not counted. The
// entries have their class.
void count_second_class(std::span<const uint32_t> entries, const EntryFormat& format,
                        std::vector<uint8_t>& counts);

}  // namespace softwood::stats
