#include "stages/distilled/ensemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/random.h"
#include "stages/distilled/constants.h"
#include "stages/recipe.h"
#include "use/predict.h"

namespace softwood::distilled {
namespace {

// Fewer where each takes long.
size_t trees_per_part(const Context& context, size_t rows) {
  const Table& table = context.table();
  const size_t cells = rows * (table.features() + table.schema().classes());
  return std::clamp(Constants::cells / std::max<size_t>(1, cells), Constants::least_trees,
                    Constants::most_trees);
}

// Adds the mean of the trees that are grown from `learning` to the answers for `asked`.
class Growing {
 public:
  Growing(const Context& context, double min_split, size_t trees)
      : context_(context),
        recipe_(Recipe::parse(fmt::format("grow split=random min-split={}", min_split))),
        trees_(trees) {}

  std::vector<double> mean_answers(std::span<const RowIndex> learning,
                                   std::span<const Sample> asked, uint64_t stream) const {
    // Answers are kept until they are added, in order.
    const auto together = static_cast<size_t>(std::max(1, context_.parallel.threads()));
    std::vector<double> mean;
    for (size_t first = 0; first < trees_; first += together) {
      std::vector<std::vector<double>> answers(std::min(together, trees_ - first));
      context_.control.throw_if_interrupted();
      context_.parallel.each(answers.size(), [&](size_t i) {
        answers[i] = answers_of_tree(learning, asked, mix64(stream ^ mix64(first + i)));
      });
      for (const std::vector<double>& own : answers) {
        mean.resize(own.size(), 0.0);
        for (size_t k = 0; k < own.size(); ++k) mean[k] += own[k] / static_cast<double>(trees_);
      }
    }
    return mean;
  }

 private:
  std::vector<double> answers_of_tree(std::span<const RowIndex> learning,
                                      std::span<const Sample> asked, uint64_t seed) const {
    const Parallel alone;
    const Training training{context_.derived, learning, std::nullopt, seed};
    const Tree tree = run_recipe(recipe_, training, alone, context_.control.silent()).tree;
    std::vector<double> list;
    for (const Sample& sample : asked) {
      const Predictions own = predict(tree, *sample.table, sample.rows, alone);
      list.insert(list.end(), own.answers.begin(), own.answers.end());
    }
    return list;
  }

  const Context& context_;
  Recipe recipe_;
  size_t trees_;
};

Answers answers_by(const Context& context, std::span<const RowIndex> rows,
                   const std::vector<uint32_t>& part_of, size_t parts, const Sample& synthetic,
                   double min_split, size_t trees) {
  const Table& table = context.table();
  Answers all;
  all.width = std::max<size_t>(1, table.schema().classes());
  all.own.resize(rows.size() * all.width);
  all.synthetic.resize(synthetic.rows.size() * all.width, 0.0);
  const Growing growing(context, min_split, trees);
  for (size_t part = 0; part < parts; ++part) {
    std::vector<RowIndex> learning, others;
    std::vector<size_t> places;
    for (size_t i = 0; i < part_of.size(); ++i) {
      if (part_of[i] != part) {
        learning.push_back(rows[i]);
        continue;
      }
      others.push_back(rows[i]);
      places.push_back(i);
    }
    const std::vector<Sample> asked = {{&table, others}, synthetic};
    const std::vector<double> mean =
        growing.mean_answers(learning, asked, mix64(context.seed ^ mix64(part + 1)));
    for (size_t i = 0; i < places.size(); ++i) {
      std::copy_n(mean.begin() + static_cast<std::ptrdiff_t>(i * all.width), all.width,
                  all.own.begin() + static_cast<std::ptrdiff_t>(places[i] * all.width));
    }
    const size_t begin = places.size() * all.width;
    for (size_t k = 0; k < all.synthetic.size(); ++k) {
      all.synthetic[k] += mean[begin + k] / static_cast<double>(parts);
    }
  }
  return all;
}

// Squared errors of what is answered for the rows themselves.
double loss_of(const Table& table, std::span<const RowIndex> rows, const Answers& answers) {
  double loss = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const RowIndex row = rows[i];
    for (size_t k = 0; k < answers.width; ++k) {
      const double target =
          table.schema().task() == Task::regression
              ? table.target().numbers[row]
              : static_cast<double>(table.target().codes[row] == static_cast<int32_t>(k));
      const double gap = answers.own[i * answers.width + k] - target;
      loss += table.weight(row) * gap * gap;
    }
  }
  return loss;
}

}  // namespace

Answers ensemble_answers(const Context& context, std::span<const RowIndex> rows,
                         const std::vector<uint32_t>& part_of, size_t parts,
                         const Sample& synthetic) {
  // A few trees say which kind is better.
  double best = Constants::min_split[0], least = std::numeric_limits<double>::infinity();
  for (const double min_split : Constants::min_split) {
    const double loss = loss_of(context.table(), rows,
                                answers_by(context, rows, part_of, parts, {synthetic.table, {}},
                                           min_split, Constants::least_trees));
    if (!(loss < least)) continue;
    best = min_split;
    least = loss;
  }
  return answers_by(context, rows, part_of, parts, synthetic, best,
                    trees_per_part(context, rows.size()));
}

}  // namespace softwood::distilled
