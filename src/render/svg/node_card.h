// One node of a drawn tree: what it asks or answers, with small charts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "render/svg/canvas.h"
#include "render/svg/tree_layout.h"
#include "render/text/answers.h"

namespace softwood::render {

// Values of the split's input among the rows of a node, by class.
struct NodeHistogram {
  double low = 0, high = 0;
  std::vector<std::vector<double>> bins;  // bins x classes; regression: one count per bin
};

class NodeCards {
 public:
  explicit NodeCards(const LoweredTree& tree) : tree_(tree), answers_(tree) {}

  // By node; null or empty: none.
  void set_histograms(std::vector<std::optional<NodeHistogram>> histograms) {
    histograms_ = std::move(histograms);
  }

  BoxSize size(uint32_t node, bool folded) const;
  // `share`: of a row that is followed, 0: none is.
  void draw(Canvas& canvas, const NodeBox& box, double share) const;

 private:
  const NodeHistogram* histogram(uint32_t node) const;
  bool has_chart(uint32_t node) const;
  void draw_split_chart(Canvas& canvas, const NodeBox& box, double y) const;
  void draw_histogram(Canvas& canvas, const NodeBox& box, double y, const NodeHistogram& bars,
                      const LoweredScore& score) const;
  void draw_link(Canvas& canvas, const NodeBox& box, double y, const LoweredScore& score) const;
  void draw_terms(Canvas& canvas, const NodeBox& box, double y, const LoweredScore& score) const;
  void draw_answer(Canvas& canvas, const NodeBox& box, double y) const;
  std::string heading(uint32_t node) const;
  std::string details(uint32_t node) const;

  const LoweredTree& tree_;
  NodeAnswers answers_;
  std::vector<std::optional<NodeHistogram>> histograms_;
};

// The condition of a child without the name of the input, which stands in the node: "<= 2.45".
std::string edge_text(const LoweredTree& tree, uint32_t child);

}  // namespace softwood::render
