#include "cluster/forest.h"

#include <algorithm>

#include "cluster/schema_bytes.h"
#include "softwood/error.h"
#include "stages/recipe.h"

namespace softwood::cluster {
namespace {

// Codes beyond the bins would be counted outside of the histograms.
template <class Code>
bool codes_fit(const BinnedRows& rows, const std::vector<FeatureBins>& bins) {
  const size_t features = rows.features();
  if (features != bins.size()) return false;
  std::vector<Code> largest(features, 0);
  for (size_t row = 0; row < rows.rows(); ++row) {
    const Code* const codes = rows.codes<Code>(row);
    for (size_t f = 0; f < features; ++f) largest[f] = std::max(largest[f], codes[f]);
  }
  return std::equal(largest.begin(), largest.end(), bins.begin(),
                    [](Code code, const FeatureBins& feature) { return code <= feature.bins; });
}

}  // namespace

PartRows::PartRows(CodedRows coded, const RowCoding& coding)
    : rows(std::move(coded)), target(fixed_targets(rows, coding)) {
  if (rows.rows() == 0) rows.codes = BinnedRows(coding.bins.size(), {}, {});
  const bool fits = rows.codes.is_narrow() ? codes_fit<uint8_t>(rows.codes, coding.bins)
                                           : codes_fit<uint32_t>(rows.codes, coding.bins);
  if (!fits) throw Error(ErrorKind::failure, "rows that are coded in another way");
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
  splits.write(out);
}

TreeQuestion TreeQuestion::read(ByteReader& in) {
  TreeQuestion question;
  question.held_out = in.value<uint32_t>();
  question.splits = HistogramQuery::read(in);
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
    : question_(question), trees_(question.trees.size()) {}

void ForestSums::add(const PartRows& part) {
  for (size_t t = 0; t < trees_.size(); ++t) {
    const TreeQuestion& tree = question_.trees[t];
    if (tree.splits.nodes.empty()) continue;
    BinnedShard shard(part.rows.codes, question_.coding.bins, part.target,
                      part.slots(tree.held_out, false));
    trees_[t].add(shard, tree.splits);
  }
}

std::vector<int64_t> ForestSums::take() {
  size_t codes = 0;
  for (const FeatureBins& feature : question_.coding.bins) codes += feature.bins + size_t{1};
  std::vector<int64_t> all;
  for (size_t t = 0; t < trees_.size(); ++t) {
    std::vector<int64_t>& own = trees_[t].sums();
    // A part without rows.
    own.resize(question_.trees[t].splits.nodes.size() * codes * question_.coding.cell_width());
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

std::vector<std::pair<NodeKey, CodedRows>> rows_of_nodes(const PartRows& part,
                                                         const ForestQuestion& question) {
  std::vector<std::pair<NodeKey, CodedRows>> all;
  for (size_t t = 0; t < question.trees.size(); ++t) {
    const TreeQuestion& tree = question.trees[t];
    BinnedShard shard(part.rows.codes, question.coding.bins, part.target,
                      part.slots(tree.held_out, false));
    shard.apply(tree.splits);
    for (const uint32_t node : tree.splits.nodes) {
      if (!shard.has(node)) throw Error(ErrorKind::failure, "a node that no split has made");
      const std::span<const uint32_t> slots = shard.slots_of(node);
      if (slots.empty()) continue;
      CodedRows rows = part.rows.at(slots);
      rows.fold.clear();
      rows.hash.clear();
      all.emplace_back(node_key(t, node), std::move(rows));
    }
  }
  return all;
}

void JudgeQuestion::write(ByteWriter& out) const {
  out.value(held_out);
  out.value(all_unseen);
  splits.write(out);
  out.value(deviations);
  out.value(unseen);
  deviation_query.write(out);
  unseen_query.write(out);
}

JudgeQuestion JudgeQuestion::read(ByteReader& in) {
  JudgeQuestion question;
  question.held_out = in.value<uint32_t>();
  question.all_unseen = in.value<bool>();
  question.splits = HistogramQuery::read(in);
  question.deviations = in.value<bool>();
  question.unseen = in.value<bool>();
  question.deviation_query = DeviationQuery::read(in);
  question.unseen_query = fit::UnseenQuery::read(in);
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

namespace {

// Of rows that a tree was not grown from.
void add_unseen(const PartRows& part, const JudgeQuestion& question, const RowCoding& coding,
                fit::UnseenSums& sums) {
  const fit::UnseenQuery& query = question.unseen_query;
  BinnedShard shard(part.rows.codes, coding.bins, part.target,
                    part.slots(question.held_out, !question.all_unseen));
  shard.apply(question.splits);
  std::vector<bool> is_inner(query.parent.size(), false);
  for (const BinnedSplit& split : question.splits.splits) is_inner.at(split.node) = true;
  for (NodeIndex node = 0; node < query.parent.size(); ++node) {
    if (is_inner[node]) continue;
    if (!shard.has(node)) throw Error(ErrorKind::failure, "a node that no split has made");
    for (const uint32_t slot : shard.slots_of(node)) {
      const double weight = part.rows.row_weight(slot);
      if (query.classes > 0) {
        sums.add_class(query, node, static_cast<int32_t>(part.rows.klass[slot]), weight);
      } else {
        sums.add_number(query, node, part.rows.number[slot], weight);
      }
    }
  }
}

void add_deviations(const PartRows& part, const JudgeQuestion& question, const RowCoding& coding,
                    Deviations& deviations) {
  BinnedShard shard(part.rows.codes, coding.bins, part.target,
                    part.slots(question.held_out, false));
  shard.apply(question.splits);
  deviations.add(shard, question.deviation_query);
}

}  // namespace

// Parts without rows answer, too.
ForestJudgement::ForestJudgement(const ForestTrial& trial) {
  const PartRows none({}, trial.coding);
  for (const JudgeQuestion& question : trial.trees) {
    JudgeAnswer& answer = trees.emplace_back();
    if (question.unseen) answer.unseen = fit::UnseenSums(question.unseen_query);
  }
  add(none, trial);
}

void ForestJudgement::add(const PartRows& part, const ForestTrial& trial) {
  for (size_t t = 0; t < trees.size(); ++t) {
    const JudgeQuestion& question = trial.trees[t];
    if (question.deviations) add_deviations(part, question, trial.coding, trees[t].deviations);
    if (question.unseen) add_unseen(part, question, trial.coding, trees[t].unseen);
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
