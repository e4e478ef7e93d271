// Trees of binned growth as bytes, and as divisions of codes.
#include <algorithm>

#include "softwood/error.h"
#include "stages/grow/binned_growth.h"

namespace softwood::grow {

void GrowthStart::write(ByteWriter& out) const {
  out.value(static_cast<uint64_t>(depth));
  out.value(root_weight);
  out.value(deviation);
  out.vector(factor);
}

GrowthStart GrowthStart::read(ByteReader& in) {
  GrowthStart start;
  start.depth = in.value<uint64_t>();
  start.root_weight = in.value<double>();
  start.deviation = in.value<double>();
  start.factor = in.vector<double>();
  return start;
}

namespace {

void write_gate(const Gate& gate, ByteWriter& out) {
  const LevelsGate* const levels = level_map(gate);
  out.value(static_cast<uint8_t>(levels != nullptr));
  if (levels != nullptr) {
    out.value(levels->feature);
    out.value(levels->children);
    out.vector(levels->child_of_level);
    return;
  }
  const std::optional<Threshold> threshold = as_threshold(gate);
  if (!threshold) throw Error(ErrorKind::failure, "a split that binned growth does not make");
  out.value(threshold->feature);
  out.value(threshold->cut);
}

Gate read_gate(ByteReader& in) {
  if (in.value<uint8_t>() != 0) {
    LevelsGate levels;
    levels.feature = in.value<uint32_t>();
    levels.children = in.value<uint32_t>();
    levels.child_of_level = in.vector<int32_t>();
    return levels;
  }
  const auto feature = in.value<uint32_t>();
  return threshold_gate(feature, in.value<double>());
}

}  // namespace

void BinnedTree::write(ByteWriter& out) const {
  out.value(static_cast<uint64_t>(tree.size()));
  std::vector<NodeIndex> inner;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    for (const double sum : tree.sums(i)) out.value(sum);
    out.value(centred_mean[i]);
    if (!tree.node(i).is_leaf()) inner.push_back(i);
  }
  // In the order in which they were split, so that the children get the same numbers again.
  std::sort(inner.begin(), inner.end(), [&](NodeIndex a, NodeIndex b) {
    return tree.node(a).first_child < tree.node(b).first_child;
  });
  for (const NodeIndex i : inner) {
    const Node& node = tree.node(i);
    out.value(i);
    write_gate(node.gate(), out);
    out.value(node.missing().child);
    out.value(node.missing().weight);
    out.value(node.notes().gain);
  }
}

BinnedTree BinnedTree::read(ByteReader& in, Task task, size_t classes) {
  const auto size = in.value<uint64_t>();
  BinnedTree part{Tree(task, classes), {}};
  std::vector<double> sums;
  for (uint64_t i = 0; i < size; ++i) {
    for (size_t k = 0; k < part.tree.width(); ++k) sums.push_back(in.value<double>());
    part.centred_mean.push_back(in.value<double>());
  }
  while (part.tree.size() < size) {
    const auto node = in.value<NodeIndex>();
    Gate gate = read_gate(in);
    Missing missing;
    missing.child = in.value<uint32_t>();
    missing.weight = in.value<double>();
    if (node >= part.tree.size() || !part.tree.node(node).is_leaf()) break;
    part.tree.split(node, std::move(gate), std::move(missing));
    part.tree.node(node).notes().gain = in.value<double>();
  }
  if (part.tree.size() != size) throw Error(ErrorKind::failure, "a part of a tree that is none");
  for (NodeIndex i = 0; i < size; ++i) {
    std::copy_n(sums.begin() + static_cast<std::ptrdiff_t>(i * part.tree.width()),
                part.tree.width(), part.tree.sums(i).begin());
  }
  return part;
}

CodeTree code_tree_of(const Tree& tree, const std::vector<FeatureBins>& bins) {
  CodeTree codes;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    const Node& node = tree.node(i);
    if (node.is_leaf()) continue;
    CodeSplit& split = codes.splits.emplace_back();
    split.node = i;
    split.first_child = node.first_child;
    split.children = tree.children(i);
    split.missing = node.missing().child;
    const LevelsGate* const levels = level_map(node.gate());
    if (levels != nullptr) {
      split.feature = levels->feature;
      // Levels that the node's rows do not have are as missing.
      for (const int32_t known : levels->child_of_level) {
        split.child_of_code.push_back(known < 0 ? split.missing : static_cast<uint32_t>(known));
      }
      split.child_of_code.push_back(split.missing);
      continue;
    }
    const Threshold threshold = as_threshold(node.gate()).value();
    split.feature = threshold.feature;
    const FeatureBins& own = bins[threshold.feature];
    // A cut is one of the bins' or above all values: codes up to its own are on the left.
    split.right = threshold.cut == above_all_values
                      ? own.bins
                      : static_cast<uint32_t>(
                            std::upper_bound(own.cuts.begin(), own.cuts.end(), threshold.cut) -
                            own.cuts.begin());
  }
  return codes;
}

}  // namespace softwood::grow
