// Requests to parts of the rows, and their answers, as bytes with a header that says the version.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "cluster/deal.h"
#include "cluster/node_search.h"
#include "cluster/part_summary.h"
#include "cluster/quantile_search.h"
#include "data/schema.h"
#include "engine/merged.h"

namespace softwood::cluster {

enum class Message : uint8_t {
  summary,
  counts,
  findings,
  coding,
  facts,
  deal_counts,
  dealing,
  growth,
  open,
  judge,
  finish,
  parts,
  merged
};

// Requests and answers begin alike.
ByteWriter message_writer(Message message);
// Reads the header and what is in it; a failure Error where it is another message.
ByteReader message_reader(ByteView bytes, Message expected);
Message message_of(ByteView bytes);

template <class T>
Bytes message_bytes(Message message, const T& content) {
  ByteWriter out = message_writer(message);
  content.write(out);
  return out.take();
}
template <class T>
T message_content(ByteView bytes, Message message) {
  ByteReader in = message_reader(bytes, message);
  T content = T::read(in);
  in.end();
  return content;
}

struct SummaryRequest {
  uint64_t pieces = 1;  // that answers are cut into, by columns
  ColumnRoles roles;
  uint64_t max_bins = 0;  // of columns whose ranks are sketched; 0: none is

  void write(ByteWriter& out) const;
  static SummaryRequest read(ByteReader& in);
};

struct CountRequest {
  uint64_t pieces = 1;
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
  uint64_t rows = 0;     // with a target and a weight
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

// What has become of the columns of a piece, or of all.
struct ColumnFindings {
  std::vector<ColumnFinding> columns;

  void append(ColumnFindings more);
  void write(ByteWriter& out) const;
  static ColumnFindings read(ByteReader& in);
};

// Equal rows are to be merged.
struct MergeRequest {
  RowCoding coding;
  uint64_t most = 0;  // rows that are kept

  void write(ByteWriter& out) const;
  static MergeRequest read(ByteReader& in);
};

// Trees as bytes, by node.
struct TreeParts {
  std::vector<std::pair<NodeKey, Bytes>> parts;

  void merge(const TreeParts& other);
  void write(ByteWriter& out) const;
  static TreeParts read(ByteReader& in);
};

// The answers of two groups of parts to one request as that of both.
Bytes merged_answers(ByteView one, ByteView other);

// --- What a part does.

// Raw rows: a summary or counts, batch by batch. The answer is cut into pieces by columns.
class RawPart {
 public:
  explicit RawPart(ByteView request);
  // Names of those that are looked at; none: all.
  std::vector<std::string> columns() const;
  void add(Frame frame);
  std::vector<Bytes> answer();

 private:
  void count_held();

  Message message_;
  uint64_t pieces_ = 1;
  PartSummary summary_;
  CountRequest counting_;
  std::vector<bool> needed_;  // inputs to be counted
  RangeCounter counter_;
  // Rows to be counted together: the counts of all columns do not fit into the cache.
  std::vector<Table> held_;
  size_t held_rows_ = 0;
};

// The same pieces of all parts, which come one after the other, as one.
class PieceMerger {
 public:
  void add(ByteView piece);
  Bytes take() const;  // empty: nothing was added

 private:
  std::variant<std::monostate, PartSummary, RangeCounts, PieceSums> all_;
};

// Where the same pieces of all parts come together: what follows from them, and what is to be kept
// there for the next pass (growing; else nothing).
struct Decision {
  Bytes kept, answer;
};
Decision decided(ByteView request, ByteView kept, std::span<const ByteView> pieces);

// Raw rows become coded ones: (facts, rows), both as bytes.
std::pair<Bytes, Bytes> coded_part(ByteView request, Frame frame);

// Coded rows count for growing, in pieces. They are read where they are.
class GrowingPart {
 public:
  explicit GrowingPart(ByteView request);
  GrowingPart(const GrowingPart&) = delete;
  GrowingPart& operator=(const GrowingPart&) = delete;
  // The bytes must stay as long as the part holds rows.
  void add(ByteView rows);
  bool holds_rows() const { return !held_.empty(); }
  std::vector<Bytes> answer();

 private:
  void count_held();

  GrowthRequest request_;
  ForestSums sums_;
  size_t most_held_;
  std::vector<PartRows> held_;
  size_t held_rows_ = 0;
};
std::vector<Bytes> counted_part(ByteView request, std::span<const ByteView> rows);
// Coded rows answer, where they are; `part` is the number of the part.
Bytes coded_answer(ByteView request, std::span<const ByteView> rows, uint32_t part);
// Rows by the part that they go to.
std::vector<std::pair<uint32_t, Bytes>> exchanged(ByteView request, std::span<const ByteView> rows);
// All rows that were sent to a part, equal ones merged.
Bytes gathered_part(ByteView request, std::span<const ByteView> rows);
Bytes dealt_part(ByteView request, ByteView rows, uint32_t part);
// Rows by the node of a tree that they belong to (none: there is no such tree), and the tree of one
// node's rows.
std::optional<std::vector<std::pair<NodeKey, Bytes>>> rows_by_node(ByteView request,
                                                                   std::span<const ByteView> rows,
                                                                   size_t tree);
Bytes finished_node(const FinishRequest& request, NodeKey node, std::span<const ByteView> rows);

}  // namespace softwood::cluster
