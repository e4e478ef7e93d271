#include "render/export/sql/statement.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace softwood::render {
namespace {

// Databases try the branches of a CASE one after the other.
constexpr size_t most_branches = 24;

std::string branches_by_key(const std::string& number, std::span<const SqlCase> keys,
                            const std::string& otherwise) {
  std::string text = "CASE " + number;
  for (const SqlCase& one : keys)
    text += fmt::format("\n      WHEN {} THEN {}", one.key, one.value);
  if (!otherwise.empty()) text += "\n      ELSE " + otherwise;
  return text + "\n    END";
}

// Parts of nearly equal size, each written by `write`, told apart by their last keys.
template <typename Write>
std::string branches_by_range(const std::string& number, std::span<const SqlCase> keys,
                              const Write& write) {
  const size_t part = (keys.size() + most_branches - 1) / most_branches;
  std::string text = "CASE";
  for (size_t from = 0; from < keys.size(); from += part) {
    const auto some = keys.subspan(from, std::min(part, keys.size() - from));
    const bool last = from + part >= keys.size();
    text += last ? "\n      ELSE "
                 : fmt::format("\n      WHEN {} <= {} THEN ", number, some.back().key);
    text += write(some);
  }
  return text + "\n    END";
}

// Each key stands for all numbers down to the key before it.
std::string value_in_range(const std::string& number, std::span<const SqlCase> keys) {
  if (keys.size() == 1) return keys[0].value;
  return branches_by_range(
      number, keys, [&](std::span<const SqlCase> some) { return value_in_range(number, some); });
}

std::string replaced(const std::string& number, std::span<const SqlCase> keys) {
  if (keys.size() <= most_branches) return branches_by_key(number, keys, number);
  return branches_by_range(number, keys,
                           [&](std::span<const SqlCase> some) { return replaced(number, some); });
}

}  // namespace

std::string sql_value_of(const std::string& number, const std::vector<SqlCase>& keys) {
  std::vector<SqlCase> runs;  // of equal values, by their last keys
  for (const SqlCase& one : keys) {
    if (!runs.empty() && runs.back().value == one.value) {
      runs.back().key = one.key;
    } else {
      runs.push_back(one);
    }
  }
  if (runs.size() == 1) return runs[0].value;
  if (keys.size() <= most_branches) return branches_by_key(number, keys, "");
  return value_in_range(number, runs);
}

std::string sql_replaced(const std::string& number, const std::vector<SqlCase>& keys) {
  return replaced(number, keys);
}

void SqlStatement::add(SqlColumn column) {
  const auto old = std::find(kept_.begin(), kept_.end(), column.name);
  if (old != kept_.end()) kept_.erase(old);
  added_.push_back(std::move(column));
}

void SqlStatement::drop(const std::string& name) { dropped_.push_back(name); }

void SqlStatement::end_step() {
  if (added_.empty()) return;
  std::sort(dropped_.begin(), dropped_.end());
  std::erase_if(kept_, [this](const std::string& name) {
    return std::binary_search(dropped_.begin(), dropped_.end(), name);
  });
  dropped_.clear();
  const std::string name = fmt::format("{}{}", prefix_, ++count_);
  steps_ += fmt::format("{}{} AS (\n  SELECT ", count_ == 1 ? "WITH\n" : ",\n", name);
  steps_ += join(kept_, ", ");
  for (size_t i = 0; i < added_.size(); ++i) {
    if (i > 0 || !kept_.empty()) steps_ += ",\n    ";
    steps_ += added_[i].expression + " AS " + added_[i].name;
    kept_.push_back(added_[i].name);
  }
  steps_ += "\n  FROM " + source_;
  if (!dialect_.fence.empty()) steps_ += "\n  " + dialect_.fence;
  steps_ += "\n)";
  source_ = name;
  added_.clear();
}

std::string SqlStatement::text(const std::vector<SqlColumn>& columns) const {
  std::string text = steps_ + "\nSELECT";
  for (size_t i = 0; i < columns.size(); ++i) {
    text += fmt::format("{}\n  {} AS {}", i > 0 ? "," : "", columns[i].expression, columns[i].name);
  }
  return text + "\nFROM " + source_ + ";\n";
}

}  // namespace softwood::render
