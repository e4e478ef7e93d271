#include "gradient/network.h"

namespace softwood::gradient {

Network full_network(size_t depth, size_t terms, size_t outputs, bool linear_leaves, Loss loss) {
  Network net;
  net.terms = terms;
  net.outputs = outputs;
  net.linear_leaves = linear_leaves;
  net.loss = loss;
  const size_t gates = (size_t{1} << depth) - 1;
  net.leaves = gates + 1;
  net.links.assign(gates, LinkForm::logistic);
  for (size_t i = 0; i < gates; ++i) {
    net.nodes.push_back({static_cast<uint32_t>(2 * i + 1), 2, static_cast<int32_t>(i), -1, -1});
  }
  for (size_t l = 0; l < net.leaves; ++l) {
    net.nodes.push_back({0, 0, -1, -1, static_cast<int32_t>(l)});
  }
  return net;
}

}  // namespace softwood::gradient
