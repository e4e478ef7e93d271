// What the verbs that make a model share: saving it, and telling about it.
#pragma once

#include <optional>
#include <string>

#include "cli/common.h"
#include "cli/output.h"
#include "study/train.h"

namespace softwood {

// The model file, opened before the work starts; nothing without a path.
class ModelOutput {
 public:
  explicit ModelOutput(const std::string& path);
  void save(const Model& model);

 private:
  std::optional<Output> output_;
};

struct TrainingReport {
  const Table& table;
  const RunOptions& run;
  const std::string& model_path;
  double read_seconds;
  bool validation = false;  // rows were given by which stages could choose

  // Figures on the training rows, as text or JSON, on standard output.
  void print(const TrainOutcome& outcome, const Stopwatch& total, const Parallel& parallel,
             Console& console) const;
};

}  // namespace softwood
