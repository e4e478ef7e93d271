// The file in which a long stage keeps its state.
#pragma once

#include <string>

#include "study/train.h"

namespace softwood {

// What an earlier run of the same training left in the file, and how to leave it there. Data Error
// when the file is damaged or of another training. `control` is told when saving fails later, and
// must outlive the checkpoint.
Checkpoint open_checkpoint(const std::string& path, const TrainRequest& request, const Table& table,
                           const Control& control);

}  // namespace softwood
