#include "softwood/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/answers.h"
#include "api/border.h"
#include "api/evaluation.h"
#include "api/held.h"
#include "api/listener.h"
#include "api/rows.h"
#include "explain/change.h"
#include "explain/partial.h"
#include "render/renderer.h"
#include "render/text/condition.h"
#include "render/text/paths.h"
#include "study/files.h"
#include "use/evaluate.h"
#include "use/permutation.h"
#include "use/roc.h"

namespace softwood {
namespace {

ClassThreshold threshold_of(const Model& model, std::optional<double> threshold) {
  if (!threshold) return {};
  if (model.schema.classes() != 2) {
    throw Error(ErrorKind::usage, "a threshold is for models with two classes");
  }
  if (!(*threshold >= 0 && *threshold <= 1)) {
    throw Error(ErrorKind::usage, fmt::format("a threshold of {}", *threshold), {},
                "it is a probability from 0 to 1");
  }
  return {model.schema.positive, *threshold};
}

// answer(rows, first, count) for one block of rows after the other.
template <class Answer>
void answer_rows(const Table& table, const Controls* controls, const Answer& answer) {
  const OptionalListener listener(controls);
  const std::vector<RowIndex> rows = all_rows(table);
  each_block(rows.size(), listener.control(), [&](size_t begin, size_t end) {
    answer(std::span(rows).subspan(begin, end - begin), begin, end - begin);
  });
}

Predictions predicted(const TreeModel& model, const DataSet& data, int threads,
                      const Controls* controls) {
  Predictions predictions{data.rows(), model.answer_width(), {}, model.held().model.tree.costs()};
  predictions.answers.resize(data.rows() * predictions.width);
  model.predict(data, predictions.answers, threads, controls);
  return predictions;
}

}  // namespace

double EvaluationResult::at(const std::string& name) const {
  const auto found = figures.find(name);
  if (found != figures.end()) return found->second;
  throw Error(ErrorKind::usage, fmt::format("there is no figure '{}' of this task", name));
}

TreeModel TreeModel::load(const std::string& path) {
  return at_border([&] { return tree_model(model_from_text(read_model_text(path), path)); });
}

TreeModel TreeModel::from_text(const std::string& text) {
  return at_border([&] { return tree_model(model_from_text(text, "model")); });
}

void TreeModel::save(const std::string& path) const {
  at_border([&] {
    FileOutput output(path);
    output.write(model_to_text(held_->model));
    output.finish();
  });
}

std::string TreeModel::text() const {
  return at_border([&] { return model_to_text(held_->model); });
}

const LoweredTree& TreeModel::tree() const {
  return at_border([&]() -> const LoweredTree& { return held_->lowered(); });
}

bool TreeModel::is_classifier() const { return held_->model.schema.task() == Task::classification; }
const std::vector<std::string>& TreeModel::classes() const {
  return held_->model.schema.target.levels;
}
std::string TreeModel::positive() const {
  return at_border([&] { return std::string(held_->model.schema.positive_class()); });
}
const std::vector<std::string>& TreeModel::missing_marks() const {
  return held_->model.schema.missing_marks;
}
std::vector<std::string> TreeModel::inputs() const {
  return at_border([&] {
    std::vector<std::string> names;
    for (const Feature& feature : held_->model.schema.features) names.push_back(feature.name);
    return names;
  });
}
const std::string& TreeModel::target() const { return held_->model.schema.target.name; }
const std::vector<bool>& TreeModel::inputs_used() const { return held_->used; }
bool TreeModel::takes_numbers() const {
  const Schema& schema = held_->model.schema;
  return schema.missing_marks.empty() &&
         std::all_of(schema.features.begin(), schema.features.end(),
                     [](const Feature& feature) { return feature.kind == Kind::numeric; });
}
size_t TreeModel::nodes() const { return held_->model.tree.size(); }
size_t TreeModel::leaves() const {
  return at_border([&] { return shape_of(held_->model.tree).leaves; });
}
size_t TreeModel::depth() const {
  return at_border([&] { return shape_of(held_->model.tree).depth; });
}
size_t TreeModel::parameters() const {
  return at_border([&] { return shape_of(held_->model.tree).parameters; });
}

size_t TreeModel::answer_width() const { return held_->model.tree.answer_width(); }

std::vector<double> TreeModel::predict(const DataSet& data, int threads) const {
  return at_border([&] {
    std::vector<double> answers(data.rows() * answer_width());
    predict(data, answers, threads);
    return answers;
  });
}

void TreeModel::predict(const DataSet& data, std::span<double> answers, int threads,
                        const Controls* controls) const {
  at_border([&] {
    const Table& table = checked_table(*held_, data);
    const size_t width = answer_width();
    check_size(answers, table.rows() * width);
    const Parallel parallel = threads_for(threads);
    answer_rows(table, controls, [&](auto rows, size_t first, size_t count) {
      held_->predictor.answers(table, rows, answers.subspan(first * width, count * width),
                               parallel);
    });
  });
}

void TreeModel::predict_codes(const DataSet& data, std::span<uint32_t> codes, int threads,
                              std::optional<double> threshold, const Controls* controls) const {
  at_border([&] {
    refuse_regression(held_->model);
    const ClassThreshold decides = threshold_of(held_->model, threshold);
    const Table& table = checked_table(*held_, data);
    check_size(codes, table.rows());
    if (!decides.is_given()) {
      const Parallel parallel = threads_for(threads);
      answer_rows(table, controls, [&](auto rows, size_t first, size_t count) {
        held_->predictor.classes(table, rows, codes.subspan(first, count), parallel);
      });
      return;
    }
    const Predictions predictions = predicted(*this, data, threads, controls);
    for (size_t i = 0; i < codes.size(); ++i) {
      codes[i] = static_cast<uint32_t>(answered_class(predictions, i, decides));
    }
  });
}

std::vector<std::string> TreeModel::predict_class(const DataSet& data, int threads,
                                                  std::optional<double> threshold) const {
  return at_border([&] {
    std::vector<uint32_t> codes(data.rows());
    predict_codes(data, codes, threads, threshold);
    std::vector<std::string> names;
    names.reserve(codes.size());
    for (const uint32_t code : codes) names.push_back(classes()[code]);
    return names;
  });
}

void TreeModel::leaf_numbers(const DataSet& data, std::span<uint32_t> nodes, int threads,
                             const Controls* controls) const {
  at_border([&] {
    const Table& table = checked_table(*held_, data);
    check_size(nodes, table.rows());
    const Parallel parallel = threads_for(threads);
    answer_rows(table, controls, [&](auto rows, size_t first, size_t count) {
      held_->predictor.nodes(table, rows, nodes.subspan(first, count), parallel);
    });
  });
}

std::vector<uint32_t> TreeModel::end_nodes() const {
  return at_border([&] { return held_->predictor.end_nodes(); });
}

void TreeModel::path_weights(const DataSet& data, std::span<double> weights, int threads,
                             const Controls* controls) const {
  at_border([&] {
    const Table& table = checked_table(*held_, data);
    const size_t width = held_->predictor.end_nodes().size();
    check_size(weights, table.rows() * width);
    const Parallel parallel = threads_for(threads);
    answer_rows(table, controls, [&](auto rows, size_t first, size_t count) {
      held_->predictor.weights(table, rows, weights.subspan(first * width, count * width),
                               parallel);
    });
  });
}

std::vector<std::string> TreeModel::path_texts(const DataSet& data) const {
  return at_border([&] {
    const Table& table = checked_table(*held_, data);
    std::vector<NodeIndex> ends(table.rows());
    leaf_numbers(data, ends);
    render::PathTexts texts(held_->lowered(), data.held().unknown);
    std::vector<std::string> lines;
    lines.reserve(ends.size());
    for (RowIndex row = 0; row < table.rows(); ++row) {
      lines.push_back(texts.text(ends[row], table, row));
    }
    return lines;
  });
}

Explanation TreeModel::explain(const DataSet& data, const ExplainSettings& settings,
                               const DataSet* background, const Controls* controls) const {
  return at_border([&] {
    const OptionalListener listener(controls);
    const Table& table = checked_table(*held_, data);
    const Table* const others =
        background == nullptr ? nullptr : &checked_table(*held_, *background);
    return explain_rows({held_->lowered(), held_->predictor}, table, all_rows(table), others,
                        settings, threads_for(settings.threads), listener.control());
  });
}

PartialDependence TreeModel::partial_dependence(const DataSet& data,
                                                const PartialSettings& settings,
                                                const Controls* controls) const {
  return at_border([&] {
    const OptionalListener listener(controls);
    const Table& table = checked_table(*held_, data);
    if (table.rows() == 0) throw Error(ErrorKind::data, "there are no rows");
    return softwood::partial_dependence({held_->lowered(), held_->predictor}, table, settings,
                                        threads_for(settings.threads), listener.control());
  });
}

std::vector<Change> TreeModel::nearest_changes(const DataSet& data, const ChangeGoal& goal,
                                               const DataSet* reference,
                                               const Controls* controls) const {
  return at_border([&] {
    const OptionalListener listener(controls);
    const Table& table = checked_table(*held_, data);
    const Table& others = reference == nullptr ? table : checked_table(*held_, *reference);
    return softwood::nearest_changes({held_->lowered(), held_->predictor}, table, all_rows(table),
                                     others, goal, threads_for(goal.threads), listener.control());
  });
}

ThresholdTable TreeModel::thresholds(const DataSet& data, int threads,
                                     const Controls* controls) const {
  return at_border([&] {
    const Table& table = table_with_target(*held_, data);
    const Predictions predictions = predicted(*this, data, threads, controls);
    return threshold_table(predictions, table, all_rows(table));
  });
}

std::vector<InputImportance> TreeModel::permutation_importance(const DataSet& data, size_t repeats,
                                                               uint64_t seed, int threads,
                                                               const Controls* controls) const {
  return at_border([&] {
    const OptionalListener listener(controls);
    const Table& table = table_with_target(*held_, data);
    return softwood::permutation_importance(held_->model.tree, table, repeats, seed,
                                            threads_for(threads), {}, listener.control());
  });
}

EvaluationResult TreeModel::evaluate(const DataSet& data, int threads,
                                     std::optional<double> threshold,
                                     const Controls* controls) const {
  return at_border([&] {
    const Model& model = held_->model;
    const ClassThreshold decides = threshold_of(model, threshold);
    const Table& table = table_with_target(*held_, data);
    const Predictions predictions = predicted(*this, data, threads, controls);
    const size_t majority = training_majority(model.tree, model.provenance.class_weights);
    const std::vector<RowIndex> rows = all_rows(table);
    const Evaluation evaluation = softwood::evaluate(predictions, table, rows, majority, decides);
    EvaluationResult result = result_of(evaluation);
    if (is_classifier()) result.calibration = calibration(predictions, table, rows);
    return result;
  });
}

std::string TreeModel::show(TextView view, size_t width) const {
  return at_border([&]() -> std::string {
    const render::RenderOptions options{width};
    switch (view) {
      case TextView::tree:
        return render::tree_text(tree(), options);
      case TextView::rpart:
        return render::rpart_text(tree(), options);
      case TextView::c50:
        return render::c50_text(tree(), options);
      case TextView::rules:
        return render::rules_text(tree(), options);
      case TextView::pruning:
        return render::pruning_table_text(tree(), options);
      case TextView::summary:
        return render::summary_text(tree(), options);
      case TextView::competitors:
        return render::competitors_text(tree(), options);
      case TextView::json:
        return render::tree_json(tree(), options);
    }
    throw Error(ErrorKind::usage, "there is no such view");
  });
}

std::vector<std::string> TreeModel::branch_texts() const {
  return at_border([&] {
    const LoweredTree& lowered = tree();
    render::EdgeTexts edges(lowered);
    std::vector<std::string> texts(lowered.nodes.size());
    for (uint32_t i = 1; i < lowered.nodes.size(); ++i) texts[i] = edges.of(i);
    return texts;
  });
}

std::vector<std::string> TreeModel::path_conditions(uint32_t node) const {
  return at_border([&] {
    if (node >= tree().nodes.size()) {
      throw Error(ErrorKind::usage, fmt::format("there is no node {}", node));
    }
    return render::path_conditions(tree(), node);
  });
}

}  // namespace softwood
