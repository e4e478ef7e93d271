// What several verbs share: groups of options declared once, and reading data and models.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/control.h"
#include "base/parallel.h"
#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/figures.h"
#include "data/frame.h"
#include "data/readers/source.h"
#include "stages/recipe.h"
#include "tree/model.h"

namespace softwood {

// What the user says about a file of data.
struct FileOptions {
  bool no_header = false;
  std::vector<std::string> na;  // texts of missing cells; models keep those of their training data

  void declare(Arguments& arguments);
  // `marks` are texts of missing cells that a model knows, beside `na`; `bytes` gets the bytes of
  // the file.
  Frame read(const std::string& path, ReadOptions options, const Parallel& parallel,
             const std::vector<std::string>& marks = {}, Source* bytes = nullptr) const;
};

// What the user says about the columns of data to learn from.
struct DataOptions {
  FileOptions file;
  std::string path;
  std::string target, weights, task, positive;
  std::vector<std::string> nominal, numeric, ordinal, ignore;

  void declare(Arguments& arguments);  // DATA and the options
  Roles roles() const;                 // usage Error for a wrong --task or --ordinal
  Frame read(const Parallel& parallel, Source* bytes = nullptr) const;
};

struct RunOptions {
  long seed = 1;
  long threads = 0;
  bool quiet = false;
  bool json = false;

  void declare_seed(Arguments& arguments);
  void declare_threads(Arguments& arguments);
  void declare_quiet(Arguments& arguments);
  void declare_json(Arguments& arguments);
  Parallel parallel() const { return Parallel(static_cast<int>(threads)); }
};

// --method, --recipe and --set of verbs that train one tree.
struct RecipeOptions {
  std::string method, recipe;
  std::vector<std::string> settings;

  void declare(Arguments& arguments);
  // The name of the method, empty under --recipe.
  std::string method_name() const {
    return !recipe.empty() ? "" : method.empty() ? "cart" : method;
  }
  Recipe parse() const;
};

// Who writes --max-depth is told of --set grow.max-depth; of two stages with such an option, of
// that of the wanted recipe.
void hint_at_stage_options(Arguments& arguments, const RecipeOptions* wanted = nullptr);

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Model load_model(const std::string& path);
// --threshold: H for the positive class, or CLASS:H; a usage Error when it is no probability or the
// model has not two classes.
ClassThreshold threshold_option(const std::string& text, const Schema& schema);
// Data for a finished model, columns found by name; `needed` as in table_for.
Table read_for_model(const std::string& path, const Schema& schema, const FileOptions& file,
                     bool need_target, const Parallel& parallel, const Control& control,
                     const std::vector<bool>& needed = {});
// `softwood train` and `cv` refuse what can't be learned from: one class, a class for every row
// (unless the task was said), or no input.
// `columns` are those that the data had.
void refuse_unlearnable(const Table& table, const std::vector<std::string>& columns,
                        const Roles& roles, const std::string& source);
std::vector<std::string> column_names(const Frame& frame);
// A usage Error when standard input, "-", is to be read for more than one of these.
void refuse_reading_twice(const std::vector<std::string>& inputs);
// A usage Error when the output that this option names would replace an input.
void refuse_overwriting(const std::string& output, const std::vector<std::string>& inputs,
                        const std::string& option = "-o");
// The name of a file as messages show it.
std::string source_name(const std::string& path);

}  // namespace softwood
