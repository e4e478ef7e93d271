// Records of what peers said, and the data sets they said it about.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "data/frame.h"
#include "support/data.h"

namespace softwood::test {

// Names of the sets with a record of this peer: "sklearn" -> {"abalone", …}.
inline std::vector<std::string> recorded_sets(const std::string& peer) {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(record_file(""))) {
    const std::string stem = file.path().stem().string();
    if (stem.rfind(peer + "_", 0) == 0) names.push_back(stem.substr(peer.size() + 1));
  }
  std::sort(names.begin(), names.end());
  return names;
}

inline nlohmann::json read_record(const std::string& peer, const std::string& set) {
  std::ifstream file(record_file(peer + "_" + set + ".json"));
  return nlohmann::json::parse(file);
}

// False for a large set where only the repository is there.
inline bool has_data(const std::string& set) {
  return std::filesystem::exists(data_file(set + ".csv"));
}

// Those of the recorded sets whose data are there, and whether all are.
struct PresentSets {
  std::vector<std::string> names;
  bool all;
};
inline PresentSets present_sets(const std::string& peer) {
  std::vector<std::string> names = recorded_sets(peer);
  const size_t recorded = names.size();
  std::erase_if(names, [](const std::string& set) { return !has_data(set); });
  const bool all = names.size() == recorded;
  return {std::move(names), all};
}

// Sets of the repository itself, which are compared wherever the tests run.
inline bool is_small_set(const std::string& set) {
  return set == "iris" || set == "orchard" || set == "harvest";
}

// The whole set as it is trained on; the record says which task it is. Peers were given classes and
// levels in the order of the rows.
inline Table whole_set(const nlohmann::json& record) {
  const std::string path = data_file(record["data"].get<std::string>()).string();
  Roles roles;
  roles.task = record["task"] == "classification" ? Task::classification : Task::regression;
  Frame frame = read_frame(path, {}, Parallel(1));
  for (FrameColumn& column : frame.columns) column.declared = true;
  return training_table(std::move(frame), roles, {}).table;
}

// Some rows and inputs of a table, with the numbers rounded to float as scikit-learn does.
inline Table rounded_part(const Table& table, const std::vector<size_t>& inputs,
                          const std::vector<RowIndex>& rows) {
  Schema schema = table.schema();
  schema.features.clear();
  std::vector<Column> columns;
  for (const size_t input : inputs) {
    schema.features.push_back(table.schema().features[input]);
    ColumnDraft column;
    for (const RowIndex row : rows) {
      column.numbers.push_back(static_cast<float>(table.input(input).numbers[row]));
    }
    columns.push_back(std::move(column));
  }
  ColumnDraft target(table.target().kind);
  for (const RowIndex row : rows) {
    if (target.kind == Kind::numeric) {
      target.numbers.push_back(table.target().numbers[row]);
    } else {
      target.codes.push_back(table.target().codes[row]);
    }
  }
  return Table(std::move(schema), rows.size(), std::move(columns), std::move(target), {});
}

// The losses of peers/rpart_variants.R.
inline std::vector<double> recorded_losses(size_t classes) {
  std::vector<double> costs(classes * classes, 0.0);
  for (size_t i = 0; i < classes; ++i) {
    for (size_t j = 0; j < classes; ++j) {
      if (i != j) costs[i * classes + j] = 1 + static_cast<double>((2 * i + j) % 3);
    }
  }
  return costs;
}

}  // namespace softwood::test
