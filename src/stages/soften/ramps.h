// The soft thresholds of a tree: which gates can have one, how wide they are, and in what unit the
// widths are searched (Dvorak & Savicky, sections 2 and 3).
#pragma once

#include <span>
#include <vector>

#include "tree/tree.h"

namespace softwood::soften {

// A gate over one value whose link is a step or a ramp. All others stay as they are.
bool can_be_soft(const Gate& gate);

// a_j and b_j of a node: the widths below and above its cut, in units of the data.
struct Widths {
  double below = 0, above = 0;
  bool operator==(const Widths&) const = default;
};

// Of a gate that can be soft; a step has none.
Widths widths_of(const Gate& gate);

struct Ramp {
  NodeIndex node = 0;
  Widths widths;
  // a_j,0 and b_j,0: from the cut to the ends of the hyperrectangle that the hard gates above leave
  // to the node, within the ranges of the training rows (section 3).
  Widths units;
};

// One for every gate that can be soft, by ascending node. Widths are those that the tree has.
std::vector<Ramp> ramps_of(const Tree& tree, const Table& table, std::span<const RowIndex> rows);

// Gives the gate of a node that can be soft a ramp of these widths.
void set_widths(Tree& tree, NodeIndex node, const Widths& widths);

// Leaves that were trained with the gates, and whose answers depend on the row or are mixed as
// scores: no softening can follow them, and they can't be fitted anew.
bool leaves_are_in_the_way(const Tree& tree);

}  // namespace softwood::soften
