// A tree beside the nodes that rpart recorded for the same data.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "tree/tree.h"

namespace softwood::test {

// What rpart's rows weigh: one each, or by class.
inline double recorded_weight(const nlohmann::json& frame, size_t i,
                              const std::vector<double>& class_weights) {
  if (class_weights.empty()) return frame["n"][i].get<double>();
  double weight = 0;
  for (size_t k = 0; k < class_weights.size(); ++k) {
    weight += class_weights[k] * frame["counts"][i][k].get<double>();
  }
  return weight;
}

// Walks both trees. Splits must be the same, or equally good: rpart settles exact ties by the
// rounding of its sums, Softwood by the first input. Also where both ask the same question, rows
// without a value may go to different sides: a surrogate that only one of the two accepts sends
// them. Returns the number of both; nothing is compared below one. `visit` is called with the node
// and its place in the frame for every split that is the same.
inline size_t count_ties(const Tree& tree, const nlohmann::json& frame,
                         const std::vector<double>& class_weights = {},
                         const std::function<void(NodeIndex, size_t)>& visit = {}) {
  std::map<long, size_t> place;  // of rpart's node numbers
  for (size_t i = 0; i < frame["node"].size(); ++i) place[frame["node"][i].get<long>()] = i;
  const double close = 1e-9;
  size_t ties = 0;
  std::vector<std::pair<NodeIndex, long>> open = {{0, 1}};
  while (!open.empty()) {
    const auto [node, number] = open.back();
    open.pop_back();
    const size_t i = place.at(number);
    EXPECT_NEAR(tree.weight(node), recorded_weight(frame, i, class_weights),
                close * tree.weight(node));
    EXPECT_NEAR(tree.risk(node), frame["dev"][i].get<double>(), close * tree.risk(0));
    if (frame["var"][i].get<int>() < 0) continue;  // rpart drops splits that do not pay at cp = 0
    EXPECT_FALSE(tree.node(node).is_leaf()) << "node " << number;
    if (tree.node(node).is_leaf()) continue;
    const double gain = tree.node(node).notes().gain * tree.weight(node);
    const double scale = tree.task() == Task::regression ? tree.risk(node) : 1;
    EXPECT_NEAR(gain, frame["improve"][i].get<double>() * scale, close * std::max(gain, scale));
    const NodeIndex first = tree.node(node).first_child;
    const size_t left = place.at(2 * number);
    const double left_weight = recorded_weight(frame, left, class_weights);
    const auto is_left = [&](NodeIndex child) {
      return std::abs(tree.weight(child) - left_weight) <= close * left_weight &&
             std::abs(tree.risk(child) - frame["dev"][left].get<double>()) <= close * tree.risk(0);
    };
    const Gate& gate = tree.node(node).gate();
    bool same_question = gate_features(gate)[0] == frame["var"][i].get<uint32_t>();
    if (const auto* score = linear_form(gate); score != nullptr && same_question) {
      const double cut = frame["index"][i];
      same_question = std::abs(score->cut - cut) <= close * std::max(1.0, std::abs(cut));
    }
    if (same_question && visit) visit(node, i);
    if (!same_question || (!is_left(first) && !is_left(first + 1))) {
      EXPECT_LE(gate_features(gate)[0], frame["var"][i].get<uint32_t>()) << "node " << number;
      ++ties;
      continue;
    }
    // rpart may have the sides exchanged; where they weigh the same, its direction tells.
    const bool exchanged =
        !is_left(first) || (is_left(first + 1) && frame["ncat"][i].get<int>() == 1);
    open.emplace_back(exchanged ? first + 1 : first, 2 * number);
    open.emplace_back(exchanged ? first : first + 1, 2 * number + 1);
  }
  return ties;
}

}  // namespace softwood::test
