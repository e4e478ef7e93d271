#include "stages/soft/published.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "data/typical.h"
#include "gradient/emit.h"
#include "stages/soft/hard_start.h"
#include "stages/soft/online_split.h"

namespace softwood::soft {

using gradient::Loss;
using gradient::Rows;

namespace {

constexpr double first_rate = 5;
constexpr double small_weight = 0.005;  // size of the random numbers at the start
constexpr double least_reach = 1;       // rows of mean weight, to start from a hard split

struct SoftNode {
  std::vector<double> weights;  // of the terms, then the constant; empty: a leaf
  std::vector<double> answer;   // of a leaf
  size_t left = 0;              // the right child follows it
};

// Rows with what the tree answers for them now, and how much of them reaches the node in question.
struct Answers {
  const Rows<double>& rows;
  std::vector<double> outputs;  // F_root, row after row

  const double* cells(size_t i) const { return &rows.cells[i * rows.stride]; }
};

class Learner {
 public:
  Learner(const Context& context, const PublishedSettings& settings, Loss loss, size_t outputs,
          const Rows<double>& train, const Rows<double>& held_out, size_t terms)
      : context_(context),
        settings_(settings),
        loss_(loss),
        outputs_(outputs),
        terms_(terms),
        train_{train, std::vector<double>(train.count * outputs, 0.0)},
        held_{held_out, std::vector<double>(held_out.count * outputs, 0.0)} {
    nodes_.push_back({{}, constant_answer(), 0});
    fill(train_, nodes_[0].answer);
    fill(held_, nodes_[0].answer);
  }

  void grow() {
    struct Open {
      size_t node;
      std::vector<double> train_path, held_path;
    };
    std::vector<Open> open;
    open.push_back({0, std::vector<double>(train_.rows.count, 1.0),
                    std::vector<double>(held_.rows.count, 1.0)});
    size_t tried = 0;
    while (!open.empty() && terms_ > 0) {
      if (const auto stop = context_.control.should_stop()) {
        context_.report.stopped = *stop;
        return;
      }
      Open here = std::move(open.back());
      open.pop_back();
      // The share done is not known: it is said that each split opens one more.
      context_.control.report("growing", static_cast<double>(tried),
                              static_cast<double>(tried + 1 + open.size()));
      ++tried;
      const std::optional<Split> split = try_splits(here.node, here.train_path, here.held_path);
      if (!split) continue;
      const size_t left = keep(here.node, *split, here.train_path, here.held_path);
      Open right{left + 1, here.train_path, here.held_path};
      pass_on(train_, *split, here.train_path, right.train_path);
      pass_on(held_, *split, here.held_path, right.held_path);
      open.push_back(std::move(right));
      open.push_back({left, std::move(here.train_path), std::move(here.held_path)});
    }
  }

  const std::vector<SoftNode>& nodes() const { return nodes_; }

 private:
  // F of a single leaf: the mean, or the logarithms of the class shares.
  std::vector<double> constant_answer() const {
    return leaf_answer(loss_, outputs_, train_.rows, std::vector<double>(train_.rows.count, 1.0));
  }

  void fill(Answers& answers, const std::vector<double>& value) const {
    for (size_t i = 0; i < answers.outputs.size(); ++i) answers.outputs[i] = value[i % outputs_];
  }

  double error_of(const double* output, double target) const {
    if (loss_ == Loss::squared) return (output[0] - target) * (output[0] - target);
    if (loss_ == Loss::logistic) return (output[0] > 0) == (target > 0) ? 0 : 1;
    return static_cast<double>(std::max_element(output, output + outputs_) - output) == target ? 0
                                                                                               : 1;
  }

  // ErrorOfTree(V) with a split in place of the leaf, or with the leaf.
  double held_out_error(size_t node, const std::vector<double>& path, const Split* split) const {
    double sum = 0, total = 0;
    std::vector<double> output(outputs_);
    for (size_t i = 0; i < held_.rows.count; ++i) {
      std::copy_n(&held_.outputs[i * outputs_], outputs_, output.begin());
      if (split != nullptr) {
        const double g = split->gate(held_.cells(i));
        for (size_t k = 0; k < outputs_; ++k) {
          output[k] += path[i] * split->change(g, k, nodes_[node].answer);
        }
      }
      sum += held_.rows.weight[i] * error_of(output.data(), held_.rows.target[i]);
      total += held_.rows.weight[i];
    }
    return total > 0 ? sum / total : 0;
  }

  std::optional<Split> try_splits(size_t node, const std::vector<double>& train_path,
                                  const std::vector<double>& held_path) const {
    const std::optional<HardStart> start =
        hard_start(loss_, outputs_, train_.rows, terms_, train_path);
    if (!start) return std::nullopt;
    const double before = held_out_error(node, held_path, nullptr);
    std::vector<Split> splits(settings_.tries);
    std::vector<double> after(settings_.tries, before);
    context_.parallel.each(settings_.tries, [&](size_t t) {
      splits[t] = train_split(node, *start, train_path, t);
      const double error = held_out_error(node, held_path, &splits[t]);
      if (std::isfinite(error)) after[t] = error;
    });
    const auto best =
        static_cast<size_t>(std::min_element(after.begin(), after.end()) - after.begin());
    if (!(after[best] < before - settings_.least_gain)) return std::nullopt;
    return std::move(splits[best]);
  }

  // Line 3 of the listing.
  Split first_split(const HardStart& start, Random& random) const {
    const auto small = [&] { return small_weight * (2 * random.uniform() - 1); };
    Split split{std::vector<double>(terms_ + 1), start.left, start.right};
    std::generate(split.weights.begin(), split.weights.end(), small);
    if (start.reach > least_reach) {
      split.weights[start.term] = start.weight;
      split.weights[terms_] = start.constant;
    } else {
      std::generate(split.left.begin(), split.left.end(), small);
      std::generate(split.right.begin(), split.right.end(), small);
    }
    return split;
  }

  // A row of weight 3 takes three steps in a pass, as three copies would: one long step may jump
  // over the best place.
  size_t steps_of(size_t row) const {
    constexpr double most = 1000;
    return static_cast<size_t>(std::ceil(std::clamp(train_.rows.weight[row], 1.0, most)));
  }

  // Lines 3 to 11 of the listing.
  Split train_split(size_t node, const HardStart& start, const std::vector<double>& path,
                    size_t t) const {
    Random random(context_.seed, "soft split", node * settings_.tries + t);
    OnlineTraining training(loss_, settings_.momentum, nodes_[node].answer,
                            first_split(start, random));
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < train_.rows.count; ++i) order.insert(order.end(), steps_of(i), i);
    double rate = std::ldexp(first_rate, -static_cast<int>(t));
    for (size_t epoch = 0; epoch < settings_.epochs; ++epoch) {
      random.shuffle(order);
      for (const uint32_t i : order) {
        training.step({train_.cells(i), &train_.outputs[i * outputs_], train_.rows.target[i],
                       train_.rows.weight[i] / static_cast<double>(steps_of(i)), path[i]},
                      rate);
        rate *= settings_.rate_decay;
      }
    }
    return training.split();
  }

  size_t keep(size_t node, const Split& split, const std::vector<double>& train_path,
              const std::vector<double>& held_path) {
    const auto change = [&](Answers& answers, const std::vector<double>& path) {
      for (size_t i = 0; i < answers.rows.count; ++i) {
        const double g = split.gate(answers.cells(i));
        for (size_t k = 0; k < outputs_; ++k) {
          answers.outputs[i * outputs_ + k] += path[i] * split.change(g, k, nodes_[node].answer);
        }
      }
    };
    change(train_, train_path);
    change(held_, held_path);
    nodes_[node].weights = split.weights;
    nodes_[node].left = nodes_.size();
    nodes_.push_back({{}, split.left, 0});
    nodes_.push_back({{}, split.right, 0});
    return nodes_[node].left;
  }

  // From the shares at a node to those at its children.
  static void pass_on(const Answers& answers, const Split& split, std::vector<double>& left,
                      std::vector<double>& right) {
    for (size_t i = 0; i < left.size(); ++i) {
      const double g = split.gate(answers.cells(i));
      right[i] = left[i] * (1 - g);
      left[i] *= g;
    }
  }

  const Context& context_;
  const PublishedSettings& settings_;
  Loss loss_;
  size_t outputs_, terms_;
  Answers train_, held_;
  std::vector<SoftNode> nodes_;
};

// The nodes in breadth-first order, and their numbers.
gradient::Network network_of(const std::vector<SoftNode>& nodes, size_t terms, size_t outputs,
                             Loss loss, std::vector<size_t>& order) {
  gradient::Network net;
  net.terms = terms;
  net.outputs = outputs;
  net.loss = loss;
  order = {0};
  for (size_t next = 0; next < order.size(); ++next) {
    const SoftNode& node = nodes[order[next]];
    if (node.weights.empty()) {
      net.nodes.push_back({0, 0, -1, -1, static_cast<int32_t>(net.leaves++)});
      continue;
    }
    net.nodes.push_back(
        {static_cast<uint32_t>(order.size()), 2, static_cast<int32_t>(net.links.size()), -1, -1});
    net.links.push_back(gradient::SoftLink::logistic);
    order.push_back(node.left);
    order.push_back(node.left + 1);
  }
  return net;
}

}  // namespace

Tree grow_published(const Context& context, const fit::HeldOut& held,
                    const PublishedSettings& settings) {
  const Sample train = held.train(), others = held.held_out();
  const Table& table = *train.table;
  const Control& control = context.control;
  const gradient::Inputs inputs(train, typical_values(table, train.rows, control),
                                gradient::Map::none, gradient::Products::none, control);
  const gradient::TargetScale scale = gradient::target_scale(train);
  const Rows<double> rows = inputs.rows<double>({&train, 1}, scale, control);
  const Rows<double> held_out = inputs.rows<double>({&others, 1}, scale, control);
  const Loss loss = gradient::usual_loss(table);
  const size_t outputs = gradient::outputs_for(loss, table);
  Learner learner(context, settings, loss, outputs, rows, held_out, inputs.terms());
  learner.grow();
  std::vector<size_t> order;
  const gradient::Network net = network_of(learner.nodes(), inputs.terms(), outputs, loss, order);
  std::vector<float> parameters(net.parameters(), 0.0F);
  for (size_t i = 0; i < order.size(); ++i) {
    const SoftNode& node = learner.nodes()[order[i]];
    if (net.nodes[i].leaf >= 0) {
      for (size_t k = 0; k < outputs; ++k) {
        const size_t unit = net.unit_of_leaf(static_cast<size_t>(net.nodes[i].leaf), k);
        parameters[net.constant_at(unit)] = static_cast<float>(node.answer[k]);
      }
      continue;
    }
    const auto gate = static_cast<size_t>(net.nodes[i].gate);
    for (size_t t = 0; t < inputs.terms(); ++t) {
      parameters[net.weight_at(gate, t)] = static_cast<float>(node.weights[t]);
    }
    parameters[net.constant_at(gate)] = static_cast<float>(node.weights.back());
  }
  // Validation rows took no part in the fit; held-out training rows are training rows.
  const std::vector<Sample> all = held.all();
  return gradient::emit_tree(net, parameters, inputs, scale, std::span(all).first(1));
}

}  // namespace softwood::soft
