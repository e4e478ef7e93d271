// Requests to parts of the rows, and their answers, as bytes with a header that says the version.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "cluster/deal.h"
#include "cluster/forest.h"
#include "cluster/merged_codes.h"
#include "cluster/part_summary.h"
#include "cluster/quantile_search.h"
#include "data/schema.h"

namespace softwood::cluster {

enum class Message : uint8_t {
  summary,
  counts,
  coding,
  facts,
  deal_counts,
  dealing,
  forest,
  judge,
  finish,
  parts,
  merged_codes
};

// Requests and answers begin alike.
ByteWriter message_writer(Message message);
// Reads the header and what is in it; a failure Error where it is another message.
ByteReader message_reader(const Bytes& bytes, Message expected);
Message message_of(const Bytes& bytes);

template <class T>
Bytes message_bytes(Message message, const T& content) {
  ByteWriter out = message_writer(message);
  content.write(out);
  return out.take();
}
template <class T>
T message_content(const Bytes& bytes, Message message) {
  ByteReader in = message_reader(bytes, message);
  T content = T::read(in);
  in.end();
  return content;
}

struct CountRequest {
  Schema schema;
  CountQuestion question;

  void write(ByteWriter& out) const;
  static CountRequest read(ByteReader& in);
};

struct CodingRequest {
  Schema schema;
  RowCoding coding;  // without units
  bool hashes = false;

  void write(ByteWriter& out) const;
  static CodingRequest read(ByteReader& in);
};

// What coding finds out about rows besides their codes.
struct CodingFacts {
  uint64_t content = 0;  // content_sum
  ExactSum weight;
  bool whole_weights = true;
  uint64_t unknown = 0;  // rows of a class that is not known
  AmountSummary amounts;

  void merge(const CodingFacts& other);
  void write(ByteWriter& out) const;
  static CodingFacts read(ByteReader& in);
};

struct DealRequest {
  DealSettings settings;
  Dealing dealing;

  void write(ByteWriter& out) const;
  static DealRequest read(ByteReader& in);
};

struct FinishRequest {
  ForestQuestion forest;
  FinishQuestion finish;

  void write(ByteWriter& out) const;
  static FinishRequest read(ByteReader& in);
};

// Sums of whole numbers.
struct WholeSums {
  std::vector<int64_t> sums;

  void merge(const WholeSums& other);
  // In as few bytes per number as all of them need.
  void write(ByteWriter& out) const;
  static WholeSums read(ByteReader& in);
};

// Equal rows are to be merged.
struct MergeRequest {
  uint64_t most = 0;  // rows that are kept

  void write(ByteWriter& out) const { out.value(most); }
  static MergeRequest read(ByteReader& in) { return {in.value<uint64_t>()}; }
};

// Trees as bytes, by node.
struct TreeParts {
  std::vector<std::pair<NodeKey, Bytes>> parts;

  void merge(const TreeParts& other);
  void write(ByteWriter& out) const;
  static TreeParts read(ByteReader& in);
};

// The answers of two groups of parts to one request as that of both.
Bytes merged_answers(const Bytes& one, const Bytes& other);

// --- What a part does.

// Raw rows: a summary or counts, batch by batch.
class RawPart {
 public:
  explicit RawPart(const Bytes& request);
  void add(Frame frame);
  Bytes answer() const;

 private:
  Message message_;
  PartSummary summary_;
  CountRequest counting_;
  RangeCounts counts_;
};

// Raw rows become coded ones: (facts, rows), both as bytes.
std::pair<Bytes, Bytes> coded_part(const Bytes& request, Frame frame);

// Coded rows answer; `part` is the number of the part.
Bytes coded_answer(const Bytes& request, std::span<const Bytes> rows, uint32_t part);
// Rows by the part that they go to.
std::vector<std::pair<uint32_t, Bytes>> exchanged(const Bytes& request, const Bytes& rows);
// All rows that have come to a part.
Bytes merged_part(const Bytes& request, std::span<const Bytes> rows);
Bytes dealt_part(const Bytes& request, const Bytes& rows, uint32_t part);
// Rows by the node that they belong to, and the tree of one node's rows.
std::vector<std::pair<NodeKey, Bytes>> rows_by_node(const Bytes& request,
                                                    std::span<const Bytes> rows);
Bytes finished_node(const FinishRequest& request, NodeKey node, std::span<const Bytes> rows);

}  // namespace softwood::cluster
