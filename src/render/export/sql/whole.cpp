// Trees in which a row ends in one node. The node is found by flat CASEs: one branch per leaf, with
// only those conditions that branches before it leave open. The child with the most leaves comes
// last and needs no condition, so that a branch has at most log2(leaves) of them. A tree with many
// leaves is cut into blocks: a step finds the block's exit, and the next one goes on from there.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "render/export/sql/answers.h"

namespace softwood::render {
namespace {

// Exits of a block. More make fewer steps, but a row tries half of a block's branches.
constexpr size_t block_exits = 48;

class Blocks {
 public:
  explicit Blocks(const SqlExpressions& sql) : sql_(sql), tree_(sql.tree()) {
    leaves_.assign(tree_.nodes.size(), 1);
    for (size_t i = tree_.nodes.size(); i-- > 0;) {
      const auto& split = tree_.nodes[i].split;
      if (!split) continue;
      const auto first = leaves_.begin() + split->first_child;
      leaves_[i] = std::accumulate(first, first + split->children, size_t{stays(*split)});
    }
  }

  // The exit of the block at `root`: the number of a node, which is a leaf, an inner node whose
  // rows stay, or the root of another block; those are noted in `next`.
  std::string exit_of(uint32_t root, std::vector<uint32_t>& next) {
    inside_ = nodes_of_block(root);
    branches_.clear();
    next_ = &next;
    write(root, {});
    std::string text = "CASE";
    for (size_t i = 0; i + 1 < branches_.size(); ++i) {
      text += fmt::format("\n      WHEN {} THEN {}", branches_[i].condition, branches_[i].exit);
    }
    const uint32_t last = branches_.back().exit;
    if (branches_.size() == 1) return fmt::format("{}", last);
    return text + fmt::format("\n      ELSE {}\n    END", last);
  }

 private:
  struct Branch {
    std::string condition;
    uint32_t exit;
  };

  static bool stays(const LoweredSplit& split) {
    return split.missing.action == MissingAction::stay;
  }

  // Inner nodes; the ones with the most leaves first.
  std::vector<uint32_t> nodes_of_block(uint32_t root) const {
    const auto fewer = [this](uint32_t a, uint32_t b) {
      return leaves_[a] != leaves_[b] ? leaves_[a] < leaves_[b] : a > b;
    };
    std::vector<uint32_t> inside, open{root};  // a heap
    size_t exits = 1;
    while (!open.empty() && exits < block_exits) {
      std::pop_heap(open.begin(), open.end(), fewer);
      const uint32_t node = open.back();
      open.pop_back();
      const auto& split = tree_.nodes[node].split;
      if (!split) continue;
      inside.push_back(node);
      exits += split->children - 1 + (stays(*split) ? 1 : 0);
      for (uint32_t c = 0; c < split->children; ++c) {
        open.push_back(split->first_child + c);
        std::push_heap(open.begin(), open.end(), fewer);
      }
    }
    std::sort(inside.begin(), inside.end());
    return inside;
  }

  // Depth first with the heaviest child last. A path of heavy children adds no nesting here: the
  // last child is gone on with in the loop.
  void write(uint32_t node, const std::vector<std::string>& conditions) {
    while (std::binary_search(inside_.begin(), inside_.end(), node)) {
      const LoweredSplit& split = *tree_.nodes[node].split;
      uint32_t heaviest = 0;
      for (uint32_t c = 1; c < split.children; ++c) {
        if (leaves_[split.first_child + c] >= leaves_[split.first_child + heaviest]) heaviest = c;
      }
      const auto with = [&](uint32_t child) {
        std::vector<std::string> all = conditions;
        all.push_back(sql_.goes_to(split, child));
        return all;
      };
      if (stays(split)) branches_.push_back({join(with(split.children), " AND "), node});
      for (uint32_t c = 0; c < split.children; ++c) {
        if (c != heaviest) write(split.first_child + c, with(c));
      }
      node = split.first_child + heaviest;
    }
    branches_.push_back({conditions.empty() ? "TRUE" : join(conditions, " AND "), node});
    if (tree_.nodes[node].split) next_->push_back(node);
  }

  const SqlExpressions& sql_;
  const LoweredTree& tree_;
  std::vector<size_t> leaves_;    // under each node
  std::vector<uint32_t> inside_;  // nodes of the block, ascending
  std::vector<uint32_t>* next_ = nullptr;
  std::vector<Branch> branches_;
};

// Steps that find the node where the row ends, in a column.
std::string add_node_steps(const SqlExpressions& sql, SqlStatement& statement) {
  Blocks blocks(sql);
  const std::string node = sql.name("node");
  std::vector<uint32_t> roots;
  statement.add({node, blocks.exit_of(0, roots)});
  statement.end_step();
  while (!roots.empty()) {
    std::sort(roots.begin(), roots.end());
    std::vector<SqlCase> cases;
    std::vector<uint32_t> next;
    for (const uint32_t root : roots) cases.push_back({root, blocks.exit_of(root, next)});
    statement.add({node, sql_replaced(node, cases)});
    statement.end_step();
    roots = std::move(next);
  }
  return node;
}

class WholeRow {
 public:
  WholeRow(const SqlExpressions& sql, const ExportOptions& options, SqlStatement& statement)
      : sql_(sql), tree_(sql.tree()), options_(options), statement_(statement) {
    for (uint32_t i = 0; i < tree_.nodes.size(); ++i) {
      const LoweredNode& node = tree_.nodes[i];
      if (node.split && node.split->missing.action != MissingAction::stay) continue;
      ends_.push_back(i);
      const auto constant = constant_answer(tree_, node);
      computed_ |= !constant;
      constants_.push_back(final_answer(tree_, constant ? *constant : constants_of(tree_, node)));
    }
  }

  std::vector<SqlColumn> columns() {
    node_ = add_node_steps(sql_, statement_);
    if (!computed_) return constant_columns();
    return tree_.is_classifier() ? softmax_leaves() : linear_leaves();
  }

 private:
  // By the number of the node where the row ends.
  template <typename Write>
  std::string by_end(const Write& write) const {
    std::vector<SqlCase> cases;
    for (size_t i = 0; i < ends_.size(); ++i) cases.push_back({ends_[i], write(i)});
    return sql_value_of(node_, cases);
  }

  std::string constant(size_t output) const {
    return by_end([&](size_t i) { return sql_.number(constants_[i][output]); });
  }

  std::vector<SqlColumn> constant_columns() const {
    const std::vector<std::string> names = answer_names(tree_);
    if (!tree_.is_classifier()) return {{sql_identifier(names[0]), constant(0)}};
    std::vector<SqlColumn> columns{
        {sql_identifier(names[0]), by_end([&](size_t i) {
           return sql_string(tree_.target.classes[decided_class(tree_, options_, constants_[i])]);
         })}};
    for (size_t k = 0; k + 1 < names.size(); ++k) {
      columns.push_back({sql_identifier(names[k + 1]), constant(k)});
    }
    return columns;
  }

  // Null: the node has no formula that depends on the row.
  const LoweredFormula* formula(size_t end) const {
    const auto& formula = tree_.nodes[ends_[end]].formula;
    return formula && !formula->terms.empty() ? &*formula : nullptr;
  }

  std::string null() const { return fmt::format("CAST(NULL AS {})", sql_.dialect().real); }

  std::vector<SqlColumn> linear_leaves() {
    const std::string value = sql_.name("value");
    statement_.add({value, by_end([&](size_t i) {
                      const LoweredFormula* const of = formula(i);
                      return of == nullptr ? null() : sql_.output(*of, of->outputs[0]);
                    })});
    statement_.end_step();
    const auto limit = [&](double LoweredFormula::*which) {
      return by_end([&](size_t i) {
        const LoweredFormula* const of = formula(i);
        return sql_.number(of == nullptr ? 0 : of->*which);
      });
    };
    std::string held = sql_.greatest({value, limit(&LoweredFormula::low)});
    held = sql_.least({held, limit(&LoweredFormula::high)});
    if (std::isfinite(tree_.mixing.low))
      held = sql_.greatest({held, sql_.number(tree_.mixing.low)});
    if (std::isfinite(tree_.mixing.high)) held = sql_.least({held, sql_.number(tree_.mixing.high)});
    const std::string answer =
        fmt::format("CASE WHEN {} THEN {} ELSE {} END", sql_.is_finite(value), held, constant(0));
    return {{sql_identifier(answer_names(tree_)[0]), answer}};
  }

  // The score of a class at an end; without a formula there is none, and a class that the formula
  // does not list has one that leaves nothing of it.
  std::string score(size_t end, size_t k) const {
    const LoweredFormula* const of = formula(end);
    if (of == nullptr) return null();
    for (const LoweredOutput& output : of->outputs) {
      if (output.class_index == k) return sql_.output(*of, output);
    }
    return sql_.number(-1e300);
  }

  std::vector<SqlColumn> softmax_leaves() {
    const size_t classes = tree_.target.classes.size();
    std::vector<std::string> scores, finite;
    for (size_t k = 0; k < classes; ++k) {
      scores.push_back(sql_.name(fmt::format("score{}", k)));
      statement_.add({scores.back(), by_end([&](size_t i) { return score(i, k); })});
      finite.push_back(sql_.is_finite(scores.back()));
    }
    statement_.end_step();
    statement_.add(
        {scores[0], fmt::format("CASE WHEN {} THEN {} END", join(finite, " AND "), scores[0])});
    statement_.end_step();
    const std::vector<std::string> probabilities = softmax_columns(sql_, statement_, scores);
    std::vector<std::string> answers;
    for (size_t k = 0; k < classes; ++k) {
      answers.push_back(sql_.name(fmt::format("p{}", k)));
      statement_.add({answers.back(), sql_coalesce({probabilities[k], constant(k)})});
    }
    statement_.end_step();
    return answer_columns(sql_, options_, statement_, answers);
  }

  const SqlExpressions& sql_;
  const LoweredTree& tree_;
  const ExportOptions& options_;
  SqlStatement& statement_;
  std::string node_;
  std::vector<uint32_t> ends_;                  // nodes where rows end, ascending
  std::vector<std::vector<double>> constants_;  // their answers without formulas
  bool computed_ = false;                       // some answers depend on the row
};

}  // namespace

std::vector<SqlColumn> whole_row_columns(const SqlExpressions& sql, const ExportOptions& options,
                                         SqlStatement& statement) {
  return WholeRow(sql, options, statement).columns();
}

}  // namespace softwood::render
