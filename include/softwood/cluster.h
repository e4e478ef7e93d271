// Training on rows that are spread over many processes. Every process calls the functions of a part
// with its own rows; one of them holds a ClusterTraining, which says what the parts are to do next
// and takes the merged answers. Requests, answers and coded rows are bytes with a version; how they
// travel, and what happens when a process is lost, is the caller's business: the same request to
// the same rows gives the same answer.
//
// The model is that of `train` on all rows together, to the last byte, however they are divided.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "softwood/data.h"
#include "softwood/model.h"
#include "softwood/train.h"

namespace softwood {

using PartBytes = std::string;
using PartView = std::string_view;  // bytes of the caller; coded rows are read where they are

struct ClusterSettings {
  size_t parts = 1;       // that rows are exchanged between
  size_t small_rows = 0;  // nodes of so few rows are finished in one place; 0: by their number
  size_t most_merged = 200000;  // different rows that a tree is evolved from
  bool validation = false;      // there are validation rows
};

class ClusterTraining {
 public:
  // Of `settings` method, recipe, settings, seed and costs count; of `data` target, weights, task,
  // nominal, ignore and positive. A recipe that begins with growing is taken with search=binned
  // where it says nothing of that, and all else of it can be done by bins.
  ClusterTraining(const TrainSettings& settings, const DataSettings& data,
                  const ClusterSettings& cluster);

  // What is to be done: raw, code, facts, grow, coded, exchange, deal, finish, validation_facts,
  // validation (src/cluster/training.h); none: the model is there.
  struct Pass {
    std::string kind;
    PartBytes request;
  };
  std::optional<Pass> next();
  // Of raw and grow what was decided of each piece, in their order; else the answers, merged or
  // not; nothing for passes that have none (code, exchange, deal).
  // Evolving a tree takes long: `controls` can stop it, which is an Error.
  void take(const std::vector<PartView>& answers, const Controls& controls = {});
  // Into how many pieces the answers to raw and grow are cut.
  size_t pieces() const;
  TrainResult result();
  size_t growing_passes() const;

 private:
  struct Held;
  std::shared_ptr<Held> held_;
};

// Whether a recipe can be trained on rows in parts. An Error where it has search=binned, and an
// option that does not work with that on rows in parts.
bool is_for_parts(const TrainSettings& settings);

// --- What parts do.

// Raw rows answer, batch by batch; in pieces.
class RawRows {
 public:
  explicit RawRows(PartView request);
  // Names of the columns that are looked at; none: all of them.
  std::vector<std::string> columns() const;
  void add(const DataColumns& columns);
  std::vector<PartBytes> answer();

 private:
  struct Held;
  std::shared_ptr<Held> held_;
};

// A number below 2^63 for each row, by the content of its cells alone: rows are drawn by it
// wherever they are. The column of weights does not count.
std::vector<uint64_t> content_keys(const DataColumns& columns, const std::string& weights = {});

PartBytes merged_answers(PartView one, PartView other);
// Raw rows become (facts, coded rows).
std::pair<PartBytes, PartBytes> coded_rows(PartView request, const DataColumns& columns);
// Coded rows count for growing, in pieces.
std::vector<PartBytes> counted_rows(PartView request, const std::vector<PartView>& rows);
// The same of rows that come one after the other.
class GrowingRows {
 public:
  explicit GrowingRows(PartView request);
  // The bytes must stay until no rows are held.
  void add(PartView rows);
  bool holds_rows() const;
  std::vector<PartBytes> answer();

 private:
  struct Held;
  std::shared_ptr<Held> held_;
};
// The same pieces of all parts, one after the other, become one.
class PieceMerger {
 public:
  PieceMerger();
  void add(PartView piece);
  PartBytes take() const;  // empty: nothing was added

 private:
  struct Held;
  std::shared_ptr<Held> held_;
};
// Where the same pieces of all parts have come together: (what is kept for the next growing pass,
// the answer).
std::pair<PartBytes, PartBytes> decided(PartView request, PartView kept,
                                        const std::vector<PartView>& pieces);
PartBytes coded_answer(PartView request, const std::vector<PartView>& rows, uint32_t part);
std::vector<std::pair<uint32_t, PartBytes>> exchanged_rows(PartView request,
                                                           const std::vector<PartView>& rows);
PartBytes gathered_rows(PartView request, const std::vector<PartView>& rows);
PartBytes dealt_rows(PartView request, PartView rows, uint32_t part);
// Of one of the trees that grow together; none: there are not so many.
std::optional<std::vector<std::pair<uint64_t, PartBytes>>> rows_by_node(
    PartView request, const std::vector<PartView>& rows, size_t tree);
// Grows what is below nodes from all their rows.
class NodeFinisher {
 public:
  explicit NodeFinisher(PartView request);
  PartBytes finish(uint64_t node, const std::vector<PartView>& rows) const;

 private:
  struct Held;
  std::shared_ptr<const Held> held_;
};

}  // namespace softwood
