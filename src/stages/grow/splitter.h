// Splitters of a node (`split=`). A splitter looks at one node and proposes a split; the growth
// loop in exact.cpp does the rest. A new splitter is one file and one line in splitters.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "stages/grow/missing_values.h"
#include "stages/grow/rows.h"
#include "stages/grow/split.h"
#include "stages/stage.h"

namespace softwood::grow {

// What the nodes of a subtree are grown from: their rows, what is to be learned of them, and the
// search made for that.
struct NodeData {
  RowLists lists;
  Target target;
  std::unique_ptr<SplitSearch> search;
  std::shared_ptr<NodeData> lender = nullptr;  // of the memory of the lists, if it is not their own

  double weight(uint32_t slot) const { return target.row_weight(slot); }
  double weight(std::span<const uint32_t> slots) const {
    double sum = 0;
    for (const uint32_t slot : slots) sum += target.row_weight(slot);
    return sum;
  }
  // As the search counts rows.
  double search_weight(std::span<const uint32_t> slots) const {
    double sum = 0;
    for (const uint32_t slot : slots) sum += target.search_weight(slot);
    return sum;
  }
};

// A leaf that may be split, with its rows.
struct OpenNode {
  NodeIndex node = 0;
  std::shared_ptr<NodeData> data;
  Range range;
  size_t depth = 0;
  double sum = 0;                     // of numeric targets, measured from the centre
  std::vector<ActiveFeature> active;  // features that are not constant in this node
  AnswerBounds bounds = {};           // with monotone=
  uint64_t path = 0;                  // a number for the way from the root to here

  std::span<const uint32_t> slots() const { return data->lists.slots(range); }
  uint64_t path_of_child(uint32_t child) const { return mix64(path) + child + 1; }
};

// Working memory of one thread, kept from node to node so that nothing is allocated for most.
struct Workspace {
  Scratch scratch;
  std::vector<double> cell;
  std::vector<double> child_sums;  // OpenNode::sum of the children of a split
  std::vector<Range> parts;
  std::vector<uint32_t> buffer;
  std::vector<uint32_t> side_bits;
  std::vector<uint32_t> known;  // of each active feature and child
  std::vector<OpenNode> next;
  std::vector<std::vector<ActiveFeature>> spare;
  RowsUntilAsk until_ask;  // whether to end: all inputs' rows count

  std::vector<ActiveFeature> take_spare() {
    if (spare.empty()) return {};
    std::vector<ActiveFeature> taken = std::move(spare.back());
    spare.pop_back();
    taken.clear();
    return taken;
  }
};

// Who works on a node: one thread alone, or all of them.
struct Workers {
  const Parallel& parallel;
  std::vector<Workspace>& workspaces;  // one per thread
  Workspace& own;
  const Control& control;

  // Nodes with more cells than this are worth dividing among threads feature by feature.
  static constexpr size_t large_cells = 200000;
  bool shares(const OpenNode& open) const {
    return parallel.threads() > 1 && size_t{open.range.size()} * open.active.size() >= large_cells;
  }
  // Calls work(i, workspace) for 0 … count-1, each of which looks at all rows of the node; in
  // parallel when the node is large.
  template <class Work>
  void each(const OpenNode& open, size_t count, const Work& work) const {
    const auto ask_and_work = [&](size_t i, Workspace& workspace) {
      workspace.until_ask.add(open.range.size(), control);
      work(i, workspace);
    };
    if (shares(open)) {
      parallel.each(count, [&](size_t i) { ask_and_work(i, workspaces[parallel.worker()]); });
    } else {
      for (size_t i = 0; i < count; ++i) ask_and_work(i, own);
    }
  }
};

// One object per fit; used by all threads.
class Splitter {
 public:
  virtual ~Splitter() = default;
  // The best split of a node whose statistics are `cell` (those of the data's search); an
  // improvement of 0: none that is good enough. Features that can split neither this node nor any
  // below may be dropped from open.active.
  virtual Found find(const Tree& tree, OpenNode& open, std::span<const double> cell,
                     const Workers& workers) const = 0;
};

struct SplitterSetting {
  const Context& context;
  Limits limits;
  MissingValues missing;
};

struct SplitterEntry {
  std::string name;
  std::string help;
  MissingValues usual;  // what missing=auto means
  std::unique_ptr<Splitter> (*make)(const SplitterSetting& setting);
  std::string class_criterion = "gini";  // what criterion=auto means for classes
};
// The table of splitters.
std::span<const SplitterEntry> splitters();
const SplitterEntry& find_splitter(std::string_view name);

}  // namespace softwood::grow
