// The two models of PMML that trees become, each from its derived fields to its last element.
#pragma once

#include <string>

#include "render/export/exporter.h"
#include "render/export/pmml/fields.h"

namespace softwood::render::pmml {

// Hard trees whose leaves answer constants: the nodes.
std::string tree_nodes(const LoweredTree& tree, const Routes& routes, const ExportOptions& options,
                       Fields& fields);

// All others: a sum over the leaves of the share that ends there times the answer.
struct RegressionTables {
  std::string tables;
  // Names of fields with the probabilities, where the tables say what is decided instead.
  std::vector<std::string> probabilities;
};
RegressionTables regression_tables(const LoweredTree& tree, const Routes& routes,
                                   const ExportOptions& options, Fields& fields);

}  // namespace softwood::render::pmml
