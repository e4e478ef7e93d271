// A trained tree: its answers, its structure, its file.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "softwood/data.h"
#include "softwood/explain.h"
#include "softwood/lowered.h"
#include "softwood/measures.h"
#include "softwood/plot.h"

namespace softwood {

enum class TextView : uint8_t {
  tree,         // one line per node
  rpart,        // as R prints an rpart object
  c50,          // as C5.0 prints a tree
  rules,        // one rule per leaf
  pruning,      // the cost-complexity table, as rpart's printcp
  summary,      // origin, size, importance of the inputs, and all that is known of every node
  competitors,  // every split beside those that it won against
  json          // one JSON object: tree, rules, importance, the cost-complexity table
};

// Figures of a model on rows with known answers.
struct EvaluationResult {
  size_t rows = 0;
  // Classification: "error", "accuracy", "balanced_accuracy", "logloss", "brier", "auc",
  // "precision", "recall", "f1", "specificity" (of the positive one of two classes; of more the
  // means over the classes), "mcc", "majority_error", and "cost" where errors have costs.
  // Regression: "mse", "rmse", "mae", "r2", "nmse". NaN where the rows do not define one.
  std::map<std::string, double> figures;
  std::vector<double> confusion;  // classes x classes, weight of rows: actual, then predicted
  std::vector<ClassMeasures> per_class;       // in the order of classes()
  std::map<std::string, Interval> intervals;  // of the figures that have one
  std::vector<CalibrationBin> calibration;    // ten of equal width; empty for regression

  double at(const std::string& name) const;  // an Error where there is no such figure
};

struct Controls;  // softwood/train.h

// Cheap to copy; may be used from several threads. The form that answers rows fast is made with the
// model and kept.
class TreeModel {
 public:
  static TreeModel load(const std::string& path);
  static TreeModel from_text(const std::string& text);
  void save(const std::string& path) const;  // the file appears whole or not at all
  std::string text() const;                  // what is saved

  // All that there is to know, as plain data: inputs and target, nodes with conditions and
  // statistics, importance, the cost-complexity table, origin (method, recipe, seed, data). Made
  // when first asked for, and kept.
  const LoweredTree& tree() const;

  bool is_classifier() const;
  const std::vector<std::string>& classes() const;  // empty for regression
  std::string positive() const;                     // the positive one of two classes, else ""
  // Texts of missing cells that the training data had, beside the usual ones.
  const std::vector<std::string>& missing_marks() const;
  std::vector<std::string> inputs() const;       // names, in the order of tree().inputs
  const std::string& target() const;             // its name
  const std::vector<bool>& inputs_used() const;  // by input: an answer may depend on it
  // Whether a NumberMatrix is all that it needs: every input is numeric, and there are no marks of
  // missing cells to look for.
  bool takes_numbers() const;
  size_t nodes() const;  // inner nodes and leaves
  size_t leaves() const;
  size_t depth() const;       // edges on the longest path
  size_t parameters() const;  // numbers that a person would have to read

  // --- Answers. The data come from DataSet::from_for, read_for and their like, or are the training
  // data; other data are an Error. `threads` 0: as many as the machine has. Buffers have the exact
  // size. `controls`: to stop the work, which is an Error of kind `interrupted`.

  size_t answer_width() const;  // classes, or 1 for regression
  // rows x answer_width(): probabilities in the order of classes(), or one number.
  std::vector<double> predict(const DataSet& data, int threads = 0) const;
  void predict(const DataSet& data, std::span<double> answers, int threads = 0,
               const Controls* controls = nullptr) const;
  // The class that is decided for, as an index into classes(): the most probable one, or where
  // errors have costs the cheapest one. Classification only. With a threshold from 0 to 1, for
  // two classes: positive() where its probability is at least that.
  void predict_codes(const DataSet& data, std::span<uint32_t> codes, int threads = 0,
                     std::optional<double> threshold = {},
                     const Controls* controls = nullptr) const;
  std::vector<std::string> predict_class(const DataSet& data, int threads = 0,
                                         std::optional<double> threshold = {}) const;

  // The same for rows of numbers, where takes_numbers(): without a look at names, and for trees of
  // thresholds without a copy.
  void predict(const NumberMatrix& rows, std::span<double> answers, int threads = 0) const;
  void predict_codes(const NumberMatrix& rows, std::span<uint32_t> codes, int threads = 0) const;
  void leaf_numbers(const NumberMatrix& rows, std::span<uint32_t> nodes, int threads = 0) const;

  // The node of tree() where each row ends; where a row is divided, where most of it does.
  void leaf_numbers(const DataSet& data, std::span<uint32_t> nodes, int threads = 0,
                    const Controls* controls = nullptr) const;
  // The nodes where rows can end, ascending: leaves, and inner nodes whose rule for missing values
  // is `stay`.
  std::vector<uint32_t> end_nodes() const;
  // rows x end_nodes().size(): the share of each row that ends there; sum 1 per row.
  void path_weights(const DataSet& data, std::span<double> weights, int threads = 0,
                    const Controls* controls = nullptr) const;

  // --- Why, and what would change it (softwood/explain.h).

  // The conditions that each row met, as one line.
  std::vector<std::string> path_texts(const DataSet& data) const;
  // What each input adds to the answers of the rows. The background are rows to compare with, made
  // for this model like the data; null: path-dependent values where the tree allows them, else
  // some rows of the data are the background. `controls`: of these three, to see progress and to
  // stop them, which is an Error of kind `interrupted`.
  Explanation explain(const DataSet& data, const ExplainSettings& settings = {},
                      const DataSet* background = nullptr,
                      const Controls* controls = nullptr) const;
  PartialDependence partial_dependence(const DataSet& data, const PartialSettings& settings,
                                       const Controls* controls = nullptr) const;
  // The nearest change for each row that reaches the goal; distances are in units of the spread of
  // the inputs in `reference`, null: in the data.
  std::vector<Change> nearest_changes(const DataSet& data, const ChangeGoal& goal,
                                      const DataSet* reference = nullptr,
                                      const Controls* controls = nullptr) const;

  // The data are the training data or came from DataSet::read_to_evaluate or from_to_evaluate.
  // The threshold is that of predict_codes.
  EvaluationResult evaluate(const DataSet& data, int threads = 0,
                            std::optional<double> threshold = {},
                            const Controls* controls = nullptr) const;
  // What every threshold would give, for the same data; two classes only.
  ThresholdTable thresholds(const DataSet& data, int threads = 0,
                            const Controls* controls = nullptr) const;
  // For every input in the order of tree().inputs. Does not depend on the order of the rows.
  std::vector<InputImportance> permutation_importance(const DataSet& data, size_t repeats = 10,
                                                      uint64_t seed = 1, int threads = 0,
                                                      const Controls* controls = nullptr) const;

  std::string show(TextView view = TextView::tree, size_t width = 120) const;
  std::string rules() const { return show(TextView::rules); }
  // A picture as SVG. Views of plot_views() that need known answers take the data that evaluate
  // takes, others also those of predict; the tree and its regions show rows where data are given.
  // `validation`: rows with known answers to judge by instead of some of the data. `controls`:
  // "overfitting" trains and may take long.
  std::string plot(const PlotSettings& settings = {}, const DataSet* data = nullptr,
                   const DataSet* validation = nullptr, const Controls* controls = nullptr) const;
  // For each node the condition under which rows come to it from its parent, as views show it:
  // "x <= 3 or missing"; "" for the root.
  std::vector<std::string> branch_texts() const;
  // The conditions on the way from the root to a node, merged where one implies the other.
  std::vector<std::string> path_conditions(uint32_t node) const;

  struct Held;  // the library's own form
  explicit TreeModel(std::shared_ptr<const Held> held) : held_(std::move(held)) {}
  const Held& held() const { return *held_; }

 private:
  std::shared_ptr<const Held> held_;
};

}  // namespace softwood
