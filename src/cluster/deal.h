// Folds of rows that are spread over many parts, the same as those of one machine: rows are
// exchanged so that each part holds a stretch of the seeded order of their content, equal rows are
// merged, and how many stand before a part says where dealing goes on in it.
#pragma once

#include <map>
#include <vector>

#include "engine/coded.h"

namespace softwood::cluster {

struct DealSettings {
  uint64_t key = 0;  // fold_key(seed)
  uint64_t classes = 0;
  uint64_t folds = 0;
  double weight = 0;  // of all rows
  uint64_t destinations = 0;

  void write(ByteWriter& out) const;
  static DealSettings read(ByteReader& in);
  size_t groups() const { return classes > 0 ? classes : 1; }
};

// The part that each row belongs to.
std::vector<uint32_t> destinations_of(const CodedRows& rows, const DealSettings& settings);
// All rows of a part, group after group (classes), each in its order, equal ones merged.
CodedRows merged_for_deal(const CodedRows& rows, const DealSettings& settings);

// Of merged rows: how many want to be dealt out as 1, 2, … pieces at least, by part and group.
class DealCounts {
 public:
  void add(uint32_t part, const CodedRows& merged, const DealSettings& settings);
  void merge(const DealCounts& other);
  void write(ByteWriter& out) const;
  static DealCounts read(ByteReader& in);

  // at_least[group * (folds + 1) + i], as counts of rows and as shares of the weight.
  struct Part {
    std::vector<uint64_t> whole, shares;
  };
  bool all_whole = true;
  std::map<uint32_t, Part> parts;
};

// How all rows are dealt out.
struct Dealing {
  bool whole = true;
  uint64_t most = 1;                                 // pieces of a row
  uint64_t pieces = 0;                               // of all rows
  uint64_t folds = 0;                                // at most as many as pieces
  std::vector<uint32_t> order;                       // fold_order(folds, seed)
  std::map<uint32_t, std::vector<uint64_t>> before;  // by part and group: pieces dealt before

  Dealing(const DealCounts& counts, const DealSettings& settings, uint64_t seed);
  Dealing() = default;
  void write(ByteWriter& out) const;
  static Dealing read(ByteReader& in);
};

// Pieces with their folds.
CodedRows dealt_rows(uint32_t part, const CodedRows& merged, const DealSettings& settings,
                     const Dealing& dealing);

}  // namespace softwood::cluster
