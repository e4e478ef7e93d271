// The best splits of nodes, found where the histograms of the parts come together. Each of these
// places has the cells of some of the inputs, and keeps the histograms of open nodes: those of the
// heaviest children are what is left of their parents'. Only splits go on to the driver.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cluster/forest.h"
#include "stages/grow/bin_search.h"

namespace softwood::cluster {

// Pieces of an answer by columns.
grow::InputRange piece_of(size_t columns, size_t piece, size_t pieces);

// What a growing pass asks: of the parts to count, then to search in what they have counted.
struct TreeSearch {
  bool is_root = false;
  std::vector<double> factor;  // BinSearch::factor, after the root
  grow::CountPlan plan;
  std::vector<uint32_t> waiting;  // nodes that are open, but not split in this pass

  void write(ByteWriter& out) const;
  static TreeSearch read(ByteReader& in);
};
struct GrowthRequest {
  uint64_t pieces = 1;
  ForestQuestion forest;
  Schema schema;
  std::string recipe;  // the growing stage
  std::vector<double> costs;
  std::vector<TreeSearch> trees;

  void write(ByteWriter& out) const;
  static GrowthRequest read(ByteReader& in);
};

// Sums over the inputs of a piece, tree after tree and node after node.
struct PieceSums {
  uint64_t piece = 0;
  std::vector<int64_t> sums;

  void merge(const PieceSums& other);
  void write(ByteWriter& out) const;
  static PieceSums read(ByteReader& in);
};
// Cuts the sums of all inputs into those of pieces.
std::vector<PieceSums> pieces_of(const std::vector<int64_t>& sums, const GrowthRequest& request);

// Histograms of the open nodes of all trees, for the next pass.
struct OpenHistograms {
  std::vector<std::pair<NodeKey, std::vector<int64_t>>> nodes;

  void write(ByteWriter& out) const;
  static OpenHistograms read(ByteReader& in);
};

struct TreeCandidates {
  std::vector<int64_t> root;                         // sums of all rows, in the first pass
  std::vector<std::vector<grow::FoundSplit>> nodes;  // by TreeSearch::plan.next
};
struct GrowthAnswer {
  std::vector<TreeCandidates> trees;

  // Candidates of the inputs that follow.
  void append(GrowthAnswer more);
  void write(ByteWriter& out) const;
  static GrowthAnswer read(ByteReader& in);
};

std::pair<OpenHistograms, GrowthAnswer> searched(const GrowthRequest& request,
                                                 const PieceSums& sums, OpenHistograms before);

}  // namespace softwood::cluster
