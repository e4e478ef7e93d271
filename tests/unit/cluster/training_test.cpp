#include "cluster/training.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "base/random.h"
#include "data/frame.h"
#include "softwood/error.h"
#include "study/train.h"
#include "support/tables.h"

namespace softwood::cluster {
namespace {

Frame frame_of(const Table& table, std::span<const RowIndex> rows) {
  Frame frame;
  frame.rows = rows.size();
  const auto add = [&](const Feature& feature, const Column& column) {
    ColumnDraft draft(column.kind);
    for (const RowIndex row : rows) {
      if (column.kind == Kind::numeric) {
        draft.numbers.push_back(column.numbers[row]);
      } else {
        draft.codes.push_back(column.codes[row]);
      }
    }
    frame.columns.push_back({feature.name, std::move(draft), feature.levels});
  };
  for (size_t f = 0; f < table.features(); ++f) add(table.schema().features[f], table.input(f));
  if (table.weighted()) {
    ColumnDraft draft(Kind::numeric);
    for (const RowIndex row : rows) draft.numbers.push_back(table.weight(row));
    frame.columns.push_back({"weight", std::move(draft), {}});
  }
  Feature target = table.schema().target;
  target.name = "target";
  add(target, table.target());
  return frame;
}

struct Parts {
  std::vector<Frame> frames, validation;
  size_t small_rows = 0;
  size_t most_cells = size_t{1} << 25;
  bool merge_answers = true;  // before the training gets them
};

// The rows in some order, in so many parts.
Parts parts_of(const Table& table, size_t count, size_t small_rows) {
  std::vector<RowIndex> rows = all_rows(table);
  Random(count, "order").shuffle(rows);
  Parts parts;
  parts.small_rows = small_rows;
  for (size_t i = 0; i < count; ++i) {
    const size_t begin = rows.size() * i / count, end = rows.size() * (i + 1) / count;
    if (begin < end) {
      parts.frames.push_back(frame_of(table, std::span(rows).subspan(begin, end - begin)));
    }
  }
  return parts;
}

std::vector<ByteView> views_of(const std::vector<Bytes>& all) { return {all.begin(), all.end()}; }

// A cluster in one process.
class Cluster {
 public:
  explicit Cluster(Parts parts) : parts_(std::move(parts)) {}

  std::vector<Bytes> run(const Pass& pass) {
    if (pass.kind == PassKind::raw || pass.kind == PassKind::grow) {
      ++passes[pass.kind];
      return pass.kind == PassKind::raw ? raw(pass.request) : grow(pass.request);
    }
    return merged_pass(pass);
  }

  std::map<PassKind, size_t> passes;

 private:
  std::vector<Bytes> merged_pass(const Pass& pass) {
    ++passes[pass.kind];
    switch (pass.kind) {
      case PassKind::raw:
      case PassKind::grow:
        break;
      case PassKind::code:
        code(pass.request);
        return {};
      case PassKind::facts:
        return merged(facts_);
      case PassKind::validation_facts:
        return merged(known_facts_);
      case PassKind::coded:
        return answers(rows_, pass.request);
      case PassKind::validation:
        return answers(known_, pass.request);
      case PassKind::exchange:
        exchange(pass.request);
        return {};
      case PassKind::deal:
        for (uint32_t i = 0; i < rows_.size(); ++i) {
          for (Bytes& block : rows_[i]) block = dealt_part(pass.request, block, i);
        }
        return {};
      case PassKind::finish:
        return finish(pass.request);
    }
    return {};
  }
  std::vector<Bytes> merged(std::vector<Bytes> answers) const {
    if (!parts_.merge_answers) return answers;
    Bytes all = answers.at(0);
    for (size_t i = 1; i < answers.size(); ++i) all = merged_answers(answers[i], all);
    return {all};
  }
  std::vector<Bytes> answers(const std::vector<std::vector<Bytes>>& rows,
                             const Bytes& request) const {
    std::vector<Bytes> all;
    for (uint32_t i = 0; i < rows.size(); ++i)
      all.push_back(coded_answer(request, views_of(rows[i]), i));
    return merged(all);
  }
  // By piece and part.
  std::vector<Bytes> decide(const Bytes& request, const std::vector<std::vector<Bytes>>& parts) {
    std::vector<Bytes> answers;
    kept_.resize(parts.at(0).size());
    for (size_t p = 0; p < kept_.size(); ++p) {
      PieceMerger merger;
      for (const std::vector<Bytes>& part : parts) merger.add(part.at(p));
      const Bytes merged = merger.take();
      const ByteView views[] = {merged};
      Decision decision = decided(request, kept_[p], views);
      kept_[p] = std::move(decision.kept);
      answers.push_back(std::move(decision.answer));
    }
    return answers;
  }
  std::vector<Bytes> raw(const Bytes& request) {
    std::vector<std::vector<Bytes>> all;
    for (const Frame& frame : parts_.frames) {
      RawPart part(request);
      part.add(frame);
      all.push_back(part.answer());
    }
    return decide(request, all);
  }
  std::vector<Bytes> grow(const Bytes& request) {
    std::vector<std::vector<Bytes>> all;
    for (const std::vector<Bytes>& rows : rows_) {
      all.push_back(counted_part(request, views_of(rows)));
    }
    return decide(request, all);
  }
  void code(const Bytes& request) {
    for (const Frame& frame : parts_.frames) {
      auto [facts, rows] = coded_part(request, frame);
      facts_.push_back(facts);
      rows_.push_back({rows});
    }
    for (const Frame& frame : parts_.validation) {
      auto [facts, rows] = coded_part(request, frame);
      known_facts_.push_back(facts);
      known_.push_back({rows});
    }
  }
  void exchange(const Bytes& request) {
    std::vector<std::vector<Bytes>> received(rows_.size());
    for (const std::vector<Bytes>& blocks : rows_) {
      for (const auto& [to, rows] : exchanged(request, views_of(blocks)))
        received[to].push_back(rows);
    }
    for (size_t i = 0; i < received.size(); ++i) {
      rows_[i].clear();
      if (!received[i].empty()) rows_[i].push_back(gathered_part(request, views_of(received[i])));
    }
  }
  std::vector<Bytes> finish(const Bytes& request) {
    std::map<NodeKey, std::vector<Bytes>> nodes;
    for (const std::vector<Bytes>& blocks : rows_) {
      for (size_t tree = 0;; ++tree) {
        const auto found = rows_by_node(request, views_of(blocks), tree);
        if (!found) break;
        for (const auto& [node, rows] : *found) nodes[node].push_back(rows);
      }
    }
    const auto finishing = message_content<FinishRequest>(request, Message::finish);
    std::vector<Bytes> all;
    for (const auto& [node, rows] : nodes)
      all.push_back(finished_node(finishing, node, views_of(rows)));
    return merged(all);
  }

  Parts parts_;
  std::vector<Bytes> facts_, known_facts_, kept_;
  std::vector<std::vector<Bytes>> rows_, known_;
};

struct Outcome {
  std::string model;
  std::map<PassKind, size_t> passes;
  size_t growing = 0;
};

Outcome train_in_parts(Parts parts, const std::string& recipe, bool weighted,
                       std::optional<Task> task = {}) {
  const Control control;
  TrainingPlan plan{.method = {}, .recipe = Recipe::parse(recipe), .roles = {}, .costs = {}};
  plan.roles.target = "target";
  if (weighted) plan.roles.weights = "weight";
  plan.roles.task = task;
  plan.validation = !parts.validation.empty();
  plan.parts = parts.frames.size();
  plan.small_rows = parts.small_rows;
  plan.most_cells = parts.most_cells;
  Cluster cluster(std::move(parts));
  Training training(std::move(plan), control);
  while (const std::optional<Pass> pass = training.next()) {
    const std::vector<Bytes> answers = cluster.run(*pass);
    training.take(views_of(answers));
  }
  return {model_to_text(training.model()), cluster.passes, training.grown_passes()};
}

Table sample(size_t classes, size_t weights, uint64_t seed, size_t rows = 600) {
  Table table = test::random_table({.rows = rows,
                                    .classes = classes,
                                    .numeric = 3,
                                    .nominal = 2,
                                    .distinct = 40,
                                    .missing = 0.1,
                                    .noise = 0.4},
                                   seed);
  if (weights == 0) return table;
  Random random(seed, "weights");
  std::vector<double> own;
  for (size_t i = 0; i < table.rows(); ++i) {
    own.push_back(weights == 1 ? static_cast<double>(random.below(4)) : random.uniform());
  }
  return test::with_weights(table, own);
}

std::string on_one_machine(const Table& table, const std::string& recipe,
                           const Table* validation = nullptr, std::optional<Task> task = {}) {
  const Control control;
  const std::vector<RowIndex> rows = all_rows(table);
  Roles roles;
  roles.target = "target";
  if (table.weighted()) roles.weights = "weight";
  roles.task = task;
  const Prepared prepared = training_table(frame_of(table, rows), roles, control);
  TrainRequest request{"", Recipe::parse(recipe)};
  std::optional<Table> known;
  if (validation != nullptr) {
    const std::vector<RowIndex> all = all_rows(*validation);
    known.emplace(table_for(frame_of(*validation, all), prepared.table.schema(), true, control));
    request.validation = &*known;
  }
  return model_to_text(train(prepared.table, request, Parallel(2), control).model);
}

TEST(ClusterTraining, GrowsTheTreeOfOneMachine) {
  for (const size_t classes : {2, 3, 0}) {
    for (const size_t weights : {0, 1, 2}) {
      const Table table = sample(classes, weights, 1 + weights);
      const std::string recipe = "grow search=binned max-depth=5 bins=16";
      const std::string expected = on_one_machine(table, recipe);
      for (const size_t parts : {1, 2, 7, 64}) {
        const Outcome found = train_in_parts(parts_of(table, parts, 0), recipe, weights > 0);
        EXPECT_EQ(found.model, expected) << classes << " classes, weights " << weights;
        EXPECT_LE(found.growing, 5 + 2);
      }
    }
  }
}

TEST(ClusterTraining, PrunesByTheFoldsOfOneMachine) {
  for (const size_t classes : {3, 0}) {
    for (const size_t weights : {0, 1, 2}) {
      const Table table = sample(classes, weights, 5);
      const std::string recipe = "grow search=binned | prune folds=4";
      const std::string expected = on_one_machine(table, recipe);
      for (const size_t parts : {1, 3, 16}) {
        const Outcome found = train_in_parts(parts_of(table, parts, 60), recipe, weights > 0);
        EXPECT_EQ(found.model, expected) << classes << " classes, weights " << weights;
        EXPECT_EQ(found.passes.at(PassKind::finish), 1U);
      }
    }
  }
}

TEST(ClusterTraining, TakesAnswersThatAreNotMerged) {
  for (const size_t classes : {3, 0}) {
    const Table table = sample(classes, 0, 5);
    for (const std::string recipe :
         {"grow search=binned | prune folds=4", "evolve cuts=bins generations=5"}) {
      Parts parts = parts_of(table, 7, 60);
      parts.merge_answers = false;
      EXPECT_EQ(train_in_parts(std::move(parts), recipe, false).model,
                on_one_machine(table, recipe));
    }
  }
}

TEST(ClusterTraining, CountsManyCellsInSeveralPasses) {
  for (const size_t classes : {3, 0}) {
    const Table table = sample(classes, 0, 6);
    const std::string recipe = "grow search=binned | prune folds=4";
    const std::string expected = on_one_machine(table, recipe);
    size_t passes = 0;
    for (const size_t most_cells : {size_t{1} << 25, size_t{5000}, size_t{1}}) {
      Parts parts = parts_of(table, 5, 20);
      parts.most_cells = most_cells;
      const Outcome found = train_in_parts(std::move(parts), recipe, false);
      EXPECT_EQ(found.model, expected) << classes << " classes, " << most_cells << " cells";
      EXPECT_GT(found.growing, passes);
      passes = found.growing;
    }
  }
}

// A split of a threshold is a few bytes, however many bins there are.
TEST(ClusterTraining, TreesToBeJudgedTakeFewBytes) {
  const Table table = sample(2, 0, 9, 4000);
  const Control control;
  TrainingPlan plan{.method = {},
                    .recipe = Recipe::parse("grow search=binned | prune folds=3"),
                    .roles = {},
                    .costs = {}};
  plan.roles.target = "target";
  plan.parts = 2;
  Cluster cluster(parts_of(table, 2, 0));
  Training training(std::move(plan), control);
  size_t judged = 0;
  while (const std::optional<Pass> pass = training.next()) {
    if (pass->kind == PassKind::coded && message_of(pass->request) == Message::judge) {
      const auto trial = message_content<ForestTrial>(pass->request, Message::judge);
      size_t splits = 0, codes = 0;
      for (const JudgeQuestion& tree : trial.trees) splits += tree.tree.splits.size();
      for (const FeatureBins& feature : trial.coding.bins) codes += feature.bins;
      EXPECT_GT(splits, 300U);
      EXPECT_LT(pass->request.size(), 12 * splits + 8 * codes + 1000);
      ++judged;
    }
    const std::vector<Bytes> answers = cluster.run(*pass);
    training.take(views_of(answers));
  }
  EXPECT_EQ(judged, 1U);
}

TEST(ClusterTraining, ChoosesByValidationRows) {
  for (const size_t classes : {3, 0}) {
    const Table table = sample(classes, 0, 7), known = sample(classes, 0, 8);
    const std::string recipe = "grow search=binned | prune rule=min";
    Parts parts = parts_of(table, 3, 0);
    parts.validation = parts_of(known, 2, 0).frames;
    const Outcome found = train_in_parts(std::move(parts), recipe, false);
    EXPECT_EQ(found.model, on_one_machine(table, recipe, &known));
    EXPECT_FALSE(found.passes.contains(PassKind::exchange));
  }
}

TEST(ClusterTraining, RefusesEmptyValidation) {
  const Control control;
  TrainingPlan plan{.method = {},
                    .recipe = Recipe::parse("grow search=binned | prune"),
                    .roles = {},
                    .costs = {}};
  plan.validation = true;
  Cluster cluster(parts_of(sample(2, 0, 7), 2, 0));
  Training training(std::move(plan), control);
  try {
    while (const std::optional<Pass> pass = training.next()) {
      if (pass->kind == PassKind::validation_facts) {
        training.take({});
      } else {
        const std::vector<Bytes> answers = cluster.run(*pass);
        training.take(views_of(answers));
      }
    }
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the validation rows have no weight");
  }
}

Frame texts_frame(const std::vector<std::string>& texts) {
  Frame frame;
  frame.rows = texts.size();
  std::map<std::string, int32_t> code_of;
  std::vector<std::string> levels;
  ColumnDraft codes(Kind::nominal), numbers(Kind::numeric), targets(Kind::numeric);
  for (const std::string& text : texts) {
    const auto [found, is_new] = code_of.emplace(text, static_cast<int32_t>(code_of.size()));
    if (is_new) levels.push_back(text);
    codes.codes.push_back(found->second);
    numbers.numbers.push_back(static_cast<double>(codes.codes.size() % 3));
    targets.numbers.push_back(static_cast<double>(codes.codes.size() % 2));
  }
  frame.columns.push_back({"text", std::move(codes), std::move(levels)});
  frame.columns.push_back({"number", std::move(numbers), {}});
  frame.columns.push_back({"target", std::move(targets), {}});
  return frame;
}

Schema schema_of_parts(const std::vector<std::vector<std::string>>& parts) {
  ColumnRoles roles;
  roles.target = "target";
  PartSummary all;
  for (const std::vector<std::string>& texts : parts) {
    PartSummary part(roles);
    for (size_t begin = 0; begin < texts.size(); begin += 30000) {
      const size_t end = std::min(texts.size(), begin + 30000);
      part.add(texts_frame({texts.begin() + static_cast<std::ptrdiff_t>(begin),
                            texts.begin() + static_cast<std::ptrdiff_t>(end)}));
    }
    all.merge(part);
  }
  return schema_of(all, roles, Control());
}

TEST(ClusterSchema, LeavesOutTextsThatAreAllDifferent) {
  std::vector<std::string> one, other;
  for (size_t i = 0; i < 70000; ++i) one.push_back("a" + std::to_string(i));
  for (size_t i = 0; i < 100; ++i) other.push_back("b" + std::to_string(i));
  for (const auto& parts : {std::vector{one, other}, std::vector{other, one}}) {
    const Schema schema = schema_of_parts(parts);
    ASSERT_EQ(schema.features.size(), 1U);
    EXPECT_EQ(schema.features[0].name, "number");
  }
  // Twice, but never in one part.
  EXPECT_THROW(schema_of_parts({one, one}), Error);
}

TEST(ClusterTraining, EvolvesTheTreeOfOneMachine) {
  for (const size_t classes : {2, 3, 0}) {
    for (const size_t weights : {0, 1, 2}) {
      const Table table = sample(classes, weights, 11);
      const std::string recipe = "evolve cuts=bins generations=15 max-depth=4";
      const std::string expected = on_one_machine(table, recipe);
      for (const size_t parts : {1, 5}) {
        const Outcome found = train_in_parts(parts_of(table, parts, 0), recipe, weights > 0);
        EXPECT_EQ(found.model, expected) << classes << " classes, weights " << weights;
      }
    }
  }
}

TEST(ClusterTraining, RefusesRecipesThatNeedRowsTogether) {
  EXPECT_FALSE(is_for_parts(Recipe::parse("evolve")));
  EXPECT_TRUE(is_for_parts(Recipe::parse("evolve cuts=bins")));
  EXPECT_FALSE(is_for_parts(Recipe::parse("grow | prune")));
  EXPECT_FALSE(is_for_parts(Recipe::parse("grow search=binned | prune by=pessimistic")));
  EXPECT_TRUE(is_for_parts(Recipe::parse("grow search=binned | prune")));
  EXPECT_THROW(is_for_parts(Recipe::parse("grow search=binned max-leaves=4")), Error);
  EXPECT_THROW(is_for_parts(Recipe::parse("grow search=binned missing=impute")), Error);
  EXPECT_THROW(is_for_parts(Recipe::parse("grow search=binned leaf=ridge")), Error);
  EXPECT_THROW(is_for_parts(Recipe::parse("grow search=binned criterion=mae")), Error);
}

}  // namespace
}  // namespace softwood::cluster
