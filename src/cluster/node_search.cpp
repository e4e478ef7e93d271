#include "cluster/node_search.h"

#include <algorithm>
#include <map>

#include "cluster/schema_bytes.h"
#include "softwood/error.h"
#include "stages/recipe.h"

namespace softwood::cluster {

grow::InputRange piece_of(size_t columns, size_t piece, size_t pieces) {
  return {columns * piece / pieces, columns * (piece + 1) / pieces};
}

void TreeSearch::write(ByteWriter& out) const {
  out.value(is_root);
  out.vector(factor);
  plan.write(out);
  out.vector(waiting);
}

TreeSearch TreeSearch::read(ByteReader& in) {
  TreeSearch search;
  search.is_root = in.value<bool>();
  search.factor = in.vector<double>();
  search.plan = grow::CountPlan::read(in);
  search.waiting = in.vector<uint32_t>();
  return search;
}

void GrowthRequest::write(ByteWriter& out) const {
  out.value(pieces);
  forest.write(out);
  write_schema(schema, out);
  out.text(recipe);
  out.vector(costs);
  out.value(static_cast<uint64_t>(trees.size()));
  for (const TreeSearch& tree : trees) tree.write(out);
}

GrowthRequest GrowthRequest::read(ByteReader& in) {
  GrowthRequest request;
  request.pieces = in.value<uint64_t>();
  request.forest = ForestQuestion::read(in);
  request.schema = read_schema(in);
  request.recipe = in.text();
  request.costs = in.vector<double>();
  for (auto left = in.value<uint64_t>(); left > 0; --left) {
    request.trees.push_back(TreeSearch::read(in));
  }
  if (request.pieces == 0 || request.trees.size() != request.forest.trees.size()) {
    throw Error(ErrorKind::failure, "a request about other trees");
  }
  return request;
}

void PieceSums::merge(const PieceSums& other) {
  if (piece != other.piece || sums.size() != other.sums.size()) {
    throw Error(ErrorKind::failure, "sums of different nodes can't be merged");
  }
  std::transform(sums.begin(), sums.end(), other.sums.begin(), sums.begin(), std::plus<>());
}

void PieceSums::write(ByteWriter& out) const {
  out.value(piece);
  out.wholes(sums);
}

PieceSums PieceSums::read(ByteReader& in) {
  const auto piece = in.value<uint64_t>();
  return {piece, in.wholes()};
}

std::vector<PieceSums> pieces_of(const std::vector<int64_t>& sums, const GrowthRequest& request) {
  const RowCoding& coding = request.forest.coding;
  std::vector<size_t> begin = {0};  // of the cells of each input
  for (const FeatureBins& feature : coding.bins) {
    begin.push_back(begin.back() + (feature.bins + size_t{1}) * coding.cell_width());
  }
  std::vector<PieceSums> pieces(request.pieces);
  for (size_t p = 0; p < pieces.size(); ++p) {
    pieces[p].piece = p;
    const grow::InputRange inputs = piece_of(coding.bins.size(), p, pieces.size());
    for (size_t node = 0; node < sums.size(); node += begin.back()) {
      const auto at = sums.begin() + static_cast<std::ptrdiff_t>(node);
      pieces[p].sums.insert(pieces[p].sums.end(),
                            at + static_cast<std::ptrdiff_t>(begin[inputs.begin]),
                            at + static_cast<std::ptrdiff_t>(begin[inputs.end]));
    }
  }
  return pieces;
}

void OpenHistograms::write(ByteWriter& out) const {
  out.value(static_cast<uint64_t>(nodes.size()));
  for (const auto& [node, sums] : nodes) {
    out.value(node);
    out.wholes(sums);
  }
}

OpenHistograms OpenHistograms::read(ByteReader& in) {
  OpenHistograms open;
  for (auto left = in.value<uint64_t>(); left > 0; --left) {
    const auto node = in.value<NodeKey>();
    open.nodes.emplace_back(node, in.wholes());
  }
  return open;
}

void GrowthAnswer::append(GrowthAnswer more) {
  if (trees.empty()) trees.resize(more.trees.size());
  if (trees.size() != more.trees.size()) {
    throw Error(ErrorKind::failure, "an answer about other trees");
  }
  for (size_t t = 0; t < trees.size(); ++t) {
    if (trees[t].root.empty()) trees[t].root = std::move(more.trees[t].root);
    auto& nodes = trees[t].nodes;
    auto& own = more.trees[t].nodes;
    if (nodes.empty()) nodes.resize(own.size());
    if (nodes.size() != own.size()) throw Error(ErrorKind::failure, "an answer about other nodes");
    for (size_t i = 0; i < nodes.size(); ++i) {
      std::move(own[i].begin(), own[i].end(), std::back_inserter(nodes[i]));
    }
  }
}

void GrowthAnswer::write(ByteWriter& out) const {
  out.value(static_cast<uint64_t>(trees.size()));
  for (const TreeCandidates& tree : trees) {
    out.wholes(tree.root);
    out.value(static_cast<uint64_t>(tree.nodes.size()));
    for (const auto& candidates : tree.nodes) {
      out.value(static_cast<uint32_t>(candidates.size()));
      for (const grow::FoundSplit& split : candidates) split.write(out);
    }
  }
}

GrowthAnswer GrowthAnswer::read(ByteReader& in) {
  GrowthAnswer answer;
  for (auto trees = in.value<uint64_t>(); trees > 0; --trees) {
    TreeCandidates& tree = answer.trees.emplace_back();
    tree.root = in.wholes();
    for (auto nodes = in.value<uint64_t>(); nodes > 0; --nodes) {
      auto& candidates = tree.nodes.emplace_back();
      for (auto left = in.value<uint32_t>(); left > 0; --left) {
        candidates.push_back(grow::FoundSplit::read(in));
      }
    }
  }
  return answer;
}

namespace {

using Histogram = grow::BinSearch::Histogram;

// Those of the nodes that stay open; the root's is what was counted.
std::vector<Histogram> open_histograms(const TreeSearch& tree, std::span<const int64_t> sums,
                                       size_t cells, NodeKey first_key,
                                       std::map<NodeKey, Histogram>& before) {
  if (tree.is_root) return {Histogram(sums.begin(), sums.end())};
  std::vector<Histogram> next(tree.plan.next.size());
  std::vector<Histogram*> places;
  for (size_t i = 0; i < next.size(); ++i) {
    if (tree.plan.rest_of[i] != grow::CountPlan::nobody) {
      next[i] = std::move(before[first_key + tree.plan.rest_of[i]]);
    }
    places.push_back(&next[i]);
  }
  tree.plan.fill(sums, cells, places);
  return next;
}

}  // namespace

std::pair<OpenHistograms, GrowthAnswer> searched(const GrowthRequest& request,
                                                 const PieceSums& sums, OpenHistograms before) {
  const RowCoding& coding = request.forest.coding;
  const grow::InputRange inputs = piece_of(coding.bins.size(), sums.piece, request.pieces);
  const Recipe recipe = Recipe::parse(request.recipe);
  std::map<NodeKey, Histogram> histograms;
  for (auto& [node, own] : before.nodes) histograms[node] = std::move(own);
  std::pair<OpenHistograms, GrowthAnswer> found;
  size_t at = 0;
  for (size_t t = 0; t < request.trees.size(); ++t) {
    const TreeSearch& tree = request.trees[t];
    TreeCandidates& answer = found.second.trees.emplace_back();
    answer.nodes.resize(tree.is_root ? 1 : tree.plan.next.size());
    if (inputs.begin == inputs.end) continue;
    grow::BinSearch search({request.schema, recipe.steps()[0].options, request.costs, coding},
                           inputs);
    const size_t count = request.forest.trees[t].nodes.size() * search.cells();
    if (count > sums.sums.size() - at) throw Error(ErrorKind::failure, "sums of other nodes");
    std::vector<Histogram> open = open_histograms(tree, std::span(sums.sums).subspan(at, count),
                                                  search.cells(), node_key(t, 0), histograms);
    at += count;
    if (tree.is_root) {
      answer.root = search.sums_of(open.at(0));
      search.start(answer.root);
    } else {
      search.start(tree.factor);
    }
    for (size_t i = 0; i < open.size(); ++i) {
      answer.nodes[i] = search.candidates(open[i]);
      const uint64_t node = tree.is_root ? 0 : tree.plan.next[i];
      found.first.nodes.emplace_back(node_key(t, 0) + node, std::move(open[i]));
    }
    for (const uint32_t node : tree.waiting) {
      found.first.nodes.emplace_back(node_key(t, node), std::move(histograms[node_key(t, node)]));
    }
  }
  return found;
}

}  // namespace softwood::cluster
