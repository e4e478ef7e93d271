#include "api/rows.h"

#include <fmt/format.h>

namespace softwood {

// Columns of other data would be read as if they were the model's, and those that another model
// does not ask about as if all their cells were missing.
const Table& checked_table(const TreeModel::Held& held, const DataSet& data) {
  const Table& table = data.held().table;
  const std::vector<Feature>& features = held.model.schema.features;
  if (features != table.schema().features) {
    throw Error(ErrorKind::data, "the data do not have the model's columns and levels", {},
                "make them with DataSet::read_for or DataSet::from_for");
  }
  const std::vector<bool>& absent = data.held().absent;
  for (size_t f = 0; f < absent.size(); ++f) {
    if (!absent[f] || !held.used[f]) continue;
    throw Error(ErrorKind::data,
                fmt::format("the data were made for another model and lack the column '{}'",
                            features[f].name),
                {}, "make them for this one with DataSet::read_for or DataSet::from_for");
  }
  return table;
}

const Table& table_with_target(const TreeModel::Held& held, const DataSet& data) {
  const Table& table = checked_table(held, data);
  if (table.rows() == 0) throw Error(ErrorKind::data, "there are no rows to evaluate");
  if (table.has_target() && table.schema().target == held.model.schema.target) return table;
  throw Error(ErrorKind::data, "the data do not have the model's target", {},
              "make them with DataSet::read_to_evaluate or DataSet::from_to_evaluate");
}

const Table& table_to_learn_from(const DataSet& data) {
  const DataSet::Held& held = data.held();
  for (size_t f = 0; f < held.absent.size(); ++f) {
    if (!held.absent[f]) continue;
    throw Error(ErrorKind::data,
                fmt::format("the data to learn from lack the column '{}'",
                            held.table.schema().features[f].name),
                {},
                "a model is answered without the columns that it does not ask about, and "
                "learning needs them all");
  }
  return held.table;
}

}  // namespace softwood
