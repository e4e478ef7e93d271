// Rows that a tree learns from when several trees teach it.
#include "stages/soft/teach.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "stages/gradient/start.h"

namespace softwood::soft {
namespace {

using gradient::full_network;
using gradient::Loss;
using gradient::Network;
using gradient::Rows;

Rows<float> two_rows() {
  Rows<float> rows;
  rows.count = 2;
  rows.stride = 4;
  rows.cells = {0, 0, 0, 0, 1, 2, 0, 0};
  rows.target = {0, 1};
  rows.weight = {0.5, 1.5};
  return rows;
}

// A tree that answers the same everywhere.
std::vector<float> constant_tree(const Network& net, const std::vector<float>& outputs) {
  std::vector<float> parameters(net.parameters(), 0.0F);
  for (size_t leaf = 0; leaf < net.leaves; ++leaf) {
    for (size_t k = 0; k < outputs.size(); ++k) {
      parameters[net.constant_at(net.unit_of_leaf(leaf, k))] = outputs[k];
    }
  }
  return parameters;
}

TEST(TaughtRows, HaveTheMeanAnswerAsTheirTarget) {
  const Network numbers = full_network(1, 2, 1, false, Loss::squared);
  const std::vector<std::vector<float>> teachers = {constant_tree(numbers, {1}),
                                                    constant_tree(numbers, {4})};
  for (const float target : taught_rows(numbers, teachers, two_rows()).target) {
    EXPECT_FLOAT_EQ(target, 2.5F);
  }
  const Network two = full_network(1, 2, 1, false, Loss::logistic);
  const std::vector<std::vector<float>> classes = {constant_tree(two, {0}),
                                                   constant_tree(two, {std::log(3.0F)})};
  for (const float target : taught_rows(two, classes, two_rows()).target) {
    EXPECT_NEAR(target, (0.5 + 0.75) / 2, 1e-6);
  }
}

TEST(TaughtRows, OfSeveralClassesHaveShares) {
  const Network net = full_network(2, 2, 3, false, Loss::softmax);
  const std::vector<std::vector<float>> teachers = {
      constant_tree(net, {0, 0, 0}), constant_tree(net, {0, std::log(2.0F), std::log(3.0F)})};
  const Rows<float> rows = taught_rows(net, teachers, two_rows());
  ASSERT_EQ(rows.shares.size(), 2U * 3);
  for (size_t i = 0; i < rows.count; ++i) {
    EXPECT_NEAR(rows.shares[3 * i], (1 / 3.0 + 1 / 6.0) / 2, 1e-6);
    EXPECT_NEAR(rows.shares[3 * i + 2], (1 / 3.0 + 1 / 2.0) / 2, 1e-6);
  }
  // A tree that answers just these shares can't do better.
  const std::vector<float> same = constant_tree(
      net, {std::log(rows.shares[0]), std::log(rows.shares[1]), std::log(rows.shares[2])});
  std::vector<uint32_t> all = {0, 1};
  std::vector<float> gradient(net.parameters(), 0.0F);
  gradient::Kernel<float> kernel(net);
  kernel.backward(same.data(), rows, all, gradient.data());
  for (const float slope : gradient) EXPECT_NEAR(slope, 0, 1e-6);
  EXPECT_LT(measure(net, same.data(), rows).loss, measure(net, teachers[0].data(), rows).loss);
}

}  // namespace
}  // namespace softwood::soft
