// Fisher's iris data as a table, in centimetres.
#pragma once

#include "cli/iris.h"
#include "data/table.h"

namespace softwood::test {

inline Table iris_table() {
  Schema schema;
  std::vector<Column> inputs;
  const char* names[] = {"sepal_length", "sepal_width", "petal_length", "petal_width"};
  for (size_t f = 0; f < 4; ++f) {
    schema.features.push_back({names[f], Kind::numeric, {}});
    ColumnDraft column;
    for (const auto& flower : iris_flowers) column.numbers.push_back(flower[f] / 10.0);
    inputs.push_back(std::move(column));
  }
  schema.target = {"species", Kind::nominal, {"setosa", "versicolor", "virginica"}};
  ColumnDraft target(Kind::nominal);
  for (int32_t i = 0; i < 150; ++i) target.codes.push_back(i / 50);
  return {std::move(schema), 150, std::move(inputs), std::move(target), {}};
}

}  // namespace softwood::test
