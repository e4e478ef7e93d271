#include "softwood/cluster.h"

#include <algorithm>
#include <span>

#include "api/border.h"
#include "api/class_settings.h"
#include "api/columns.h"
#include "api/held.h"
#include "api/listener.h"
#include "cluster/training.h"
#include "data/content.h"
#include "study/cv.h"

namespace softwood {
namespace {

ByteView to_view(PartView text) { return std::as_bytes(std::span(text)); }

PartBytes to_text(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<PartBytes> to_texts(const std::vector<Bytes>& all) {
  std::vector<PartBytes> texts;
  texts.reserve(all.size());
  for (const Bytes& bytes : all) texts.push_back(to_text(bytes));
  return texts;
}

std::vector<ByteView> to_views(const std::vector<PartView>& texts) {
  std::vector<ByteView> views;
  views.reserve(texts.size());
  for (const PartView text : texts) views.push_back(to_view(text));
  return views;
}

template <class Key>
std::vector<std::pair<Key, PartBytes>> keyed_texts(std::vector<std::pair<Key, Bytes>> keyed) {
  std::vector<std::pair<Key, PartBytes>> all;
  all.reserve(keyed.size());
  for (const auto& [key, bytes] : keyed) all.emplace_back(key, to_text(bytes));
  return all;
}

// A recipe that grows has its bins here where it says nothing else of its search and all else of it
// can be done by bins.
Candidate candidate_in_parts(const TrainSettings& settings) {
  Candidate chosen = candidate_of(settings.method, settings.recipe, settings.settings);
  const auto sets_search = [](const std::string& text) {
    return text.find("search=") != std::string::npos;
  };
  if (chosen.recipe.steps()[0].stage->name != "grow" || sets_search(settings.recipe) ||
      std::any_of(settings.settings.begin(), settings.settings.end(), sets_search)) {
    return chosen;
  }
  std::vector<std::string> more = settings.settings;
  more.emplace_back("grow.search=binned");
  try {
    Candidate binned = candidate_of(settings.method, settings.recipe, more);
    if (cluster::is_for_parts(binned.recipe)) return binned;
  } catch (const Error& error) {
    // What does not work with bins that nobody asked for is no mistake of the user's.
    if (error.kind() != ErrorKind::usage) throw;
  }
  return chosen;
}

cluster::ColumnRoles roles_of(const DataSettings& data) {
  cluster::ColumnRoles roles{data.target, data.weights,  data.nominal,
                             data.ignore, data.positive, {}};
  if (!data.task.empty() && data.task != "classification" && data.task != "regression") {
    throw Error(ErrorKind::usage, "there is no task '" + data.task + "'", {},
                "it is classification or regression");
  }
  if (!data.task.empty()) {
    roles.task = data.task == "regression" ? Task::regression : Task::classification;
  }
  return roles;
}

}  // namespace

struct ClusterTraining::Held {
  Controls controls;
  Listener listener{controls};
  std::optional<cluster::Training> training;
};

ClusterTraining::ClusterTraining(const TrainSettings& settings, const DataSettings& data,
                                 const ClusterSettings& cluster)
    : held_(std::make_shared<Held>()) {
  at_border([&] {
    Candidate chosen = candidate_in_parts(settings);
    cluster::TrainingPlan plan{chosen.method,
                               chosen.recipe,
                               settings.seed,
                               roles_of(data),
                               {},
                               cluster.validation,
                               std::max<size_t>(cluster.parts, 1),
                               cluster.small_rows,
                               std::max<size_t>(cluster.most_merged, 1)};
    if (!settings.classes.weights.empty() || !settings.classes.priors.empty()) {
      throw Error(ErrorKind::usage, "weights of classes do not work on rows in parts", {},
                  "give a column of weights, or costs");
    }
    if (!settings.classes.costs.empty()) {
      plan.costs = [classes = settings.classes](const Schema& schema) {
        return class_costs_of(classes, schema).costs;
      };
    }
    held_->training.emplace(std::move(plan), held_->listener.control());
  });
}

std::optional<ClusterTraining::Pass> ClusterTraining::next() {
  return at_border([&]() -> std::optional<Pass> {
    const std::optional<cluster::Pass> pass = held_->training->next();
    if (!pass) return {};
    return Pass{std::string(cluster::pass_name(pass->kind)), to_text(pass->request)};
  });
}

void ClusterTraining::take(const std::vector<PartView>& answers, const Controls& controls) {
  // The caller's end with this call, however it ends.
  struct Reset {
    Controls& own;
    ~Reset() {
      own.stop = {};
      own.stop_flag = nullptr;
    }
  };
  const Reset reset{held_->controls};
  held_->controls.stop = controls.stop;
  held_->controls.stop_flag = controls.stop_flag;
  at_border([&] { held_->training->take(to_views(answers)); });
}

TrainResult ClusterTraining::result() {
  return at_border([&] {
    return TrainResult{tree_model(held_->training->model()),
                       {},
                       Stopped::converged,
                       held_->listener.notes(),
                       held_->listener.warnings()};
  });
}

size_t ClusterTraining::pieces() const { return held_->training->pieces(); }

size_t ClusterTraining::growing_passes() const { return held_->training->grown_passes(); }

bool is_for_parts(const TrainSettings& settings) {
  return at_border([&] { return cluster::is_for_parts(candidate_in_parts(settings).recipe); });
}

struct RawRows::Held {
  cluster::RawPart part;
};

RawRows::RawRows(PartView request)
    : held_(at_border(
          [&] { return std::make_shared<Held>(Held{cluster::RawPart(to_view(request))}); })) {}

std::vector<std::string> RawRows::columns() const { return held_->part.columns(); }

void RawRows::add(const DataColumns& columns) {
  at_border([&] { held_->part.add(frame_of(columns)); });
}

std::vector<PartBytes> RawRows::answer() {
  return at_border([&] { return to_texts(held_->part.answer()); });
}

std::vector<uint64_t> content_keys(const DataColumns& columns, const std::string& weights) {
  return at_border([&] {
    Frame frame = frame_of(columns);
    Schema schema;
    std::vector<Column> inputs;
    for (FrameColumn& column : frame.columns) {
      if (column.name == weights) continue;
      schema.features.push_back({column.name, column.cells.kind, std::move(column.levels)});
      inputs.push_back(std::move(column.cells));
    }
    const Table table(std::move(schema), frame.rows, std::move(inputs), {}, {});
    std::vector<uint64_t> keys = content_hashes(table, all_rows(table), Parallel(1));
    for (uint64_t& key : keys) key >>= 1;
    return keys;
  });
}

struct PieceMerger::Held {
  cluster::PieceMerger merger;
};

PieceMerger::PieceMerger() : held_(std::make_shared<Held>()) {}

void PieceMerger::add(PartView piece) {
  at_border([&] { held_->merger.add(to_view(piece)); });
}

PartBytes PieceMerger::take() const {
  return at_border([&] { return to_text(held_->merger.take()); });
}

PartBytes merged_answers(PartView one, PartView other) {
  return at_border([&] { return to_text(cluster::merged_answers(to_view(one), to_view(other))); });
}

std::pair<PartBytes, PartBytes> coded_rows(PartView request, const DataColumns& columns) {
  return at_border([&] {
    const auto [facts, rows] = cluster::coded_part(to_view(request), frame_of(columns));
    return std::pair(to_text(facts), to_text(rows));
  });
}

std::vector<PartBytes> counted_rows(PartView request, const std::vector<PartView>& rows) {
  return at_border(
      [&] { return to_texts(cluster::counted_part(to_view(request), to_views(rows))); });
}

struct GrowingRows::Held {
  explicit Held(PartView request) : part(to_view(request)) {}
  cluster::GrowingPart part;
};

GrowingRows::GrowingRows(PartView request)
    : held_(at_border([&] { return std::make_shared<Held>(request); })) {}

void GrowingRows::add(PartView rows) {
  at_border([&] { held_->part.add(to_view(rows)); });
}

bool GrowingRows::holds_rows() const { return held_->part.holds_rows(); }

std::vector<PartBytes> GrowingRows::answer() {
  return at_border([&] { return to_texts(held_->part.answer()); });
}

std::pair<PartBytes, PartBytes> decided(PartView request, PartView kept,
                                        const std::vector<PartView>& pieces) {
  return at_border([&] {
    const auto found = cluster::decided(to_view(request), to_view(kept), to_views(pieces));
    return std::pair(to_text(found.kept), to_text(found.answer));
  });
}

PartBytes coded_answer(PartView request, const std::vector<PartView>& rows, uint32_t part) {
  return at_border(
      [&] { return to_text(cluster::coded_answer(to_view(request), to_views(rows), part)); });
}

std::vector<std::pair<uint32_t, PartBytes>> exchanged_rows(PartView request,
                                                           const std::vector<PartView>& rows) {
  return at_border(
      [&] { return keyed_texts(cluster::exchanged(to_view(request), to_views(rows))); });
}

PartBytes gathered_rows(PartView request, const std::vector<PartView>& rows) {
  return at_border(
      [&] { return to_text(cluster::gathered_part(to_view(request), to_views(rows))); });
}

PartBytes dealt_rows(PartView request, PartView rows, uint32_t part) {
  return at_border(
      [&] { return to_text(cluster::dealt_part(to_view(request), to_view(rows), part)); });
}

std::optional<std::vector<std::pair<uint64_t, PartBytes>>> rows_by_node(
    PartView request, const std::vector<PartView>& rows, size_t tree) {
  return at_border([&]() -> std::optional<std::vector<std::pair<uint64_t, PartBytes>>> {
    auto found = cluster::rows_by_node(to_view(request), to_views(rows), tree);
    if (!found) return {};
    return keyed_texts(std::move(*found));
  });
}

struct NodeFinisher::Held {
  cluster::FinishRequest request;
};

NodeFinisher::NodeFinisher(PartView request)
    : held_(at_border([&] {
        return std::make_shared<const Held>(Held{cluster::message_content<cluster::FinishRequest>(
            to_view(request), cluster::Message::finish)});
      })) {}

PartBytes NodeFinisher::finish(uint64_t node, const std::vector<PartView>& rows) const {
  return at_border(
      [&] { return to_text(cluster::finished_node(held_->request, node, to_views(rows))); });
}

}  // namespace softwood
