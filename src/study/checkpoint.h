// The file in which a long stage keeps its state.
#pragma once

#include <span>
#include <string>

#include "study/train.h"

namespace softwood {

// What an earlier run of the same training left in the file, and how to leave it there. Data Error
// when the file is damaged or of another training. `control` is told when saving fails later, and
// must outlive the checkpoint.
Checkpoint open_checkpoint(const std::string& path, const TrainRequest& request, const Table& table,
                           const Control& control);

// The same for a cross-validation, which keeps the figures of finished runs: of whichever
// candidates, so that others can be compared with them later.
Checkpoint open_checkpoint(const std::string& path, std::span<const Run> runs, uint64_t seed,
                           const ClassCosts& class_costs, const Table& table,
                           const Control& control);

}  // namespace softwood
