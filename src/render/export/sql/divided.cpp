// Trees in which a row may end in several nodes. The share of the row at a node is a column, which
// lives until the shares of its children, or what a leaf adds to the answer, are computed from it:
// a step per level, in which a node with no share costs one comparison.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "lower/condition.h"
#include "render/export/sql/answers.h"

namespace softwood::render {
namespace {

// Columns of a step (PostgreSQL has at most 1664, SQLite 2000), and how many one step adds. A tree
// that is wider is not followed level by level: the part that was found last is finished first.
constexpr size_t most_columns = 800, most_new_columns = 400;

class DividedRow {
 public:
  DividedRow(const SqlExpressions& sql, const ExportOptions& options, SqlStatement& statement)
      : sql_(sql),
        tree_(sql.tree()),
        options_(options),
        statement_(statement),
        scores_(tree_.mixing.kind == MixingKind::scores),
        sums_(tree_.nodes[0].answer.size()) {}

  std::vector<SqlColumn> columns() {
    for (size_t k = 0; k < sums_.size(); ++k) {
      statement_.add({sum_name(k), sql_.number(0)});
    }
    open_node(0, sql_.number(1), "");
    statement_.end_step();
    work_ = std::move(later_);
    later_.clear();
    while (!work_.empty()) advance();
    return last_columns();
  }

 private:
  // What is left to do: columns of a node and what is computed from them next.
  enum class Stage : uint8_t {
    divide,   // from the weights to the shares of children, or what the leaf adds
    formula,  // from the outputs of the formula to its answer
    largest,  // softmax of the formula: the largest output is there
    powers    // and exp(output - largest)
  };
  struct Work {
    uint32_t node;
    Stage stage;
  };

  std::string column(const char* what, uint32_t node) const {
    return sql_.name(fmt::format("{}{}", what, node));
  }
  std::string column(const char* what, uint32_t node, size_t k) const {
    return sql_.name(fmt::format("{}{}_{}", what, node, k));
  }
  std::string share(uint32_t node) const { return column("share", node); }
  std::string sum_name(size_t k) const { return sql_.name(fmt::format("sum{}", k)); }

  const LoweredFormula* formula(uint32_t node) const {
    const auto& formula = tree_.nodes[node].formula;
    return formula && !formula->terms.empty() ? &*formula : nullptr;
  }

  size_t columns_of(const Work& work) const {
    const auto& split = tree_.nodes[work.node].split;
    if (split) return 2 * split->children;
    return formula(work.node) != nullptr ? sums_.size() : 1;
  }

  // One step: everything that is open goes on by one stage, as far as there is room.
  void advance() {
    const bool wide = statement_.width() > most_columns;
    size_t from = 0, to = work_.size(), added = 0;
    if (wide) {
      for (from = work_.size(); from > 0 && added < most_new_columns; --from) {
        added += columns_of(work_[from - 1]);
      }
    } else {
      for (to = 0; to < work_.size() && added < most_new_columns; ++to) {
        added += columns_of(work_[to]);
      }
    }
    const std::vector<Work> now(work_.begin() + int64_t(from), work_.begin() + int64_t(to));
    work_.erase(work_.begin() + int64_t(from), work_.begin() + int64_t(to));
    for (const Work& work : now) go_on(work);
    for (size_t k = 0; k < sums_.size(); ++k) {
      if (sums_[k].empty()) continue;
      sums_[k].insert(sums_[k].begin(), sum_name(k));
      statement_.add({sum_name(k), SqlExpressions::sum(sums_[k])});
      sums_[k].clear();
    }
    statement_.end_step();
    work_.insert(work_.end(), later_.begin(), later_.end());
    later_.clear();
  }

  void go_on(const Work& work) {
    const uint32_t node = work.node;
    switch (work.stage) {
      case Stage::divide:
        if (const auto& split = tree_.nodes[node].split) {
          divide(node, *split);
        } else {
          answer(node, share(node), constant_answer(tree_, tree_.nodes[node]).value());
          statement_.drop(share(node));
        }
        return;
      case Stage::formula:
        return answer_formula(node);
      case Stage::largest:
        return add_powers(node);
      case Stage::powers:
        return answer_softmax(node);
    }
  }

  // Columns of a node whose parent has the share `above` (empty: it is the root).
  void open_node(uint32_t node, const std::string& own_share, const std::string& above) {
    statement_.add({share(node), own_share});
    const auto reached = [&](const std::string& expression) {
      if (above.empty()) return expression;
      return fmt::format("CASE WHEN {} > {} THEN {} END", above, sql_.number(0), expression);
    };
    const LoweredNode& at = tree_.nodes[node];
    if (at.split) {
      statement_.add(
          {column("go", node), reached(is_soft(*at.split) ? sql_.first_weight(*at.split)
                                                          : sql_.child_number(*at.split))});
    } else if (const LoweredFormula* const of = formula(node)) {
      for (size_t k = 0; k < of->outputs.size(); ++k) {
        statement_.add({column("z", node, k), reached(sql_.output(*of, of->outputs[k]))});
      }
      later_.push_back({node, Stage::formula});
      return;
    }
    later_.push_back({node, Stage::divide});
  }

  // The part of the row at `node` that goes to a child, from the columns of the node.
  std::string part_of(uint32_t node, const LoweredSplit& split, uint32_t child) const {
    const std::string go = column("go", node), whole = share(node);
    const LoweredMissing& missing = split.missing;
    std::string part = "CASE";
    if (missing.action == MissingAction::shares) {
      part += fmt::format(" WHEN {} IS NULL THEN {} * {}", go, whole,
                          sql_.number(missing.shares[child]));
    }
    if (!is_soft(split)) {
      return part +
             fmt::format(" WHEN {} = {} THEN {} ELSE {} END", go, child, whole, sql_.number(0));
    }
    if (child >= condition_children(split.condition)) {  // for missing values
      return part + fmt::format(" WHEN {} IS NULL THEN {} ELSE {} END", go, whole, sql_.number(0));
    }
    const std::string weight = child == 0 ? go : fmt::format("({} - {})", sql_.number(1), go);
    return part + fmt::format(" WHEN {0} * {1} > {2} THEN {0} * {1} ELSE {3} END", whole, weight,
                              sql_.number(tree_.smallest_share), sql_.number(0));
  }

  void divide(uint32_t node, const LoweredSplit& split) {
    for (uint32_t c = 0; c < split.children; ++c) {
      open_node(split.first_child + c, part_of(node, split, c), share(node));
    }
    if (split.missing.action == MissingAction::stay) {
      const std::string part = fmt::format("CASE WHEN {} IS NULL THEN {} ELSE {} END",
                                           column("go", node), share(node), sql_.number(0));
      answer(node, part, constants_of(tree_, tree_.nodes[node]));
    }
    statement_.drop(share(node));
    statement_.drop(column("go", node));
  }

  std::string product(const std::string& part, double number) const {
    return fmt::format("{} * {}", part, sql_.number(number));
  }

  void answer(uint32_t node, const std::string& part, const std::vector<double>& numbers) {
    (void)node;
    for (size_t k = 0; k < numbers.size(); ++k) {
      const bool nothing =
          numbers[k] == 0 || (sql_.dialect().range_errors && std::fabs(numbers[k]) < 1e-290);
      if (!nothing) sums_[k].push_back(product(part, numbers[k]));
    }
  }

  void drop_outputs(uint32_t node, const char* what) {
    for (size_t k = 0; k < formula(node)->outputs.size(); ++k)
      statement_.drop(column(what, node, k));
  }

  std::string all_finite(uint32_t node) const {
    std::vector<std::string> finite;
    for (size_t k = 0; k < formula(node)->outputs.size(); ++k) {
      finite.push_back(sql_.is_finite(column("z", node, k)));
    }
    return join(finite, " AND ");
  }

  // What the leaf adds to an output: nothing where the row has no share of it, and without its
  // formula where an output is not finite.
  void add_checked(uint32_t node, size_t k, const std::string& computable,
                   const std::string& computed, double constant) {
    sums_[k].push_back(fmt::format("CASE WHEN {} = {} THEN {} WHEN {} THEN {} * {} ELSE {} END",
                                   share(node), sql_.number(0), sql_.number(0), computable,
                                   share(node), computed, product(share(node), constant)));
  }

  void answer_formula(uint32_t node) {
    const LoweredFormula& of = *formula(node);
    const std::vector<double> constants = constants_of(tree_, tree_.nodes[node]);
    if (tree_.is_classifier() && !scores_) {
      std::vector<std::string> outputs;
      for (size_t k = 0; k < of.outputs.size(); ++k) outputs.push_back(column("z", node, k));
      statement_.add({column("top", node), fmt::format("CASE WHEN {} THEN {} END", all_finite(node),
                                                       sql_.greatest(outputs))});
      later_.push_back({node, Stage::largest});
      return;
    }
    for (size_t k = 0; k < of.outputs.size(); ++k) {
      std::string computed = column("z", node, k);
      if (!tree_.is_classifier()) {
        computed =
            sql_.least({sql_.greatest({computed, sql_.number(of.low)}), sql_.number(of.high)});
      }
      const size_t output = tree_.is_classifier() ? of.outputs[k].class_index : 0;
      add_checked(node, output, all_finite(node), computed, constants[output]);
    }
    drop_outputs(node, "z");
    statement_.drop(share(node));
  }

  void add_powers(uint32_t node) {
    for (size_t k = 0; k < formula(node)->outputs.size(); ++k) {
      statement_.add({column("e", node, k), sql_.exp(fmt::format("({} - {})", column("z", node, k),
                                                                 column("top", node)))});
    }
    drop_outputs(node, "z");
    later_.push_back({node, Stage::powers});
  }

  void answer_softmax(uint32_t node) {
    const LoweredFormula& of = *formula(node);
    const std::vector<double> constants = constants_of(tree_, tree_.nodes[node]);
    std::vector<std::string> powers;
    for (size_t k = 0; k < of.outputs.size(); ++k) powers.push_back(column("e", node, k));
    std::vector<bool> listed(constants.size(), false);
    const std::string computable = column("top", node) + " IS NOT NULL";
    for (size_t k = 0; k < of.outputs.size(); ++k) {
      const size_t output = of.outputs[k].class_index;
      listed[output] = true;
      add_checked(node, output, computable,
                  fmt::format("({} / ({}))", powers[k], SqlExpressions::sum(powers)),
                  constants[output]);
    }
    for (size_t k = 0; k < constants.size(); ++k) {
      if (!listed[k]) add_checked(node, k, computable, sql_.number(0), constants[k]);
    }
    drop_outputs(node, "e");
    statement_.drop(column("top", node));
    statement_.drop(share(node));
  }

  std::vector<SqlColumn> last_columns() {
    std::vector<std::string> sums;
    for (size_t k = 0; k < sums_.size(); ++k) sums.push_back(sum_name(k));
    if (scores_) {
      const std::vector<std::string> probabilities = softmax_columns(sql_, statement_, sums);
      for (size_t k = 0; k < sums.size(); ++k) {
        sums[k] = sql_.name(fmt::format("p{}", k));
        statement_.add({sums[k], probabilities[k]});
      }
      statement_.end_step();
    }
    if (!tree_.is_classifier()) {
      if (std::isfinite(tree_.mixing.low)) {
        sums[0] = sql_.greatest({sums[0], sql_.number(tree_.mixing.low)});
      }
      if (std::isfinite(tree_.mixing.high)) {
        sums[0] = sql_.least({sums[0], sql_.number(tree_.mixing.high)});
      }
    }
    return answer_columns(sql_, options_, statement_, sums);
  }

  const SqlExpressions& sql_;
  const LoweredTree& tree_;
  const ExportOptions& options_;
  SqlStatement& statement_;
  bool scores_;
  std::vector<Work> work_, later_;
  std::vector<std::vector<std::string>> sums_;  // what the step adds to each output
};

}  // namespace

std::vector<SqlColumn> divided_row_columns(const SqlExpressions& sql, const ExportOptions& options,
                                           SqlStatement& statement) {
  return DividedRow(sql, options, statement).columns();
}

}  // namespace softwood::render
