#include "gradient/trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "base/random.h"
#include "base/vectors.h"

#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
#include <immintrin.h>
#endif

namespace softwood::gradient {

namespace {

constexpr size_t first_check = 10;
// Training goes on for some time even when nothing is better than the start.
constexpr size_t least_steps = 200;

constexpr float beta1 = 0.9F, beta2 = 0.99F;  // what the running moments keep in a step

// What all numbers have in common in one step.
struct StepFactors {
  float scale, rate, shrink, threshold, correct1, correct2, keep;
};
// The numbers of a step, as many of each.
struct StepNumbers {
  const float* gradient;
  const float* pace;
  const float* decay;
  float* values;
  float* mean;
  float* first;
  float* second;
};

// Numbers that an instruction works on, wherever they stand.
struct One {
  using Vec = float;
};
struct Eight {
  using Vec __attribute__((vector_size(32), aligned(4), may_alias)) = float;
};
struct Sixteen {
  using Vec __attribute__((vector_size(64), aligned(4), may_alias)) = float;
};

// `root` takes the square root of numbers. Compiled for several processors: division and square
// root round alike on all of them.
template <class Numbers, class Root>
SOFTWOOD_BODY void step_at(const StepNumbers& n, const StepFactors& f, size_t i, Root root) {
  using V = typename Numbers::Vec;
  constexpr float tiny = 1e-8F;
  const auto in = [i](const float* p) -> const V& { return *reinterpret_cast<const V*>(p + i); };
  const auto out = [i](float* p) -> V& { return *reinterpret_cast<V*>(p + i); };
  const V one = V{} + 1.0F;
  const V g = in(n.gradient) * f.scale;
  const V m = in(n.first) + (1 - beta1) * (g - in(n.first));
  const V v = in(n.second) + (1 - beta2) * (g * g - in(n.second));
  V size = v * f.correct2;
  root(size);
  const V direction = m * f.correct1 / (size + tiny);
  // A decay of more than the whole number would make it grow with another sign.
  const V wanted = in(n.pace) * f.shrink * in(n.decay), part = wanted < one ? wanted : one;
  const V moved_to = in(n.values) - (in(n.pace) * f.rate * direction + part * in(n.values));
  const V cut = in(n.pace) * f.threshold * in(n.decay);
  const V below = moved_to < -cut ? -cut : moved_to;
  const V value = moved_to - (cut < below ? cut : below);
  const V moved = f.keep * in(n.mean) + (1 - f.keep) * value;
  out(n.first) = m;
  out(n.second) = v;
  out(n.values) = value;
  // What does not move must not drift by the rounding of its mean.
  const V mean = in(n.mean);
  out(n.mean) = value == mean ? mean : moved;
}

void step_portable(const StepNumbers& numbers, const StepFactors& factors, size_t from,
                   size_t count) {
#if !defined(__clang__)
#pragma GCC ivdep  // none of the numbers is another
#endif
  for (size_t i = from; i < count; ++i) {
    step_at<One>(numbers, factors, i, [](float& v) { v = std::sqrt(v); });
  }
}
#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
SOFTWOOD_AVX2 void step_avx2(const StepNumbers& numbers, const StepFactors& factors, size_t count) {
  const size_t whole = count / 8 * 8;
  for (size_t i = 0; i < whole; i += 8) {
    step_at<Eight>(numbers, factors, i, [](Eight::Vec& v) SOFTWOOD_AVX2 { v = _mm256_sqrt_ps(v); });
  }
  step_portable(numbers, factors, whole, count);
}
SOFTWOOD_AVX512 void step_avx512(const StepNumbers& numbers, const StepFactors& factors,
                                 size_t count) {
  const size_t whole = count / 16 * 16;
  for (size_t i = 0; i < whole; i += 16) {
    step_at<Sixteen>(numbers, factors, i,
                     [](Sixteen::Vec& v) SOFTWOOD_AVX512 { v = _mm512_sqrt_ps(v); });
  }
  step_portable(numbers, factors, whole, count);
}
#endif

// The numbers with their running moments.
class Adam {
 public:
  Adam(const Start& start, const Schedule& schedule)
      : start_(start),
        schedule_(schedule),
        values_(start.parameters),
        mean_(start.parameters),
        first_(values_.size(), 0.0F),
        second_(values_.size(), 0.0F) {}

  const std::vector<float>& values() const { return values_; }
  // Weights that the l1 penalty holds at 0 are 0, though their running mean is not yet.
  const std::vector<float>& mean() {
    if (!(schedule_.l1 > 0)) return mean_;
    sparse_mean_ = mean_;
    for (size_t i = 0; i < values_.size(); ++i) {
      if (values_[i] == 0 && start_.decay[i] > 0) sparse_mean_[i] = 0;
    }
    return sparse_mean_;
  }

  // `scale`: of the gradient, so that it is a mean over rows.
  void step(const std::vector<float>& gradient, float scale, double rate) {
    ++count_;
    const auto n = static_cast<double>(count_);
    StepFactors factors{};
    factors.scale = scale;
    factors.rate = static_cast<float>(rate);
    factors.shrink = static_cast<float>(rate * schedule_.decay);
    factors.threshold = static_cast<float>(rate * schedule_.l1);
    factors.correct1 = static_cast<float>(1 / (1 - std::pow(double{beta1}, n)));
    factors.correct2 = static_cast<float>(1 / (1 - std::pow(double{beta2}, n)));
    // A mean over the steps made so far at first, later one that forgets.
    factors.keep = static_cast<float>(std::min(schedule_.average, n / (n + 10)));
    const StepNumbers numbers{gradient.data(), start_.pace.data(), start_.decay.data(),
                              values_.data(),  mean_.data(),       first_.data(),
                              second_.data()};
#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
    if (schedule_.most == Instructions::avx512 && use_avx512()) {
      step_avx512(numbers, factors, values_.size());
      return;
    }
    if (schedule_.most != Instructions::portable && use_avx2()) {
      step_avx2(numbers, factors, values_.size());
      return;
    }
#endif
    step_portable(numbers, factors, 0, values_.size());
  }

 private:
  const Start& start_;
  const Schedule& schedule_;
  std::vector<float> values_, mean_, sparse_mean_, first_, second_;
  size_t count_ = 0;
};

double rate_at(const Schedule& schedule, size_t step) {
  const double warm = 0.05 * static_cast<double>(schedule.steps);
  const auto now = static_cast<double>(step);
  if (now < warm) return schedule.rate * (now + 1) / (warm + 1);
  const double rest = (now - warm) / std::max(1.0, static_cast<double>(schedule.steps) - warm);
  return schedule.rate * 0.5 * (1 + std::cos(std::numbers::pi * rest));
}

bool is_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

// Row numbers in a new order each time that all were given out.
class Batches {
 public:
  Batches(size_t rows, uint64_t seed) : order_(rows), seed_(seed) {
    std::iota(order_.begin(), order_.end(), 0U);
    next_ = rows;
  }
  std::span<const uint32_t> take(size_t most) {
    if (next_ >= order_.size()) {
      Random(seed_, "batches", pass_++).shuffle(order_);
      next_ = 0;
    }
    const size_t count = std::min(most, order_.size() - next_);
    next_ += count;
    return std::span(order_).subspan(next_ - count, count);
  }

 private:
  std::vector<uint32_t> order_;
  uint64_t seed_;
  uint64_t pass_ = 0;
  size_t next_ = 0;
};

}  // namespace

Outcome train(const Network& net, const Rows<float>& rows, const Rows<float>* held_out,
              const Start& start, const Schedule& schedule, uint64_t seed, const Control& control) {
  Outcome best;
  best.parameters = start.parameters;
  best.held_out.loss = std::numeric_limits<double>::infinity();
  // Many fits that wait for their turn must not measure all their rows first.
  const auto is_interrupted = [&] { return !control.must_finish && control.interrupted(); };
  best.stopped = is_interrupted();
  if (best.stopped) return best;
  // Of the held-out rows; without them of the training rows.
  const Rows<float>& judges = held_out != nullptr ? *held_out : rows;
  const std::vector<uint32_t> order = by_leaf(net, start.parameters.data(), judges);
  const auto ask = [&](const std::vector<float>& parameters, size_t steps) {
    if (!schedule.keep_losses)
      return measure<float>(net, parameters.data(), judges, nullptr, order);
    best.checks.push_back({steps, {}});
    return measure(net, parameters.data(), judges, &best.checks.back().losses, order);
  };
  if (held_out != nullptr) best.held_out = ask(start.parameters, 0);
  Kernel<float> kernel(net, schedule.most);
  Adam adam(start, schedule);
  Batches batches(rows.count, seed);
  std::vector<float> gradient(net.parameters());
  size_t next_check = first_check;
  for (size_t step = 0; step < schedule.last && rows.count > 0; ++step) {
    std::fill(gradient.begin(), gradient.end(), 0.0F);
    const std::span<const uint32_t> batch = batches.take(schedule.batch);
    for (size_t begin = 0; begin < batch.size(); begin += block_rows) {
      kernel.backward(adam.values().data(), rows,
                      batch.subspan(begin, std::min(block_rows, batch.size() - begin)),
                      gradient.data());
    }
    // By the mean weight of all rows, which is 1: by that of the batch, heavy rows would count less
    // than the loss says.
    adam.step(gradient, 1 / static_cast<float>(batch.size()), rate_at(schedule, step));
    const size_t done = step + 1;
    best.stopped = control.should_stop().has_value();
    if (best.stopped) break;
    if (done < next_check && done != schedule.last) continue;
    next_check = done + std::max<size_t>(first_check, done / 10);
    if (schedule.progress) {
      schedule.progress(static_cast<double>(done) / static_cast<double>(schedule.last));
    }
    if (!is_finite(adam.mean())) break;
    if (held_out == nullptr) continue;
    const Fit fit = ask(adam.mean(), done);
    if (fit.loss < best.held_out.loss) {
      best.parameters = adam.mean();
      best.held_out = fit;
      best.steps = done;
    }
    const auto enough = static_cast<double>(std::max(best.steps, least_steps));
    if (static_cast<double>(done) > schedule.patience * enough) break;
  }
  if (held_out != nullptr) return best;
  if (is_finite(adam.mean())) {
    best.parameters = adam.mean();
    best.steps = schedule.last;
  }
  if (!is_interrupted()) best.held_out = ask(best.parameters, best.steps);
  return best;
}

}  // namespace softwood::gradient
