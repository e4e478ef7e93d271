#include "api/evaluation.h"

#include "api/border.h"
#include "api/held.h"
#include "softwood/evaluation.h"
#include "use/evaluation_sums.h"

namespace softwood {

EvaluationResult result_of(const Evaluation& evaluation) {
  EvaluationResult result{evaluation.rows,
                          {},
                          evaluation.confusion,
                          evaluation.per_class,
                          {evaluation.intervals.begin(), evaluation.intervals.end()},
                          {}};
  for (const auto& [name, value] : evaluation_figures(evaluation)) result.figures[name] = value;
  return result;
}

namespace {

EvaluationSums sums_of(const TreeModel& model, std::string_view part) {
  return EvaluationSums::from_bytes(std::as_bytes(std::span(part)), model.held().model.schema);
}

std::string text_of(const EvaluationSums& sums) {
  const Bytes bytes = sums.to_bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

struct EvaluationPart::Held {
  TreeModel model;
  EvaluationSums sums;
};

EvaluationPart::EvaluationPart(const TreeModel& model)
    : held_(at_border([&] {
        return std::make_shared<Held>(Held{model, EvaluationSums(model.held().model.schema)});
      })) {}

void EvaluationPart::add(const DataColumns& columns) {
  const DataSet data = DataSet::from_to_evaluate(held_->model, columns);
  std::vector<double> answers(data.rows() * held_->model.answer_width());
  held_->model.predict(data, answers, 1);
  at_border([&] {
    held_->sums.add({data.rows(), held_->model.answer_width(), std::move(answers),
                     held_->model.held().model.tree.costs()},
                    data.held().table);
  });
}

std::string EvaluationPart::answer() const {
  return at_border([&] { return text_of(held_->sums); });
}

std::string merged_evaluations(const TreeModel& model, const std::vector<std::string_view>& parts) {
  return at_border([&] {
    EvaluationSums all(model.held().model.schema);
    for (const std::string_view part : parts) all.merge(sums_of(model, part));
    return text_of(all);
  });
}

EvaluationResult evaluation_of(const TreeModel& model, std::string_view part, NoteList* notes) {
  return at_border([&] {
    const Model& own = model.held().model;
    const EvaluationSums sums = sums_of(model, part);
    if (sums.has_ranges() && notes != nullptr) {
      notes->emplace_back(
          "auc is that of ranges of probabilities: there are too many different ones");
    }
    const size_t majority = training_majority(own.tree, own.provenance.class_weights);
    return result_of(sums.figures(own.schema, majority, own.tree.costs()));
  });
}

}  // namespace softwood
