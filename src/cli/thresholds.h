// What other thresholds would give: a table for people, the ROC curve as a file.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/figures.h"

namespace softwood {

struct ThresholdOptions {
  std::string roc, max_fpr;
  bool shown = false;

  void declare(Arguments& arguments);
  // A usage Error for a rate that is none, and when the curve would replace one of the inputs.
  void check(const std::vector<std::string>& inputs) const;
  bool needed() const { return shown || !roc.empty(); }
  void write_roc(const ThresholdTable& table) const;
  Json json(const ThresholdTable& table) const;
  std::string text(const ThresholdTable& table, bool has_costs) const;

 private:
  double rate() const;  // NaN: none was given
};

}  // namespace softwood
