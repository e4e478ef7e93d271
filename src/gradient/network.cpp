#include "gradient/network.h"

namespace softwood::gradient {

std::optional<SoftLink> soft_link(LinkForm form) {
  switch (form) {
    case LinkForm::step:
      return std::nullopt;
    case LinkForm::ramp:
      return SoftLink::ramp;
    case LinkForm::logistic:
      return SoftLink::logistic;
  }
  return std::nullopt;
}

LinkForm link_form(SoftLink link) {
  switch (link) {
    case SoftLink::ramp:
      return LinkForm::ramp;
    case SoftLink::logistic:
      break;
  }
  return LinkForm::logistic;
}

Network full_network(size_t depth, size_t terms, size_t outputs, bool linear_leaves, Loss loss) {
  Network net;
  net.terms = terms;
  net.outputs = outputs;
  net.linear_leaves = linear_leaves;
  net.loss = loss;
  const size_t gates = (size_t{1} << depth) - 1;
  net.leaves = gates + 1;
  net.links.assign(gates, SoftLink::logistic);
  for (size_t i = 0; i < gates; ++i) {
    net.nodes.push_back({static_cast<uint32_t>(2 * i + 1), 2, static_cast<int32_t>(i), -1, -1});
  }
  for (size_t l = 0; l < net.leaves; ++l) {
    net.nodes.push_back({0, 0, -1, -1, static_cast<int32_t>(l)});
  }
  return net;
}

}  // namespace softwood::gradient
