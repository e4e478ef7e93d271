// A network row by row and node by node, as one would write it first: the reference of the kernel.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "gradient/kernel.h"

namespace softwood::test {

class PlainNetwork {
 public:
  explicit PlainNetwork(const gradient::Network& net) : net_(net) {}

  // Adds the gradient of the sum of the losses of the rows.
  void backward(const std::vector<double>& p, const gradient::Rows<double>& rows,
                std::span<const uint32_t> chosen, std::vector<double>& gradient) {
    using gradient::Loss;
    const size_t nodes = net_.nodes.size(), outputs = net_.outputs;
    score_.resize(net_.gates());
    gate_.resize(net_.gates());
    path_.resize(nodes);
    slope_.resize(nodes);
    answer_.resize(net_.leaves * outputs);
    for (const uint32_t row : chosen) {
      x_ = &rows.cells[row * rows.stride];
      fixed_ = net_.fixed_columns > 0 ? &rows.fixed[row * net_.fixed_columns] : nullptr;
      given_.assign(net_.gates(), -1);
      for (const gradient::Given& given : rows.given) {
        if (given.row == row) given_[given.gate] = static_cast<double>(given.weight);
      }
      forward(p);
      set_output_slopes(rows.target[row], rows.weight[row]);
      for (size_t i = nodes; i-- > 0;) {
        if (net_.nodes[i].leaf >= 0) {
          leaf_backward(i, gradient);
        } else {
          node_backward(i, p, gradient);
        }
      }
    }
  }

 private:
  double unit(const std::vector<double>& p, size_t u, bool scored) const {
    double sum = p[net_.constant_at(u)];
    for (size_t t = 0; scored && t < net_.terms; ++t) sum += p[net_.weight_at(u, t)] * x_[t];
    return sum;
  }

  void forward(const std::vector<double>& p) {
    path_[0] = 1;
    output_.assign(net_.outputs, 0.0);
    for (size_t i = 0; i < net_.nodes.size(); ++i) {
      const gradient::NetNode& node = net_.nodes[i];
      if (node.leaf >= 0) {
        mix_leaf(p, static_cast<size_t>(node.leaf), path_[i]);
      } else if (node.gate < 0) {
        for (size_t c = 0; c < node.children; ++c) {
          path_[node.first + c] = path_[i] * fixed_[static_cast<size_t>(node.fixed) + c];
        }
      } else {
        const auto g = static_cast<size_t>(node.gate);
        score_[g] = unit(p, g, true);
        gate_[g] = given_[g] >= 0 ? given_[g] : link(p, g);
        path_[node.first] = path_[i] * gate_[g];
        path_[node.first + 1] = path_[i] * (1 - gate_[g]);
      }
    }
  }

  double width(const std::vector<double>& p, size_t g) const {
    return std::exp(p[net_.widths_at() + 2 * g + (score_[g] >= 0 ? 0 : 1)]);
  }
  double link(const std::vector<double>& p, size_t g) const {
    if (net_.links[g] == gradient::SoftLink::logistic) return 1 / (1 + std::exp(-score_[g]));
    return std::min(1.0, std::max(0.0, 0.5 + score_[g] / (2 * width(p, g))));
  }

  void mix_leaf(const std::vector<double>& p, size_t leaf, double path) {
    double* const answer = &answer_[leaf * net_.outputs];
    for (size_t k = 0; k < net_.outputs; ++k) {
      answer[k] = unit(p, net_.unit_of_leaf(leaf, k), net_.linear_leaves);
    }
    if (gradient::mixes_answers(net_.loss)) {
      double sum = 0;
      for (size_t k = 0; k < net_.outputs; ++k) sum += answer[k] = std::exp(answer[k]);
      for (size_t k = 0; k < net_.outputs; ++k) answer[k] /= sum;
    }
    for (size_t k = 0; k < net_.outputs; ++k) output_[k] += path * answer[k];
  }

  void set_output_slopes(double target, double weight) {
    using gradient::Loss;
    down_.assign(net_.outputs, 0.0);
    const auto own = static_cast<size_t>(std::max(0.0, target));
    double sum = 0;
    if (net_.loss == Loss::softmax) {
      for (const double value : output_) sum += std::exp(value);
    }
    for (size_t k = 0; k < net_.outputs; ++k) {
      const double is_own = k == own ? 1 : 0, value = output_[k];
      if (net_.loss == Loss::squared) down_[k] = value - target;
      if (net_.loss == Loss::logistic) down_[k] = 1 / (1 + std::exp(-value)) - target;
      if (net_.loss == Loss::softmax) down_[k] = std::exp(value) / sum - is_own;
      if (net_.loss == Loss::mixed_log) down_[k] = -is_own / value;
      if (net_.loss == Loss::mixed_exponential) down_[k] = -4 * is_own * std::exp(-4 * value);
      if (net_.loss == Loss::mixed_squared) down_[k] = value - is_own;
      down_[k] *= weight;
    }
  }

  void leaf_backward(size_t i, std::vector<double>& gradient) {
    const auto leaf = static_cast<size_t>(net_.nodes[i].leaf);
    const double* const answer = &answer_[leaf * net_.outputs];
    slope_[i] = 0;
    for (size_t k = 0; k < net_.outputs; ++k) slope_[i] += down_[k] * answer[k];
    for (size_t k = 0; k < net_.outputs; ++k) {
      double by = path_[i] * down_[k];
      if (gradient::mixes_answers(net_.loss)) by = answer[k] * path_[i] * (down_[k] - slope_[i]);
      add_unit(net_.unit_of_leaf(leaf, k), by, net_.linear_leaves, gradient);
    }
  }

  void node_backward(size_t i, const std::vector<double>& p, std::vector<double>& gradient) {
    const gradient::NetNode& node = net_.nodes[i];
    slope_[i] = 0;
    if (node.gate < 0) {
      for (size_t c = 0; c < node.children; ++c) {
        slope_[i] += fixed_[static_cast<size_t>(node.fixed) + c] * slope_[node.first + c];
      }
      return;
    }
    const auto g = static_cast<size_t>(node.gate);
    const double left = slope_[node.first], right = slope_[node.first + 1];
    slope_[i] = gate_[g] * left + (1 - gate_[g]) * right;
    if (given_[g] >= 0) return;
    const double by_gate = path_[i] * (left - right);
    if (net_.links[g] == gradient::SoftLink::logistic) {
      add_unit(g, by_gate * gate_[g] * (1 - gate_[g]), true, gradient);
    } else if (gate_[g] > 0 && gate_[g] < 1) {
      const double wide = width(p, g);
      add_unit(g, by_gate / (2 * wide), true, gradient);
      gradient[net_.widths_at() + 2 * g + (score_[g] >= 0 ? 0 : 1)] -=
          by_gate * score_[g] / (2 * wide);
    }
  }

  void add_unit(size_t u, double by, bool scored, std::vector<double>& gradient) const {
    gradient[net_.constant_at(u)] += by;
    for (size_t t = 0; scored && t < net_.terms; ++t) gradient[net_.weight_at(u, t)] += by * x_[t];
  }

  const gradient::Network& net_;
  const double* x_ = nullptr;
  const double* fixed_ = nullptr;
  std::vector<double> given_;  // weight of child 0 that a row has at a gate; -1: none
  std::vector<double> score_, gate_, path_, slope_, answer_, output_, down_;
};

}  // namespace softwood::test
