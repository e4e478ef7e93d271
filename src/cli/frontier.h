// The frontier that a tree was chosen from: as text, as JSON, and as a folder of trees.
#pragma once

#include <string>

#include "cli/console.h"
#include "render/json.h"
#include "study/train.h"

namespace softwood {

// A table by size, and a small picture of loss against size.
std::string frontier_text(const Frontier& frontier);
Json frontier_json(const Frontier& frontier);
// Whether a folder of trees may have a file of this name: "tree-01.json", "frontier.json".
bool is_frontier_file(const std::string& name);

// A folder for the trees, made before the work starts.
class FrontierFolder {
 public:
  // Empty: none is wanted. A usage Error where no stage of the recipe gives a frontier, a failure
  // Error where the folder can't be made.
  FrontierFolder(const std::string& path, const Recipe& recipe);

  bool wanted() const { return !path_.empty(); }

  // Every tree of the frontier, fitted to all rows, and frontier.json, in place of those of an
  // earlier run. Those that can't be finished because of a stop, can't be fitted to all rows, or
  // break the limits then, are left out, with a warning; so is that there is no frontier. The
  // frontier of the model gets the sizes of the trees that are saved.
  void save(const Table& table, const TrainRequest& request, TrainOutcome& outcome,
            const Parallel& parallel, const Control& control) const;

 private:
  std::string path_;
};

}  // namespace softwood
