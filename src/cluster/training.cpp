#include "cluster/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/random.h"
#include "base/text.h"
#include "data/content.h"
#include "data/convert.h"
#include "data/feature_options.h"
#include "data/folds.h"
#include "data/quantiles.h"
#include "softwood/error.h"
#include "softwood/version.h"
#include "stages/grow/grow.h"
#include "study/train.h"

namespace softwood::cluster {
namespace {

constexpr size_t most_judged_nodes = size_t{1} << 22;  // by one request, unless one tree has more
// The places where pieces of answers come together.
constexpr size_t parts_per_piece = 4, most_pieces = 64;

[[noreturn]] void refuse_empty_validation() {
  throw Error(ErrorKind::data, "the validation rows have no weight");
}

// Nodes of so many rows at most are finished in one place: few enough for its memory, and so many
// that not many nodes are counted in passes. As all rows are sent then, it may as well be soon:
// when there are two nodes per part to share out.
double small_rows_of(uint64_t rows, size_t parts, size_t wanted) {
  if (wanted > 0) return static_cast<double>(wanted);
  constexpr uint64_t fewest = 65536, soon = 524288, most = uint64_t{1} << 24, nodes = 256;
  const uint64_t shared = std::min(soon, rows / (2 * parts));
  return static_cast<double>(std::clamp(std::max(rows / nodes, shared), fewest, most));
}

// Numbers are coded as growing does it by default.
constexpr size_t evolution_bins = 255;

// Of a node's histogram.
size_t cells_of(const RowCoding& coding) {
  size_t codes = 0;
  for (const FeatureBins& feature : coding.bins) codes += feature.bins + size_t{1};
  return codes * coding.cell_width();
}

Table table_without_rows(const Schema& schema) {
  std::vector<ColumnDraft> inputs;
  for (const Feature& feature : schema.features) inputs.emplace_back(feature.kind);
  return {schema, 0, finished(std::move(inputs)), ColumnDraft(schema.target.kind), {}};
}

}  // namespace

std::string_view pass_name(PassKind kind) {
  constexpr std::string_view names[] = {"raw",       "code",   "facts",
                                        "grow",      "coded",  "exchange",
                                        "deal",      "finish", "validation_facts",
                                        "validation"};
  return names[static_cast<size_t>(kind)];
}

Training::Training(TrainingPlan plan, const Control& control)
    : plan_(std::move(plan)),
      control_(control),
      pieces_(std::clamp(plan_.parts / parts_per_piece, size_t{1}, most_pieces)) {
  if (!is_for_parts(plan_.recipe)) {
    throw Error(
        ErrorKind::usage, "this recipe needs all rows in one place", {},
        "on rows in parts there is \"grow search=binned\", and prune after it, and \"evolve "
        "cuts=bins\"");
  }
}

bool Training::evolves() const { return is_evolved(plan_.recipe); }

const Step* Training::prune_step() const {
  const std::vector<Step>& steps = plan_.recipe.steps();
  return steps.size() > 1 ? &steps[1] : nullptr;
}

size_t Training::folds_wanted() const {
  const Step* const prune = prune_step();
  if (prune == nullptr || prune->options.has_number("alpha") || plan_.validation) return 0;
  return prune->options.count("folds");
}

size_t Training::bins_wanted() const {
  return evolves() ? evolution_bins : plan_.recipe.steps()[0].options.count("bins");
}

std::optional<Pass> Training::next() {
  switch (phase_) {
    case Phase::summary:
      return Pass{PassKind::raw,
                  message_bytes(Message::summary,
                                SummaryRequest{pieces_, plan_.roles,
                                               plan_.roles.weights.empty() ? bins_wanted() : 0})};
    case Phase::counts:
      return Pass{PassKind::raw,
                  message_bytes(Message::counts, CountRequest{pieces_, schema_, question_})};
    case Phase::code:
      return Pass{
          PassKind::code,
          message_bytes(Message::coding, CodingRequest{schema_, coding_, folds_wanted() > 0})};
    case Phase::facts:
      return Pass{PassKind::facts, {}};
    case Phase::validation_facts:
      return Pass{PassKind::validation_facts, {}};
    case Phase::exchange:
      return Pass{PassKind::exchange, message_bytes(Message::deal_counts, deal_)};
    case Phase::count_deal:
      return Pass{PassKind::coded, message_bytes(Message::deal_counts, deal_)};
    case Phase::deal:
      return Pass{PassKind::deal, message_bytes(Message::dealing, DealRequest{deal_, dealing_})};
    case Phase::merge:
      return Pass{PassKind::coded,
                  message_bytes(Message::merged, MergeRequest{coding_, plan_.most_merged})};
    case Phase::grow:
      ++growing_passes_;
      return Pass{PassKind::grow, growth_request()};
    case Phase::finish:
      ++growing_passes_;
      return Pass{PassKind::finish, finish_request()};
    case Phase::judge:
      ++growing_passes_;
      return Pass{PassKind::coded, judge_request()};
    case Phase::validate:
      return Pass{PassKind::validation, validation_request()};
    case Phase::done:
      break;
  }
  return {};
}

namespace {

template <class T>
T appended(std::span<const ByteView> pieces, Message message) {
  if (pieces.empty()) throw Error(ErrorKind::failure, "an answer is missing");
  T all = message_content<T>(pieces[0], message);
  for (const ByteView piece : pieces.subspan(1)) all.append(message_content<T>(piece, message));
  return all;
}

// Each is decoded once: where all tasks answer the driver there are many.
template <class T>
T merged_content(std::span<const ByteView> answers, Message message) {
  if (answers.empty()) throw Error(ErrorKind::failure, "an answer is missing");
  T all = message_content<T>(answers[0], message);
  for (const ByteView answer : answers.subspan(1)) all.merge(message_content<T>(answer, message));
  return all;
}

}  // namespace

void Training::take(std::span<const ByteView> answers) {
  control_.throw_if_interrupted();
  switch (phase_) {
    case Phase::summary:
      return take_summary(appended<PartSummary>(answers, Message::summary));
    case Phase::counts:
      return take_findings(appended<ColumnFindings>(answers, Message::findings));
    case Phase::grow:
      return take_growth(appended<GrowthAnswer>(answers, Message::growth));
    default:
      return take_merged_answers(answers);
  }
}

void Training::take_merged_answers(std::span<const ByteView> answers) {
  switch (phase_) {
    case Phase::code:
      phase_ = Phase::facts;
      return;
    case Phase::facts:
      return take_facts(merged_content<CodingFacts>(answers, Message::facts));
    case Phase::validation_facts:
      if (answers.empty()) refuse_empty_validation();
      validation_ = merged_content<CodingFacts>(answers, Message::facts);
      return after_coding();
    case Phase::exchange:
      phase_ = Phase::count_deal;
      return;
    case Phase::count_deal:
      dealing_ =
          Dealing(merged_content<DealCounts>(answers, Message::deal_counts), deal_, plan_.seed);
      phase_ = Phase::deal;
      return;
    case Phase::deal:
      return start_growth();
    case Phase::merge:
      return take_merged(merged_content<RowMerger>(answers, Message::merged));
    case Phase::finish:
      return take_parts(merged_content<TreeParts>(answers, Message::parts));
    case Phase::judge:
      return take_judgement(merged_content<ForestJudgement>(answers, Message::judge));
    case Phase::validate: {
      const auto judgement = merged_content<ForestJudgement>(answers, Message::judge);
      pruning_->choose(
          judgement.trees.at(0).unseen.errors(pruning_->tree(), pruning_->alphas(), unseen_[0]),
          validation_.weight.value());
      return finish_model();
    }
    case Phase::summary:
    case Phase::counts:
    case Phase::grow:
    case Phase::done:
      break;
  }
}

void Training::take_summary(const PartSummary& summary) {
  schema_ = schema_of(summary, plan_.roles, control_);
  refuse_unfit_method(plan_.method, plan_.recipe, schema_);
  rows_ = summary.kept;
  weighing_ = summary.weighing;
  weight_ = summary.weight.value();
  whole_weights_ = summary.whole_weights;
  if (plan_.costs) costs_ = plan_.costs(schema_);
  coding_.classes = schema_.classes();
  coding_.bins.assign(schema_.features.size(), FeatureBins{1, {}});
  const Options& options = plan_.recipe.steps()[0].options;
  // Refuses options and columns that do not go together before the first long pass.
  if (evolves()) {
    prepare_evolution();
  } else {
    prepare_growth();
  }
  const bool weighted = !schema_.weight.empty();
  const double unit = weighted ? quantile_unit(weight_, whole_weights_) : 0;
  question_.weight_unit = unit;
  const size_t bins = bins_wanted();
  question_.columns.resize(schema_.features.size() + 1);
  const auto first_question = [&](const SummaryColumn& column, size_t most_bins) {
    if (column.brackets.asked && column.brackets.max_bins == most_bins) return column.brackets;
    std::vector<double> knots = column.sample;
    for (const auto& [value, rows] : column.values) knots.push_back(value);
    std::sort(knots.begin(), knots.end());
    return ColumnQuestion::first(knots, column.least, column.largest, weighing_, plan_.parts,
                                 most_bins);
  };
  for (size_t f = 0; f < schema_.features.size(); ++f) {
    const SummaryColumn& column = *summary.find(schema_.features[f].name);
    if (schema_.features[f].kind == Kind::nominal) {
      coding_.bins[f].bins = static_cast<uint32_t>(schema_.features[f].levels.size());
    } else if (!column.many_values && !weighted) {
      coding_.bins[f] = bins_of_values(column.counts(), bins);
    } else {
      question_.columns[f] = first_question(column, bins);
    }
  }
  if (schema_.task() == Task::regression && (evolves() || !grow::targets_from_zero(options))) {
    question_.columns.back() = first_question(*summary.find(schema_.target.name), 0);
  }
  after_counts();
}

void Training::prepare_growth() {
  const Options& options = plan_.recipe.steps()[0].options;
  static_cast<void>(grow::BinnedGrowth({schema_, options, costs_, coding_}));
  static_cast<void>(grow::leaf_plan_option(options, schema_.task()));
}

void Training::prepare_evolution() {
  static_cast<void>(feature_costs(plan_.recipe.steps()[0].options, schema_));
}

void Training::take_findings(const ColumnFindings& findings) {
  for (size_t c = 0; c < question_.columns.size(); ++c) {
    if (!question_.columns[c].asked) continue;
    const ColumnFinding& finding = findings.columns.at(c);
    question_.columns[c] = finding.question_after(question_.columns[c]);
    if (question_.columns[c].asked) continue;
    if (c < schema_.features.size()) {
      coding_.bins[c] = finding.bins;
    } else {
      coding_.centre = finding.median;
    }
  }
  after_counts();
}

void Training::after_counts() { phase_ = question_.any() ? Phase::counts : Phase::code; }

void Training::take_facts(const CodingFacts& facts) {
  if (facts.rows != weighing_ || facts.weight.value() != weight_) {
    throw Error(ErrorKind::data,
                fmt::format("the rows changed between two passes: {} of weight {}, then {} of "
                            "weight {}",
                            counted(weighing_, "row"), number_text(weight_),
                            counted(facts.rows, "row"), number_text(facts.weight.value())),
                {},
                "rows are read more than once, and again where a process was lost: cache or "
                "checkpoint what is not the same each time");
  }
  fingerprint_ = fingerprint_of(schema_, facts.content);
  coding_.set_units(facts.weight.value(), facts.whole_weights, facts.amounts);
  check_sums(coding_);
  if (plan_.validation) {
    phase_ = Phase::validation_facts;
  } else {
    after_coding();
  }
}

void Training::after_coding() {
  if (plan_.validation) {
    if (validation_.unknown > 0) {
      throw Error(ErrorKind::data,
                  "validation rows have a class that the training rows do not have");
    }
    if (!(validation_.weight.value() > 0)) refuse_empty_validation();
    if (prune_step() == nullptr || prune_step()->options.has_number("alpha")) {
      control_.warn("the validation rows were not used: no stage of this recipe chooses by them");
    }
  }
  if (evolves()) {
    phase_ = Phase::merge;
    return;
  }
  if (folds_wanted() == 0) return start_growth();
  deal_ = {fold_key(plan_.seed), schema_.classes(), folds_wanted(), coding_.weight, plan_.parts};
  phase_ = Phase::exchange;
}

// The same search as on one machine: there equal rows are merged, too.
void Training::take_merged(const RowMerger& merger) {
  const MergedRows merged = merger.rows(coding_);
  if (!merged.are_all) {
    control_.warn(
        fmt::format("more than {0} rows differ in bins{1}: the tree was evolved from {0} "
                    "of them, drawn by their content",
                    plan_.most_merged, coding_.classes > 0 ? " or class" : ""));
  }
  const Table table = table_without_rows(schema_);
  Derived derived(table);
  const softwood::Training training{.derived = derived,
                                    .rows = {},
                                    .validation = {},
                                    .seed = plan_.seed,
                                    .costs = costs_,
                                    .merged = &merged};
  Trained trained = run_recipe(plan_.recipe, training, Parallel(0), control_);
  control_.throw_if_interrupted();
  tree_ = std::move(trained.tree);
  phase_ = Phase::done;
}

void Training::start_growth() {
  const size_t folds = dealing_.folds;
  const Options& options = plan_.recipe.steps()[0].options;
  const double small =
      small_rows_of(weighing_, std::max<size_t>(plan_.parts, 1), plan_.small_rows) *
      (coding_.weight / static_cast<double>(weighing_));
  const double row = coding_.weight / static_cast<double>(weighing_);
  const double cells = static_cast<double>(cells_of(coding_));
  const auto row_bytes = static_cast<double>(coding_.bins.size() + (coding_.classes > 0 ? 1 : 8));
  // Rows are sent where that takes fewer bytes than counting all levels that are left would: about
  // one for each cell of each part, of half of the nodes.
  const auto is_small = [=, parts = static_cast<double>(plan_.parts)](double weight,
                                                                      size_t levels) {
    const double counted =
        std::ldexp(cells * parts, static_cast<int>(std::min<size_t>(levels, 64)) - 2);
    return weight <= small && counted > weight / row * row_bytes;
  };
  forest_ = {coding_, {}};
  for (size_t t = 0; t <= folds; ++t) {
    trees_.push_back(
        std::make_unique<grow::BinnedGrowth>(grow::BinnedPlan{schema_, options, costs_, coding_}));
    trees_.back()->leave_small(is_small);
    forest_.trees.push_back({t == 0 ? no_fold : static_cast<uint32_t>(t - 1), {}, {0}});
  }
  small_.resize(trees_.size());
  phase_ = Phase::grow;
}

// Splits what is open in all trees; whether anything must be counted for it.
bool Training::ask_trees() {
  bool any = false;
  size_t left = plan_.most_cells;
  for (size_t t = 0; t < trees_.size(); ++t) {
    grow::BinnedGrowth& tree = *trees_[t];
    std::vector<uint32_t> nodes;
    while (tree.has_open() && nodes.empty()) {
      nodes = tree.divide(left / (trees_.size() - t), Parallel(), control_).nodes;
    }
    left -= std::min(left, nodes.size() * tree.cells());
    for (const auto& node : tree.take_small()) small_[t].push_back(node);
    forest_.trees[t].tree = grow::code_tree_of(tree.tree(), coding_.bins);
    forest_.trees[t].nodes = std::move(nodes);
    any = any || !forest_.trees[t].nodes.empty();
  }
  return any;
}

Bytes Training::growth_request() const {
  GrowthRequest request{pieces_, forest_, schema_, plan_.recipe.first(1).text(), costs_, {}};
  for (const auto& tree : trees_) {
    request.trees.push_back({growing_passes_ == 1, tree->factor(), tree->plan(), tree->waiting()});
  }
  return message_bytes(Message::growth, request);
}

void Training::take_growth(GrowthAnswer answer) {
  if (answer.trees.size() != trees_.size()) {
    throw Error(ErrorKind::failure, "an answer about other trees");
  }
  for (size_t t = 0; t < trees_.size(); ++t) {
    TreeCandidates& found = answer.trees[t];
    if (growing_passes_ == 1) {
      trees_[t]->set_root(std::move(found.root), std::move(found.nodes.at(0)));
    } else {
      trees_[t]->take_candidates(std::move(found.nodes));
    }
  }
  if (ask_trees()) return;
  const bool any_small =
      std::any_of(small_.begin(), small_.end(), [](const auto& nodes) { return !nodes.empty(); });
  if (any_small) {
    phase_ = Phase::finish;
  } else {
    after_growth();
  }
}

Bytes Training::finish_request() {
  FinishRequest request{forest_, {schema_, plan_.recipe.first(1).text(), costs_, coding_, {}}};
  for (size_t t = 0; t < trees_.size(); ++t) {
    TreeQuestion& tree = request.forest.trees[t];
    for (const auto& node : small_[t]) {
      tree.nodes.push_back(node.node);
      request.finish.nodes.emplace_back(node_key(t, node.node), trees_[t]->start_of(node));
    }
  }
  return message_bytes(Message::finish, request);
}

void Training::take_parts(TreeParts all) {
  std::sort(all.parts.begin(), all.parts.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  size_t expected = 0;
  for (const auto& nodes : small_) expected += nodes.size();
  if (all.parts.size() != expected) {
    throw Error(ErrorKind::failure, "a part of the tree is missing");
  }
  for (const auto& [key, bytes] : all.parts) {
    ByteReader in(bytes);
    const auto part = grow::BinnedTree::read(in, schema_.task(), schema_.classes());
    in.end();
    trees_.at(key >> 32)->graft(static_cast<NodeIndex>(key), part);
  }
  after_growth();
}

// Whether rows must be asked about the finished trees.
bool Training::judge_all() { return trees_.size() > 1 || trees_[0]->wants_deviations(); }

void Training::after_growth() {
  for (size_t t = 1; t < trees_.size(); ++t) {
    Tree tree = trees_[t]->tree();
    tree.canonicalise();
    tree.set_leaf_plan(grow::leaf_plan_option(plan_.recipe.steps()[0].options, schema_.task()));
    unseen_.emplace_back(tree, coding_.least, coding_.largest, coding_.weight, whole_weights_);
    fold_trees_.push_back(std::move(tree));
  }
  if (judge_all()) {
    phase_ = Phase::judge;
  } else {
    take_judgement({});
  }
}

// First the deviations of all trees, of regression; then the held-out rows of the folds.
size_t Training::deviation_questions() const {
  return trees_[0]->wants_deviations() ? trees_.size() : 0;
}

JudgeQuestion Training::judge_question(size_t number) const {
  JudgeQuestion question;
  const size_t deviations = deviation_questions();
  if (number < deviations) {
    question.held_out = forest_.trees[number].held_out;
    question.tree = grow::code_tree_of(trees_[number]->tree(), coding_.bins);
    question.deviations = true;
    question.deviation_query = trees_[number]->deviation_query();
    return question;
  }
  const size_t fold = number - deviations;
  question.held_out = static_cast<uint32_t>(fold);
  question.tree = grow::code_tree_of(fold_trees_[fold], coding_.bins);
  question.unseen = true;
  question.unseen_query = unseen_[fold];
  return question;
}

// So many of the trees as make a request of some megabytes, one at least.
Bytes Training::judge_request() {
  ForestTrial trial{coding_, {}};
  size_t nodes = 0;
  const size_t questions = deviation_questions() + fold_trees_.size();
  for (size_t number = judged_.size(); number < questions; ++number) {
    JudgeQuestion question = judge_question(number);
    nodes += question.tree.nodes();
    if (!trial.trees.empty() && nodes > most_judged_nodes) break;
    trial.trees.push_back(std::move(question));
  }
  return message_bytes(Message::judge, trial);
}

void Training::take_judgement(ForestJudgement judgement) {
  const size_t deviations = deviation_questions();
  const size_t questions = deviations + fold_trees_.size();
  std::move(judgement.trees.begin(), judgement.trees.end(), std::back_inserter(judged_));
  if (judged_.size() > questions || (judgement.trees.empty() && questions > 0)) {
    throw Error(ErrorKind::failure, "an answer about other trees");
  }
  if (judged_.size() < questions) return;
  for (size_t t = 0; t < deviations; ++t) trees_[t]->set_deviations(judged_[t].deviations);
  const Options& options = plan_.recipe.steps()[0].options;
  const auto finished = [&](size_t t) {
    Tree tree = trees_[t]->take().tree;
    tree.canonicalise();
    tree.set_leaf_plan(grow::leaf_plan_option(options, schema_.task()));
    return tree;
  };
  for (size_t f = 0; f < fold_trees_.size(); ++f) fold_trees_[f] = finished(f + 1);
  Tree tree = finished(0);
  if (prune_step() == nullptr) {
    tree_ = std::move(tree);
    return finish_model();
  }
  pruning_.emplace(prune_step()->options, std::move(tree), control_);
  if (plan_.validation && !pruning_->is_chosen()) {
    const AmountSummary& amounts = validation_.amounts;
    unseen_.assign(1, fit::UnseenQuery(pruning_->tree(), amounts.least, amounts.largest,
                                       validation_.weight.value(), validation_.whole_weights));
    phase_ = Phase::validate;
    return;
  }
  if (!fold_trees_.empty() && pruning_->table().rows.size() > 1) {
    choose_by_folds(std::span(judged_).subspan(deviations));
  }
  finish_model();
}

Bytes Training::validation_request() {
  JudgeQuestion question;
  question.all_unseen = true;
  question.tree = grow::code_tree_of(pruning_->tree(), coding_.bins);
  question.unseen = true;
  question.unseen_query = unseen_[0];
  return message_bytes(Message::judge, ForestTrial{coding_, {question}});
}

void Training::choose_by_folds(std::span<const JudgeAnswer> unseen) {
  ComplexityTable& table = pruning_->table();
  const size_t rows = table.rows.size();
  fit::SequenceErrors sum{std::vector<double>(rows), std::vector<double>(rows)};
  for (size_t f = 0; f < fold_trees_.size(); ++f) {
    Tree& tree = fold_trees_[f];
    fit::note_alphas(tree, pruning_->sequence(), control_);
    fit::add_errors(sum, unseen[f].unseen.errors(tree, fit::alphas_for(tree, table), unseen_[f]));
  }
  pruning_->choose(sum, coding_.weight);
}

void Training::finish_model() {
  if (pruning_) {
    complexity_ = pruning_->table();
    tree_ = std::move(*pruning_).pruned();
  }
  phase_ = Phase::done;
}

Model Training::model() {
  if (!tree_) throw Error(ErrorKind::failure, "the training is not at its end");
  tree_->set_costs(costs_);
  Provenance provenance{plan_.method,           plan_.recipe.text(), plan_.seed,
                        std::string(version()), fingerprint_,        rows_};
  return {schema_, *tree_, std::move(provenance), complexity_};
}

}  // namespace softwood::cluster
