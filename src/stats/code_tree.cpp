#include "stats/code_tree.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "softwood/error.h"

namespace softwood {

size_t CodeTree::nodes() const {
  size_t nodes = 1;
  for (const CodeSplit& split : splits) {
    nodes = std::max(nodes, size_t{split.first_child} + split.children);
  }
  return nodes;
}

std::vector<uint32_t> CodeTree::parents() const {
  std::vector<uint32_t> parent(nodes(), 0);
  for (const CodeSplit& split : splits) {
    for (uint32_t c = 0; c < split.children; ++c) parent[split.first_child + c] = split.node;
  }
  return parent;
}

std::vector<bool> CodeTree::leaves() const {
  std::vector<bool> leaves(nodes(), true);
  for (const CodeSplit& split : splits) leaves[split.node] = false;
  return leaves;
}

// Nodes and children as distances from those of the split before: mostly one byte each.
void CodeTree::write(ByteWriter& out) const {
  std::vector<int64_t> numbers;
  int64_t node = 0, child = 1;
  for (const CodeSplit& split : splits) {
    numbers.push_back(split.node - node);
    numbers.push_back(split.first_child - child);
    numbers.push_back(split.feature);
    const bool by_table = !split.child_of_code.empty();
    numbers.push_back(by_table ? int64_t{split.children} : 0);
    if (by_table) {
      numbers.push_back(static_cast<int64_t>(split.child_of_code.size()));
      numbers.insert(numbers.end(), split.child_of_code.begin(), split.child_of_code.end());
    } else {
      numbers.push_back(int64_t{split.right} * 2 + split.missing);
    }
    node = split.node;
    child = int64_t{split.first_child} + split.children;
  }
  out.wholes(numbers);
}

CodeTree CodeTree::read(ByteReader& in) {
  const std::vector<int64_t> numbers = in.wholes();
  size_t at = 0;
  constexpr int64_t most = int64_t{1} << 31;
  const auto failure = [] { return Error(ErrorKind::failure, "a tree of codes that is none"); };
  const auto next = [&](int64_t from) {
    if (at == numbers.size()) throw failure();
    const int64_t number = numbers[at++];
    if (number < -most || number > 2 * most || from + number < 0 || from + number > most) {
      throw failure();
    }
    return static_cast<uint32_t>(from + number);
  };
  CodeTree tree;
  int64_t node = 0, child = 1;
  while (at < numbers.size()) {
    CodeSplit& split = tree.splits.emplace_back();
    split.node = next(node);
    split.first_child = next(child);
    split.feature = next(0);
    const uint32_t children = next(0);
    if (children > 0) {
      split.children = children;
      for (uint32_t left = next(0); left > 0; --left) split.child_of_code.push_back(next(0));
    } else {
      const uint32_t both = next(0);
      split.right = both / 2;
      split.missing = both % 2;
    }
    node = split.node;
    child = int64_t{split.first_child} + split.children;
  }
  return tree;
}

CodeWalk::CodeWalk(const CodeTree& tree, const std::vector<FeatureBins>& bins,
                   std::span<const uint32_t> leaves)
    : places_(leaves.size()) {
  // A node has one parent: more nodes than children of the splits there can't be.
  size_t children = 1;
  for (const CodeSplit& split : tree.splits) children += split.children;
  const size_t nodes = tree.nodes();
  if (nodes > children) throw Error(ErrorKind::failure, "a tree of codes that is none");
  steps_.resize(nodes);
  for (uint32_t node = 0; node < nodes; ++node) steps_[node].first = node;
  for (const CodeSplit& split : tree.splits) add(split, bins);
  place_of_node_.assign(nodes, none);
  for (uint32_t place = 0; place < leaves.size(); ++place) {
    const uint32_t leaf = leaves[place];
    if (leaf >= nodes || steps_[leaf].first != leaf || place_of_node_[leaf] != none) {
      throw Error(ErrorKind::failure, "a node that no split has made");
    }
    place_of_node_[leaf] = place;
  }
}

void CodeWalk::add(const CodeSplit& split, const std::vector<FeatureBins>& bins) {
  const auto fits = [&] {
    if (split.feature >= bins.size() || split.first_child <= split.node ||
        steps_[split.node].first != split.node) {
      return false;
    }
    const size_t codes = bins[split.feature].bins + size_t{1};
    if (split.child_of_code.empty()) {
      return split.children == 2 && split.right < codes && split.missing < 2;
    }
    return split.child_of_code.size() == codes &&
           std::all_of(split.child_of_code.begin(), split.child_of_code.end(),
                       [&](uint32_t child) { return child < split.children; });
  };
  if (!fits()) throw Error(ErrorKind::failure, "a split that does not fit the rows of a shard");
  Step& step = steps_[split.node];
  step.feature = split.feature;
  step.first = split.first_child;
  if (split.child_of_code.empty()) {
    step.right = split.right;
    // Codes of missing cells are above all others.
    if (split.missing == 0) step.left_too = bins[split.feature].bins;
  } else {
    step.table = static_cast<uint32_t>(child_of_code_.size());
    child_of_code_.insert(child_of_code_.end(), split.child_of_code.begin(),
                          split.child_of_code.end());
  }
}

// Several rows at a time: the processor looks at the next one while it waits for the first.
template <class Code, bool tables>
void CodeWalk::walk(const BinnedRows& rows, std::span<const uint32_t> slots,
                    uint32_t* places) const {
  constexpr size_t together = 8;
  const auto next_of = [&](uint32_t node, const Code* codes) {
    const Step& step = steps_[node];
    const uint32_t code = codes[step.feature];
    if (tables && step.table != none) return step.first + child_of_code_[step.table + code];
    const auto right =
        static_cast<uint32_t>(code >= step.right) & static_cast<uint32_t>(code != step.left_too);
    return step.first + right;
  };
  std::array<const Code*, together> codes;
  std::array<uint32_t, together> nodes;
  for (size_t begin = 0; begin < slots.size(); begin += together) {
    const size_t count = std::min(together, slots.size() - begin);
    // The last one again where there are fewer.
    for (size_t i = 0; i < together; ++i) {
      codes[i] = rows.codes<Code>(slots[begin + std::min(i, count - 1)]);
      nodes[i] = 0;
    }
    for (uint32_t moved = 1; moved != 0;) {
      moved = 0;
      for (size_t i = 0; i < together; ++i) {
        const uint32_t next = next_of(nodes[i], codes[i]);
        moved |= next ^ nodes[i];
        nodes[i] = next;
      }
    }
    for (size_t i = 0; i < count; ++i) places[begin + i] = place_of_node_[nodes[i]];
  }
}

PlacedRows CodeWalk::placed(const BinnedRows& rows, std::span<const uint32_t> slots) const {
  PlacedRows placed;
  placed.begin.assign(places_ + 1, 0);
  std::vector<uint32_t> places(slots.size(), place_of_node_[0]);
  // Without inputs there are no codes, and no splits.
  if (steps_.size() > 1) {
    const bool tables = !child_of_code_.empty();
    const auto fill = [&](auto code) {
      using Code = decltype(code);
      tables ? walk<Code, true>(rows, slots, places.data())
             : walk<Code, false>(rows, slots, places.data());
    };
    rows.is_narrow() ? fill(uint8_t{}) : fill(uint32_t{});
  }
  for (const uint32_t place : places) {
    if (place != none) ++placed.begin[place + 1];
  }
  std::partial_sum(placed.begin.begin(), placed.begin.end(), placed.begin.begin());
  placed.slots.resize(placed.begin.back());
  std::vector<uint32_t> next(placed.begin.begin(), placed.begin.end() - 1);
  for (size_t i = 0; i < slots.size(); ++i) {
    if (places[i] != none) placed.slots[next[places[i]]++] = slots[i];
  }
  return placed;
}

}  // namespace softwood
