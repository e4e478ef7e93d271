// What parts of the coded rows answer about the trees that grow in the same passes.
#pragma once

#include <utility>
#include <vector>

#include "engine/coded.h"
#include "fit/unseen_sums.h"
#include "stages/grow/binned_growth.h"

namespace softwood::cluster {

constexpr uint32_t no_fold = 0xFFFFFFFFU;

// Some rows of a part, ready for being counted.
struct PartRows {
  CodedRows rows;
  FixedPoint target;

  // Rows that were coded for other bins or classes are a failure Error.
  PartRows(CodedRows coded, const RowCoding& coding);
  // Those that a tree is grown from, or those of the fold that is held out from it.
  std::vector<uint32_t> slots(uint32_t held_out, bool inside) const;
};

// One tree so far, and the nodes whose rows are to be counted, or to be sent away.
struct TreeQuestion {
  uint32_t held_out = no_fold;  // the fold whose rows are left out
  CodeTree tree;
  std::vector<uint32_t> nodes;

  void write(ByteWriter& out) const;
  static TreeQuestion read(ByteReader& in);
};
struct ForestQuestion {
  RowCoding coding;
  std::vector<TreeQuestion> trees;

  void write(ByteWriter& out) const;
  static ForestQuestion read(ByteReader& in);
};

// Histograms of the nodes of all trees, tree after tree.
class ForestSums {
 public:
  explicit ForestSums(const ForestQuestion& question);

  // Together, so that the cells of a node stay in the cache.
  void add(std::span<const PartRows> rows);
  size_t cells() const { return sums_.size(); }
  std::vector<int64_t> take() { return std::move(sums_); }

 private:
  const ForestQuestion& question_;
  const std::vector<uint32_t> offsets_;
  std::vector<CodeWalk> walks_;
  std::vector<int64_t> sums_;
};

// The rows of each node: (tree and node as one number, rows).
using NodeKey = uint64_t;
inline NodeKey node_key(size_t tree, NodeIndex node) {
  return static_cast<uint64_t>(tree) << 32 | node;
}
std::vector<std::pair<NodeKey, CodedRows>> rows_of_nodes(std::span<const PartRows> rows,
                                                         const ForestQuestion& question,
                                                         size_t tree);

// A whole tree, to be judged by rows: deviations of those that it was grown from, losses of those
// that it was not.
struct JudgeQuestion {
  uint32_t held_out = no_fold;
  bool all_unseen = false;  // no row is one that the tree was grown from
  CodeTree tree;
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
struct ForestJudgement {
  std::vector<JudgeAnswer> trees;

  void merge(const ForestJudgement& other);
  void write(ByteWriter& out) const;
  static ForestJudgement read(ByteReader& in);
};
class ForestJudge {
 public:
  explicit ForestJudge(const ForestTrial& trial);

  void add(const PartRows& rows);
  ForestJudgement take() { return std::move(judgement_); }

 private:
  void add_unseen(size_t tree, const PartRows& rows);
  void add_deviations(size_t tree, const PartRows& rows);

  const ForestTrial& trial_;
  std::vector<std::vector<uint32_t>> leaves_;  // by tree
  std::vector<CodeWalk> walks_;
  ForestJudgement judgement_;
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
