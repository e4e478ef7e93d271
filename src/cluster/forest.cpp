#include "cluster/forest.h"

#include <algorithm>

#include "cluster/schema_bytes.h"
#include "softwood/error.h"
#include "stages/recipe.h"

namespace softwood::cluster {

PartRows::PartRows(CodedRows coded, const RowCoding& coding)
    : rows(std::move(coded)), target(fixed_targets(rows, coding)) {
  // Codes beyond the bins would be counted outside of the histograms.
  if (rows.rows() > 0 && rows.stamp != coding.stamp()) {
    throw Error(ErrorKind::failure, "rows that are coded in another way");
  }
}

std::vector<uint32_t> PartRows::slots(uint32_t held_out, bool inside) const {
  std::vector<uint32_t> slots;
  slots.reserve(rows.rows());
  for (uint32_t row = 0; row < rows.rows(); ++row) {
    const bool is_held_out = held_out != no_fold && rows.fold[row] == held_out;
    if (is_held_out == inside) slots.push_back(row);
  }
  return slots;
}

void TreeQuestion::write(ByteWriter& out) const {
  out.value(held_out);
  tree.write(out);
  out.vector(nodes);
}

TreeQuestion TreeQuestion::read(ByteReader& in) {
  TreeQuestion question;
  question.held_out = in.value<uint32_t>();
  question.tree = CodeTree::read(in);
  question.nodes = in.vector<uint32_t>();
  return question;
}

void ForestQuestion::write(ByteWriter& out) const {
  coding.write(out);
  out.value(static_cast<uint64_t>(trees.size()));
  for (const TreeQuestion& tree : trees) tree.write(out);
}

ForestQuestion ForestQuestion::read(ByteReader& in) {
  ForestQuestion question;
  question.coding = RowCoding::read(in);
  for (auto left = in.value<uint64_t>(); left > 0; --left) {
    question.trees.push_back(TreeQuestion::read(in));
  }
  return question;
}

ForestSums::ForestSums(const ForestQuestion& question)
    : question_(question), offsets_(cell_offsets(question.coding.bins)) {
  size_t nodes = 0;
  for (const TreeQuestion& tree : question.trees) {
    walks_.emplace_back(tree.tree, question.coding.bins, tree.nodes);
    nodes += tree.nodes.size();
  }
  // Parts without rows answer, too.
  sums_.resize(nodes * offsets_.back() * question.coding.cell_width());
}

void ForestSums::add(std::span<const PartRows> rows) {
  const size_t cells = offsets_.back() * question_.coding.cell_width();
  int64_t* sums = sums_.data();
  for (size_t t = 0; t < walks_.size(); ++t) {
    const TreeQuestion& tree = question_.trees[t];
    if (tree.nodes.empty()) continue;
    std::vector<PlacedRows> placed;
    for (const PartRows& block : rows) {
      placed.push_back(walks_[t].placed(block.rows.codes, block.slots(tree.held_out, false)));
    }
    for (size_t i = 0; i < tree.nodes.size(); ++i, sums += cells) {
      for (size_t b = 0; b < rows.size(); ++b) {
        count_rows(rows[b].rows.codes, rows[b].target, offsets_, placed[b].at(i), sums);
      }
    }
  }
}

std::vector<std::pair<NodeKey, CodedRows>> rows_of_nodes(std::span<const PartRows> rows,
                                                         const ForestQuestion& question,
                                                         size_t tree) {
  const TreeQuestion& asked = question.trees.at(tree);
  const CodeWalk walk(asked.tree, question.coding.bins, asked.nodes);
  std::vector<PlacedRows> placed;
  for (const PartRows& block : rows) {
    placed.push_back(walk.placed(block.rows.codes, block.slots(asked.held_out, false)));
  }
  std::vector<std::pair<NodeKey, CodedRows>> all;
  for (size_t i = 0; i < asked.nodes.size(); ++i) {
    std::vector<CodedRows> of_blocks;
    for (size_t b = 0; b < rows.size(); ++b) {
      if (!placed[b].at(i).empty()) of_blocks.push_back(rows[b].rows.at(placed[b].at(i)));
    }
    if (of_blocks.empty()) continue;
    CodedRows own = CodedRows::joined(of_blocks);
    own.fold.clear();
    own.hash.clear();
    all.emplace_back(node_key(tree, asked.nodes[i]), std::move(own));
  }
  return all;
}

// What follows from the tree itself is not written.
void JudgeQuestion::write(ByteWriter& out) const {
  out.value(held_out);
  out.value(all_unseen);
  tree.write(out);
  out.value(deviations);
  out.value(unseen);
  out.vector(deviation_query.mean);
  out.value(deviation_query.square_unit);
  out.value(deviation_query.fine_below);
  out.vector(unseen_query.answer);
  out.value(unseen_query.classes);
  for (const double unit :
       {unseen_query.weight_unit, unseen_query.loss_unit, unseen_query.square_unit}) {
    out.value(unit);
  }
}

JudgeQuestion JudgeQuestion::read(ByteReader& in) {
  JudgeQuestion question;
  question.held_out = in.value<uint32_t>();
  question.all_unseen = in.value<bool>();
  question.tree = CodeTree::read(in);
  question.deviations = in.value<bool>();
  question.unseen = in.value<bool>();
  DeviationQuery& deviation = question.deviation_query;
  deviation.mean = in.vector<double>();
  deviation.square_unit = in.value<double>();
  deviation.fine_below = in.value<double>();
  fit::UnseenQuery& unseen = question.unseen_query;
  unseen.answer = in.vector<double>();
  unseen.classes = in.value<uint64_t>();
  unseen.weight_unit = in.value<double>();
  unseen.loss_unit = in.value<double>();
  unseen.square_unit = in.value<double>();
  const std::vector<uint32_t> parents = question.tree.parents();
  const size_t nodes = parents.size();
  if ((question.deviations && deviation.mean.size() != nodes) ||
      (question.unseen && unseen.classes == 0 && unseen.answer.size() != nodes)) {
    throw Error(ErrorKind::failure, "numbers of other nodes than those of the tree");
  }
  if (question.deviations) deviation.parent = parents;
  if (question.unseen) unseen.parent = parents;
  return question;
}

void ForestTrial::write(ByteWriter& out) const {
  coding.write(out);
  out.value(static_cast<uint64_t>(trees.size()));
  for (const JudgeQuestion& tree : trees) tree.write(out);
}

ForestTrial ForestTrial::read(ByteReader& in) {
  ForestTrial trial;
  trial.coding = RowCoding::read(in);
  for (auto left = in.value<uint64_t>(); left > 0; --left) {
    trial.trees.push_back(JudgeQuestion::read(in));
  }
  return trial;
}

// Parts without rows answer, too.
ForestJudge::ForestJudge(const ForestTrial& trial) : trial_(trial) {
  for (const JudgeQuestion& question : trial.trees) {
    const std::vector<bool> is_leaf = question.tree.leaves();
    std::vector<uint32_t>& leaves = leaves_.emplace_back();
    for (uint32_t node = 0; node < is_leaf.size(); ++node) {
      if (is_leaf[node]) leaves.push_back(node);
    }
    walks_.emplace_back(question.tree, trial.coding.bins, leaves);
    JudgeAnswer& answer = judgement_.trees.emplace_back();
    if (question.unseen) answer.unseen = fit::UnseenSums(question.unseen_query);
    if (question.deviations) answer.deviations.add({}, 0, {}, question.deviation_query);
  }
}

// Of rows that a tree was not grown from.
void ForestJudge::add_unseen(size_t tree, const PartRows& rows) {
  const JudgeQuestion& question = trial_.trees[tree];
  const fit::UnseenQuery& query = question.unseen_query;
  fit::UnseenSums& sums = judgement_.trees[tree].unseen;
  const PlacedRows placed =
      walks_[tree].placed(rows.rows.codes, rows.slots(question.held_out, !question.all_unseen));
  for (size_t i = 0; i < leaves_[tree].size(); ++i) {
    const NodeIndex leaf = leaves_[tree][i];
    for (const uint32_t slot : placed.at(i)) {
      const double weight = rows.rows.row_weight(slot);
      if (query.classes > 0) {
        sums.add_class(query, leaf, static_cast<int32_t>(rows.rows.klass[slot]), weight);
      } else {
        sums.add_number(query, leaf, rows.rows.number[slot], weight);
      }
    }
  }
}

void ForestJudge::add_deviations(size_t tree, const PartRows& rows) {
  const JudgeQuestion& question = trial_.trees[tree];
  const PlacedRows placed =
      walks_[tree].placed(rows.rows.codes, rows.slots(question.held_out, false));
  for (size_t i = 0; i < leaves_[tree].size(); ++i) {
    judgement_.trees[tree].deviations.add(rows.target, leaves_[tree][i], placed.at(i),
                                          question.deviation_query);
  }
}

void ForestJudge::add(const PartRows& rows) {
  for (size_t t = 0; t < trial_.trees.size(); ++t) {
    if (trial_.trees[t].deviations) add_deviations(t, rows);
    if (trial_.trees[t].unseen) add_unseen(t, rows);
  }
}

void ForestJudgement::merge(const ForestJudgement& other) {
  if (trees.size() != other.trees.size()) {
    throw Error(ErrorKind::failure, "sums over different trees can't be merged");
  }
  for (size_t t = 0; t < trees.size(); ++t) {
    trees[t].deviations.merge(other.trees[t].deviations);
    trees[t].unseen.merge(other.trees[t].unseen);
  }
}

void ForestJudgement::write(ByteWriter& out) const {
  out.value(static_cast<uint64_t>(trees.size()));
  for (const JudgeAnswer& tree : trees) {
    tree.deviations.write(out);
    tree.unseen.write(out);
  }
}

ForestJudgement ForestJudgement::read(ByteReader& in) {
  ForestJudgement judgement;
  for (auto left = in.value<uint64_t>(); left > 0; --left) {
    JudgeAnswer& answer = judgement.trees.emplace_back();
    answer.deviations = Deviations::read(in);
    answer.unseen = fit::UnseenSums::read(in);
  }
  return judgement;
}

void FinishQuestion::write(ByteWriter& out) const {
  write_schema(schema, out);
  out.text(recipe);
  out.vector(costs);
  coding.write(out);
  out.value(static_cast<uint64_t>(nodes.size()));
  for (const auto& [node, start] : nodes) {
    out.value(node);
    start.write(out);
  }
}

FinishQuestion FinishQuestion::read(ByteReader& in) {
  FinishQuestion question;
  question.schema = read_schema(in);
  question.recipe = in.text();
  question.costs = in.vector<double>();
  question.coding = RowCoding::read(in);
  for (auto left = in.value<uint64_t>(); left > 0; --left) {
    const auto node = in.value<NodeKey>();
    question.nodes.emplace_back(node, grow::GrowthStart::read(in));
  }
  return question;
}

grow::BinnedTree finished_part(const FinishQuestion& question, NodeKey node, CodedRows rows) {
  const auto found = std::find_if(question.nodes.begin(), question.nodes.end(),
                                  [&](const auto& entry) { return entry.first == node; });
  if (found == question.nodes.end()) throw Error(ErrorKind::failure, "rows of an unknown node");
  const Recipe recipe = Recipe::parse(question.recipe);
  grow::BinnedGrowth growth(
      {question.schema, recipe.steps()[0].options, question.costs, question.coding}, found->second);
  const PartRows part(std::move(rows), question.coding);
  BinnedShard shard(part.rows.codes, question.coding.bins, part.target, part.slots(no_fold, false));
  const auto ask = [&](const HistogramQuery& query) {
    Histograms histograms;
    histograms.add(shard, query);
    return std::move(histograms.sums());
  };
  growth.set_root(ask({{}, {}, {0}}));
  constexpr size_t batch_cells = 1000000;
  while (growth.has_open()) growth.count(ask(growth.divide(batch_cells, Parallel(1), {})));
  return growth.take();
}

}  // namespace softwood::cluster
