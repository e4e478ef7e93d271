// What parts of the coded rows answer about the trees that grow in the same passes.
#pragma once

#include <utility>
#include <vector>

#include "engine/coded.h"
#include "fit/unseen_sums.h"
#include "stages/grow/binned_growth.h"

namespace softwood::cluster {

constexpr uint32_t no_fold = 0xFFFFFFFFU;

// Rows of a part, ready for being counted.
struct PartRows {
  CodedRows rows;
  FixedPoint target;

  // Codes that are not the coding's are a failure Error.
  PartRows(CodedRows coded, const RowCoding& coding);
  // Those that a tree is grown from, or those of the fold that is held out from it.
  std::vector<uint32_t> slots(uint32_t held_out, bool inside) const;
};

// One tree so far, and the nodes whose rows are to be counted, or to be sent away.
struct TreeQuestion {
  uint32_t held_out = no_fold;  // the fold whose rows are left out
  HistogramQuery splits;        // all, with the nodes

  void write(ByteWriter& out) const;
  static TreeQuestion read(ByteReader& in);
};
struct ForestQuestion {
  RowCoding coding;
  std::vector<TreeQuestion> trees;

  void write(ByteWriter& out) const;
  static ForestQuestion read(ByteReader& in);
};

// Histograms of the nodes of all trees.
class ForestSums {
 public:
  explicit ForestSums(const ForestQuestion& question);

  void add(const PartRows& part);
  // Tree after tree.
  std::vector<int64_t> take();

 private:
  const ForestQuestion& question_;
  std::vector<Histograms> trees_;
};

// The rows of each node: (tree and node as one number, rows).
using NodeKey = uint64_t;
inline NodeKey node_key(size_t tree, NodeIndex node) {
  return static_cast<uint64_t>(tree) << 32 | node;
}
std::vector<std::pair<NodeKey, CodedRows>> rows_of_nodes(const PartRows& part,
                                                         const ForestQuestion& question);

// A whole tree, to be judged by rows: deviations of those that it was grown from, losses of those
// that it was not.
struct JudgeQuestion {
  uint32_t held_out = no_fold;
  bool all_unseen = false;  // no row is one that the tree was grown from
  HistogramQuery splits;
  bool deviations = false, unseen = false;
  DeviationQuery deviation_query;
  fit::UnseenQuery unseen_query;

  void write(ByteWriter& out) const;
  static JudgeQuestion read(ByteReader& in);
};
struct ForestTrial {
  RowCoding coding;
  std::vector<JudgeQuestion> trees;

  void write(ByteWriter& out) const;
  static ForestTrial read(ByteReader& in);
};
struct JudgeAnswer {
  Deviations deviations;
  fit::UnseenSums unseen;
};
class ForestJudgement {
 public:
  explicit ForestJudgement(const ForestTrial& trial);
  ForestJudgement() = default;

  void add(const PartRows& part, const ForestTrial& trial);
  void merge(const ForestJudgement& other);
  void write(ByteWriter& out) const;
  static ForestJudgement read(ByteReader& in);

  std::vector<JudgeAnswer> trees;
};

// What a part of a tree needs to be grown by itself, apart from its rows.
struct FinishQuestion {
  Schema schema;
  std::string recipe;  // the growing stage
  std::vector<double> costs;
  RowCoding coding;
  std::vector<std::pair<NodeKey, grow::GrowthStart>> nodes;

  void write(ByteWriter& out) const;
  static FinishQuestion read(ByteReader& in);
};
grow::BinnedTree finished_part(const FinishQuestion& question, NodeKey node, CodedRows rows);

}  // namespace softwood::cluster
