// One node of a drawn tree: what it asks or answers, with small charts.
#pragma once

#include <string>
#include <vector>

#include "render/svg/canvas.h"
#include "render/svg/node_rows.h"
#include "render/svg/tree_layout.h"
#include "render/text/answers.h"
#include "render/text/condition.h"

namespace softwood::render {

class NodeCards {
 public:
  explicit NodeCards(const LoweredTree& tree, NodeRows rows = {});

  BoxSize size(uint32_t node, bool folded) const;
  void draw(Canvas& canvas, const NodeBox& box) const;
  // Of the row that is followed, 0: none is.
  double followed(uint32_t node) const { return rows_.share.empty() ? 0 : rows_.share[node]; }

 private:
  const NodeHistogram* histogram(uint32_t node) const;
  bool has_chart(uint32_t node) const;
  void draw_answer(Canvas& canvas, const NodeBox& box, double y) const;
  std::string heading(uint32_t node) const;
  std::string details(uint32_t node, double room = 0) const;  // pixels; 0: no limit
  std::string title(uint32_t node) const;

  const LoweredTree& tree_;
  NodeAnswers answers_;
  NodeRows rows_;
  double low_ = 0, high_ = 0;  // regression: of all nodes' means, with their spread
};

// The condition of a child without the name of the input, which stands in the node: "<= 2.45".
std::string edge_text(const LoweredTree& tree, EdgeTexts& edges, uint32_t child);

}  // namespace softwood::render
