// Models that are compared, with their answers to the same rows.
#pragma once

#include <string>
#include <vector>

#include "render/html/sections.h"

namespace softwood::render {

struct Compared {
  const ComparedModel& of;
  Predictions predictions;
  Evaluation evaluation;
};

using ComparedModels = std::vector<Compared>;

bool is_classifier(const ComparedModels& models);

// Models may know different classes, or have them in another order: names are compared.
const std::string& answer(const Compared& model, RowIndex row);

// The costs that all models are judged by: those of the first model that has some.
class JudgingCosts {
 public:
  explicit JudgingCosts(const ComparedModels& models);

  bool are_given() const { return judge_ != nullptr; }
  const std::string& whose() const { return judge_->of.name; }
  // What the answer of a model to a row costs; a class that the judge does not know costs as much
  // as the costliest error.
  double of(const Compared& model, RowIndex row) const;
  double sum(const Compared& model) const;  // over the rows, by their weights
  double weight() const;                    // of all rows

 private:
  const Compared* judge_ = nullptr;
};

// Whether differences between each two of the models may be chance.
std::string tests_section(const ComparedModels& models);

}  // namespace softwood::render
