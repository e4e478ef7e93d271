#include "stages/soft/teach.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace softwood::soft {

using gradient::Loss;
using gradient::Network;
using gradient::Rows;

namespace {

// Numbers as they are; classes as probabilities: of the second one where there are two.
void to_answers(const Network& net, std::span<double> outputs) {
  if (net.loss == Loss::logistic) {
    outputs[0] = 1 / (1 + std::exp(-outputs[0]));
  } else if (net.loss == Loss::softmax) {
    const double top = *std::max_element(outputs.begin(), outputs.end());
    double sum = 0;
    for (double& output : outputs) sum += output = std::exp(output - top);
    for (double& output : outputs) output /= sum;
  }
}

}  // namespace

Rows<float> taught_rows(const Network& net, std::span<const std::vector<float>> teachers,
                        const Rows<float>& rows) {
  Rows<float> taught = rows;
  const size_t width = net.outputs;
  std::vector<double> sums(taught.count * width, 0.0), outputs(width);
  std::vector<uint32_t> all(taught.count);
  std::iota(all.begin(), all.end(), 0U);
  gradient::Kernel<float> kernel(net);
  for (const std::vector<float>& teacher : teachers) {
    for (size_t begin = 0; begin < taught.count; begin += gradient::block_rows) {
      const size_t count = std::min(gradient::block_rows, taught.count - begin);
      kernel.forward(teacher.data(), taught, std::span(all).subspan(begin, count));
      for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < width; ++k) outputs[k] = kernel.output(k, i);
        to_answers(net, outputs);
        for (size_t k = 0; k < width; ++k) sums[(begin + i) * width + k] += outputs[k];
      }
    }
  }
  std::vector<float>& targets = net.loss == Loss::softmax ? taught.shares : taught.target;
  targets.resize(sums.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    targets[i] = static_cast<float>(sums[i] / static_cast<double>(teachers.size()));
  }
  return taught;
}

}  // namespace softwood::soft
