// The entry of a worker of binned growth: it holds some of the training rows, coded, and answers
// requests in bytes. Rows never leave it.
#pragma once

#include "engine/coded.h"
#include "engine/engine.h"
#include "stats/histogram.h"

namespace softwood {

// Divides nodes and counts as the request says, for shards here and on other machines.
Bytes answer(BinnedShard& shard, const Bytes& request, const Control& control = {});

class Worker {
 public:
  // Some rows of the training table, with their targets and weights.
  Worker(const Table& rows, RowCoding coding);
  Worker(const Worker&) = delete;  // the shard refers to the rows
  Worker& operator=(const Worker&) = delete;

  // A worker that was not asked before may be told all splits so far at once.
  Bytes answer(const Bytes& request, const Control& control = {}) {
    return softwood::answer(shard_, request, control);
  }

 private:
  const RowCoding coding_;
  const BinnedRows rows_;
  const FixedPoint target_;
  BinnedShard shard_;
};

}  // namespace softwood
