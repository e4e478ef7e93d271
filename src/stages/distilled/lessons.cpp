#include "stages/distilled/lessons.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/folds.h"
#include "data/typical.h"
#include "gradient/synthetic_rows.h"
#include "stages/distilled/constants.h"
#include "stages/distilled/ensemble.h"

namespace softwood::distilled {
namespace {

class Draft {
 public:
  explicit Draft(const Table& table)
      : schema_(table.schema()), inputs_(table.features()), target_(table.target().kind) {
    for (size_t f = 0; f < inputs_.size(); ++f) inputs_[f].kind = table.input(f).kind;
  }

  void add(const Table& from, RowIndex row, std::span<const double> answer) {
    if (target_.kind == Kind::numeric) {
      target_.numbers.push_back(answer[0]);
      add_cells(from, row, from.weight(row));
      return;
    }
    double kept = 0;
    for (const double share : answer) kept += share >= Constants::least_share ? share : 0;
    for (size_t k = 0; k < answer.size(); ++k) {
      if (answer[k] < Constants::least_share) continue;
      target_.codes.push_back(static_cast<int32_t>(k));
      add_cells(from, row, from.weight(row) * answer[k] / kept);
    }
  }

  Table finished() && {
    const size_t rows = weights_.size();
    return {schema_, rows, softwood::finished(std::move(inputs_)), std::move(target_),
            std::move(weights_)};
  }

 private:
  void add_cells(const Table& from, RowIndex row, double weight) {
    for (size_t f = 0; f < inputs_.size(); ++f) {
      const Column& column = from.input(f);
      if (column.kind == Kind::numeric) {
        inputs_[f].numbers.push_back(column.numbers[row]);
      } else {
        inputs_[f].codes.push_back(column.codes[row]);
      }
    }
    weights_.push_back(weight);
  }

  const Schema& schema_;
  std::vector<ColumnDraft> inputs_;
  ColumnDraft target_;
  std::vector<double> weights_;
};

// The target of a row and what the ensemble answers for it.
std::vector<double> mixed(const Table& table, RowIndex row, std::span<const double> answer) {
  std::vector<double> list(answer.begin(), answer.end());
  for (double& value : list) value *= 1 - Constants::own_share;
  if (table.schema().task() == Task::regression) {
    list[0] += Constants::own_share * table.target().numbers[row];
  } else {
    list[static_cast<size_t>(table.target().codes[row])] += Constants::own_share;
  }
  return list;
}

// Of very many rows some teach, drawn by what they say.
std::vector<RowIndex> teaching_rows(const Context& context) {
  const std::span<const RowIndex> rows = context.rows;
  if (rows.size() <= Constants::most_teaching) return {rows.begin(), rows.end()};
  const double share =
      static_cast<double>(Constants::most_teaching) / static_cast<double>(rows.size());
  const std::vector<char> inside =
      stratified_part(context.table(), rows, share, context.seed, context.control);
  std::vector<RowIndex> some;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (inside[i] != 0) some.push_back(rows[i]);
  }
  return some;
}

Table made(const Context& context, size_t parts) {
  const Table& table = context.table();
  const std::vector<RowIndex> rows = teaching_rows(context);
  const Sample sample{&table, rows};
  const gradient::Inputs inputs(sample, typical_values(table, rows, context.control),
                                gradient::Map::none, gradient::Products::none, context.control);
  const size_t count = std::min(Constants::synthetic_times * rows.size(),
                                std::max(Constants::most_synthetic, rows.size()));
  const Table synthetic = gradient::synthetic_rows(
      {&sample, 1},
      inputs.rows<float>({&sample, 1}, gradient::target_scale(sample), context.control), count,
      context.seed, nullptr, true, context.control);
  const std::vector<RowIndex> between = all_rows(synthetic);
  const std::vector<uint32_t> part_of =
      stratified_folds(table, rows, parts, context.seed, context.control);
  const Answers answers = ensemble_answers(context, rows, part_of, parts, {&synthetic, between});
  const auto answer = [&](const std::vector<double>& all, size_t i) {
    return std::span(all).subspan(i * answers.width, answers.width);
  };
  Draft draft(table);
  for (size_t i = 0; i < rows.size(); ++i) {
    draft.add(table, rows[i], mixed(table, rows[i], answer(answers.own, i)));
  }
  for (size_t i = 0; i < between.size(); ++i) {
    draft.add(synthetic, between[i], answer(answers.synthetic, i));
  }
  return std::move(draft).finished();
}

}  // namespace

std::shared_ptr<Lessons> lessons_for(const Context& context, size_t parts) {
  return context.derived.shared_work().get<Lessons>(
      fmt::format("lessons of {} parts, seed {}", parts, context.seed), context.rows,
      [&] { return std::make_shared<Lessons>(made(context, parts)); },
      &context.report.spared_seconds);
}

}  // namespace softwood::distilled
