// Softwood as a library: data in, one tree out, answers.
//
//   const softwood::DataSet data = softwood::DataSet::read("iris.csv");
//   const softwood::TreeModel model = softwood::train(data);
//   model.save("iris.json");
//   std::cout << model.show();
//
// Everything that can go wrong is a softwood::Error. Objects are cheap to copy (they share what
// they hold) and may be used from several threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "softwood/error.h"
#include "softwood/version.h"

namespace softwood {

struct Schema;
class TreeModel;

// What is to be known about columns beyond what is found out; see `softwood train --help`.
struct DataSettings {
  std::string target;   // empty: the last column
  std::string weights;  // a column of weights; empty: every row weighs 1
  std::string task;     // "classification", "regression" or empty: found out
  std::vector<std::string> nominal, numeric, ignore;
  std::map<std::string, std::vector<std::string>> ordinal;  // column -> levels from low to high
  bool header = true;
};

// DataColumns of a program's own, each with one cell a row. NaN and empty text are missing.
class DataColumns {
 public:
  DataColumns& number(std::string name, std::vector<double> cells);
  DataColumns& text(std::string name, std::vector<std::string> cells);

 private:
  friend class DataSet;
  struct Column {
    std::string name;
    bool is_text;
    std::vector<double> numbers;
    std::vector<std::string> texts;
  };
  std::vector<Column> columns_;
};

// Rows to learn from, or to be answered.
class DataSet {
 public:
  // To learn from. `notes` receives what the user should know (columns left out, rows dropped).
  static DataSet read(const std::string& path, const DataSettings& options = {},
                      std::vector<std::string>* notes = nullptr);
  static DataSet from(const DataColumns& columns, const DataSettings& options = {},
                      std::vector<std::string>* notes = nullptr);
  // To be answered by a model: columns are found by name, and only those that the model asks about
  // must be there; the target is not looked at.
  static DataSet read_for(const TreeModel& model, const std::string& path,
                          std::vector<std::string>* notes = nullptr);
  // With known answers, for TreeModel::evaluate: rows without one are left out.
  static DataSet read_to_evaluate(const TreeModel& model, const std::string& path,
                                  std::vector<std::string>* notes = nullptr);
  // Further rows of the kind that `data` has: validation rows for training.
  static DataSet read_like(const DataSet& data, const std::string& path,
                           std::vector<std::string>* notes = nullptr);
  static DataSet from_for(const TreeModel& model, const DataColumns& columns,
                          std::vector<std::string>* notes = nullptr);

  size_t rows() const;
  std::vector<std::string> inputs() const;
  std::vector<std::string> classes() const;  // empty for regression

 private:
  friend class TreeModel;
  friend TreeModel train(const DataSet&, const struct TrainSettings&);
  struct Held;
  static DataSet read_with(const Schema& schema, const std::string& path, bool need_target,
                           std::vector<std::string>* notes, const std::vector<bool>& needed);
  explicit DataSet(std::shared_ptr<const Held> held) : held_(std::move(held)) {}
  std::shared_ptr<const Held> held_;
};

struct TrainSettings {
  std::string method = "cart";
  std::string recipe;                 // instead of a method: "grow min-leaf=5 | prune rule=min"
  std::vector<std::string> settings;  // "grow.min-leaf=5"
  uint64_t seed = 1;
  int threads = 0;                      // 0: all; the model does not depend on it
  const DataSet* validation = nullptr;  // rows for stages that choose by them
  // How much the classes count: relative weights (1 for classes that are not named), or the shares
  // that they have where the tree will be used; at most one of the two.
  std::map<std::string, double> class_weights, priors;
  // What wrong answers cost: true class -> answer -> cost. Errors that are not named cost 1.
  std::map<std::string, std::map<std::string, double>> costs;
};

TreeModel train(const DataSet& data, const TrainSettings& options = {});

// A finished tree with the names and kinds of its columns.
class TreeModel {
 public:
  static TreeModel load(const std::string& path);
  static TreeModel from_text(const std::string& text);
  void save(const std::string& path) const;  // whole or not at all
  std::string text() const;                  // what is saved

  bool is_classifier() const;
  std::vector<std::string> classes() const;
  size_t nodes() const;
  size_t leaves() const;
  size_t depth() const;

  // The most probable class of each row (classification).
  std::vector<std::string> predict_class(const DataSet& data) const;
  // Probabilities row after row, classes() of them each; or one number a row (regression).
  std::vector<double> predict(const DataSet& data) const;
  // Why: the conditions that each row met, as one line.
  std::vector<std::string> explain(const DataSet& data) const;
  // Every figure of `softwood evaluate` by name: "error", "logloss", "rmse"… The data are the
  // training data or came from DataSet::read_to_evaluate.
  std::map<std::string, double> evaluate(const DataSet& data) const;

  std::string show() const;   // the tree
  std::string rules() const;  // one rule a leaf

 private:
  friend class DataSet;
  friend TreeModel train(const DataSet&, const TrainSettings&);
  struct Held;
  explicit TreeModel(std::shared_ptr<const Held> held) : held_(std::move(held)) {}
  std::shared_ptr<const Held> held_;
};

}  // namespace softwood
