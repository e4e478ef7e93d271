#include "render/svg/tree_layout.h"

#include <algorithm>
#include <queue>

namespace softwood::render {
namespace {

// Leaves under every node, itself included.
std::vector<size_t> leaves_below(const LoweredTree& tree) {
  std::vector<size_t> leaves(tree.nodes.size(), 0);
  for (size_t i = tree.nodes.size(); i-- > 0;) {
    if (tree.nodes[i].is_leaf()) leaves[i] = 1;
    if (i > 0) leaves[tree.nodes[i].parent] += leaves[i];
  }
  return leaves;
}

// Which inner nodes show their children: the heaviest first.
std::vector<bool> unfolded_nodes(const LoweredTree& tree, const LayoutOptions& options) {
  std::vector<bool> unfolded(tree.nodes.size(), false);
  const auto lighter = [&](uint32_t a, uint32_t b) {
    const double left = tree.nodes[a].weight, right = tree.nodes[b].weight;
    return left != right ? left < right : a > b;
  };
  std::priority_queue<uint32_t, std::vector<uint32_t>, decltype(lighter)> waiting(lighter);
  const auto add = [&](uint32_t node) {
    if (!tree.nodes[node].is_leaf() && tree.nodes[node].depth < options.depth) waiting.push(node);
  };
  add(0);
  size_t ends = 1;
  while (!waiting.empty()) {
    const uint32_t node = waiting.top();
    waiting.pop();
    const LoweredSplit& split = *tree.nodes[node].split;
    // Splits of many children may not fit where smaller ones still do; a single one is always
    // shown.
    if (ends + split.children - 1 > options.most_ends && ends > 1) continue;
    ends += split.children - 1;
    unfolded[node] = true;
    for (uint32_t c = 0; c < split.children; ++c) add(split.first_child + c);
  }
  return unfolded;
}

// How far a subtree reaches to both sides of its root's middle, by level below it.
struct Contour {
  std::vector<double> left, right;
};

class Placer {
 public:
  Placer(TreeLayout& layout, std::vector<std::vector<size_t>> children, double gap, bool swapped)
      : layout_(layout), children_(std::move(children)), gap_(gap), swapped_(swapped) {
    offsets_.resize(layout.boxes.size(), 0);
  }

  // The middles of all boxes across the levels.
  std::vector<double> middles() {
    std::vector<Contour> contours(layout_.boxes.size());
    for (size_t b = layout_.boxes.size(); b-- > 0;) contours[b] = contour_of(b, contours);
    std::vector<double> middles(layout_.boxes.size(), 0);
    for (size_t b = 1; b < middles.size(); ++b) {
      middles[b] = middles[layout_.boxes[b].parent] + offsets_[b];
    }
    return middles;
  }

 private:
  double half(size_t box) const {
    return (swapped_ ? layout_.boxes[box].height : layout_.boxes[box].width) / 2;
  }

  // Sets the offsets of the children from the middle of this box.
  Contour contour_of(size_t box, std::vector<Contour>& contours) {
    Contour own{{-half(box)}, {half(box)}};
    const std::vector<size_t>& children = children_[box];
    if (children.empty()) return own;
    Contour all;  // of the children so far, as seen from the first one
    std::vector<double> places;
    for (const size_t child : children) {
      const Contour& next = contours[child];
      double place = 0;
      for (size_t l = 0; l < std::min(all.right.size(), next.left.size()); ++l) {
        place = std::max(place, all.right[l] - next.left[l] + gap_);
      }
      places.push_back(place);
      merge(all, next, place);
    }
    const double middle = (places.front() + places.back()) / 2;
    for (size_t c = 0; c < children.size(); ++c) {
      offsets_[children[c]] = places[c] - middle;
      contours[children[c]] = {};  // not needed any more
    }
    for (size_t l = 0; l < all.left.size(); ++l) {
      own.left.push_back(all.left[l] - middle);
      own.right.push_back(all.right[l] - middle);
    }
    return own;
  }

  static void merge(Contour& all, const Contour& next, double place) {
    for (size_t l = 0; l < next.left.size(); ++l) {
      if (l == all.left.size()) {
        all.left.push_back(next.left[l] + place);
        all.right.push_back(next.right[l] + place);
      } else {
        all.left[l] = std::min(all.left[l], next.left[l] + place);
        all.right[l] = std::max(all.right[l], next.right[l] + place);
      }
    }
  }

  TreeLayout& layout_;
  std::vector<std::vector<size_t>> children_;
  std::vector<double> offsets_;
  double gap_;
  bool swapped_;
};

// Boxes in breadth-first order, and who is below whom.
std::vector<std::vector<size_t>> add_boxes(const LoweredTree& tree, const LayoutOptions& options,
                                           const std::function<BoxSize(uint32_t, bool)>& size,
                                           TreeLayout& layout) {
  const std::vector<bool> unfolded = unfolded_nodes(tree, options);
  const std::vector<size_t> leaves = leaves_below(tree);
  std::vector<std::vector<size_t>> children;
  const auto add = [&](uint32_t node, size_t parent) {
    const bool folded = !tree.nodes[node].is_leaf() && !unfolded[node];
    const BoxSize box = size(node, folded);
    layout.boxes.push_back({node, 0, 0, box.width, box.height, tree.nodes[node].depth, parent,
                            folded, folded ? leaves[node] : 0});
    children.emplace_back();
  };
  add(0, 0);
  for (size_t b = 0; b < layout.boxes.size(); ++b) {
    const uint32_t node = layout.boxes[b].node;
    if (!unfolded[node]) continue;
    const LoweredSplit& split = *tree.nodes[node].split;
    for (uint32_t c = 0; c < split.children; ++c) {
      children[b].push_back(layout.boxes.size());
      add(split.first_child + c, b);
    }
  }
  return children;
}

}  // namespace

TreeLayout layout_tree(const LoweredTree& tree, const LayoutOptions& options,
                       const std::function<BoxSize(uint32_t node, bool folded)>& size) {
  TreeLayout layout;
  std::vector<std::vector<size_t>> children = add_boxes(tree, options, size, layout);
  const bool swapped = options.to_the_right;
  const std::vector<double> middles =
      Placer(layout, std::move(children), options.sibling_gap, swapped).middles();
  // Along the levels: each is as thick as its thickest box.
  std::vector<double> thickness;
  for (const NodeBox& box : layout.boxes) {
    thickness.resize(std::max(thickness.size(), box.depth + 1), 0);
    double& level = thickness[box.depth];
    level = std::max(level, swapped ? box.width : box.height);
  }
  std::vector<double> starts(thickness.size(), 0);
  for (size_t d = 1; d < starts.size(); ++d) {
    starts[d] = starts[d - 1] + thickness[d - 1] + options.level_gap;
  }
  double low = 0, high = 0;
  for (size_t b = 0; b < middles.size(); ++b) {
    const double half = (swapped ? layout.boxes[b].height : layout.boxes[b].width) / 2;
    low = std::min(low, middles[b] - half);
    high = std::max(high, middles[b] + half);
  }
  for (size_t b = 0; b < middles.size(); ++b) {
    NodeBox& box = layout.boxes[b];
    const double across = middles[b] - low, along = starts[box.depth];
    box.x = swapped ? along : across - box.width / 2;
    box.y = swapped ? across - box.height / 2 : along;
  }
  const double length = starts.back() + thickness.back();
  layout.width = swapped ? length : high - low;
  layout.height = swapped ? high - low : length;
  return layout;
}

}  // namespace softwood::render
