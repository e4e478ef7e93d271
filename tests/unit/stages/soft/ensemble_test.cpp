// Ensembles of soft trees, and the rows that a student learns from them.
#include "stages/soft/ensemble.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gradient/start.h"
#include "stages/soft/distill.h"

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

TEST(Answers, AreNumbersOrProbabilities) {
  const Network numbers = full_network(1, 2, 1, false, Loss::squared);
  EXPECT_EQ(answers_of(numbers, constant_tree(numbers, {4}), two_rows()),
            (std::vector<double>{4, 4}));
  const Network two = full_network(1, 2, 1, false, Loss::logistic);
  for (const double answer : answers_of(two, constant_tree(two, {std::log(3.0F)}), two_rows())) {
    EXPECT_NEAR(answer, 0.75, 1e-6);
  }
  const Network three = full_network(2, 2, 3, false, Loss::softmax);
  const std::vector<double> shares =
      answers_of(three, constant_tree(three, {0, std::log(2.0F), std::log(3.0F)}), two_rows());
  ASSERT_EQ(shares.size(), 2U * 3);
  for (size_t i = 0; i < shares.size(); ++i) {
    EXPECT_NEAR(shares[i], static_cast<double>(1 + i % 3) / 6, 1e-6);
  }
}

TEST(DistilledRows, HaveTheAnswersAsTheirTargets) {
  const Network numbers = full_network(1, 2, 1, false, Loss::squared);
  EXPECT_EQ(distilled_rows(numbers, std::vector<double>{2.5, 3}, two_rows()).target,
            (std::vector<float>{2.5F, 3}));
  const Network net = full_network(2, 2, 3, false, Loss::softmax);
  const Rows<float> rows =
      distilled_rows(net, std::vector<double>{0.25, 0.25, 0.5, 0.25, 0.25, 0.5}, two_rows());
  // A tree that answers just these shares can't do better.
  const std::vector<float> same = constant_tree(net, {0, 0, std::log(2.0F)});
  std::vector<uint32_t> all = {0, 1};
  std::vector<float> gradient(net.parameters(), 0.0F);
  gradient::Kernel<float> kernel(net);
  kernel.backward(same.data(), rows, all, gradient.data());
  for (const float slope : gradient) EXPECT_NEAR(slope, 0, 1e-6);
  EXPECT_LT(measure(net, same.data(), rows).loss,
            measure(net, constant_tree(net, {0, 0, 0}).data(), rows).loss);
}

TEST(Ensemble, IsOfTreesThatMakeUpForEachOther) {
  // Targets 0 and 1: the first tree alone is best, but two others are right together.
  const Network net = full_network(1, 2, 1, false, Loss::squared);
  const std::vector<std::vector<double>> answers = {{0.3, 0.7}, {-1, 1}, {1, 1}, {9, 9}};
  EXPECT_EQ(best_members(net, answers, two_rows(), 1), (std::vector<size_t>{0}));
  const std::vector<size_t> chosen = best_members(net, answers, two_rows(), 8);
  EXPECT_EQ(std::count(chosen.begin(), chosen.end(), 3), 0);
  EXPECT_GT(std::count(chosen.begin(), chosen.end(), 1), 1);
  EXPECT_GT(std::count(chosen.begin(), chosen.end(), 2), 0);
}

TEST(Ensemble, OfClassesHasTheLeastLogLoss) {
  // The second row weighs three times as much as the first.
  const Network net = full_network(1, 2, 1, false, Loss::logistic);
  const std::vector<std::vector<double>> answers = {{0.4, 0.5}, {0.7, 0.8}};
  EXPECT_EQ(best_members(net, answers, two_rows(), 1), (std::vector<size_t>{1}));
  const Network three = full_network(1, 2, 3, false, Loss::softmax);
  const std::vector<std::vector<double>> shares = {{0.6, 0.2, 0.2, 0.4, 0.2, 0.4},
                                                   {0.5, 0.3, 0.2, 0.1, 0.6, 0.3}};
  EXPECT_EQ(best_members(three, shares, two_rows(), 1), (std::vector<size_t>{1}));
}

}  // namespace
}  // namespace softwood::soft
