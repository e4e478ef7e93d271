// Fields that PMML computes from the columns of the data (DerivedField): scores, weights, levels as
// numbers. Missing where the library could not compute them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "render/export/pmml/xml.h"
#include "render/export/routes.h"

namespace softwood::render::pmml {

class Fields {
 public:
  explicit Fields(const LoweredTree& tree);

  // Adds a field with this expression, or gives the one that has it already. Returns its name.
  std::string add(const std::string& hint, const std::string& expression);

  // The sum of coefficient * term.
  std::string score(const LoweredScore& score, bool typical);
  // The number of the child, missing for levels that were not seen.
  std::string child_number(const LoweredLevels& levels, bool typical);
  // Expressions.
  std::string term(const LoweredTerm& term, bool typical);
  // The weight of the first child; `score` is an expression that is not missing.
  static std::string weight(const LoweredScore& condition, const std::string& score);

  const std::vector<std::string>& elements() const { return elements_; }

 private:
  // A cell as a number.
  std::string cell(uint32_t input, bool typical);

  const LoweredTree& tree_;
  std::string prefix_;
  std::map<std::string, std::string> names_;  // by expression
  std::vector<std::string> elements_;         // each after those that it reads
};

}  // namespace softwood::render::pmml
