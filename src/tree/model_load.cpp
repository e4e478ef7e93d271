// Reading the model file: nothing in it is trusted.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include "base/control.h"
#include "base/text.h"
#include "softwood/error.h"
#include "tree/costs.h"
#include "tree/json_fields.h"
#include "tree/model_load.h"

namespace softwood {

using nlohmann::json;

namespace {

// The deepest place that the format has is a level of a surrogate's child:
// file > nodes > node > missing > surrogates > gate > children > list.
constexpr int most_depth = 12;
// No object of the format has more keys; this bounds the search for repeated ones.
constexpr size_t most_keys = 32;
// Of all maps from levels to children: a gate may name few of many levels.
constexpr size_t level_places_per_byte = 256;

// Different texts; `twice` is the message where they are not.
std::vector<std::string> texts_from_json(const json& list, std::string_view what,
                                         const std::string& twice) {
  std::vector<std::string> texts;
  std::set<std::string_view> seen;
  for (const json& text : checked_array(list, what)) {
    if (!seen.insert(checked_text(text, fmt::format("an entry of {}", what))).second) {
      model_error(twice);
    }
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

Feature feature_from_json(const json& object, std::string_view what) {
  check_object(object, what, {"name", "kind", "levels"});
  Feature feature;
  feature.name = checked_text(required(object, "name"), "'name'");
  const std::string& kind = checked_text(required(object, "kind"), "'kind'");
  if (kind == kind_name(Kind::numeric)) {
    feature.kind = Kind::numeric;
  } else if (kind == kind_name(Kind::nominal)) {
    feature.kind = Kind::nominal;
  } else if (kind == kind_name(Kind::ordinal)) {
    feature.kind = Kind::ordinal;
  } else {
    model_error(fmt::format("{} is of an unknown kind", what), "known: numeric, nominal, ordinal");
  }
  const json* levels = optional(object, "levels");
  if (feature.kind == Kind::numeric) {
    if (levels != nullptr) model_error(fmt::format("{} is numeric and has levels", what));
    return feature;
  }
  feature.levels = texts_from_json(required(object, "levels"), "'levels'",
                                   fmt::format("{} has a level twice", what));
  if (feature.levels.empty() && what == "the target") model_error("the target has no classes");
  return feature;
}

Schema schema_from_json(const json& object) {
  check_object(object, "the schema", {"features", "target", "positive", "weight", "missing"});
  Schema schema;
  std::set<std::string_view> seen;
  for (const json& feature : checked_array(required(object, "features"), "'features'")) {
    const std::string what = fmt::format("feature {}", schema.features.size() + 1);
    schema.features.push_back(feature_from_json(feature, what));
    if (!seen.insert(feature["name"].get_ref<const std::string&>()).second) {
      model_error(what + " has the same name as another one");
    }
  }
  const json& target = required(object, "target");
  schema.target = feature_from_json(target, "the target");
  if (!seen.insert(schema.target.name).second) {
    model_error("the target has the same name as a feature");
  }
  // Files of version 1 have none: it was always the second.
  if (const json* positive = optional(object, "positive")) {
    const int32_t code = schema.target.level_code(checked_text(*positive, "'positive'"));
    if (schema.classes() != 2 || code < 0) {
      model_error("'positive' must be one of two classes");
    }
    schema.positive = static_cast<size_t>(code);
  }
  if (const json* missing = optional(object, "missing")) {
    schema.missing_marks = texts_from_json(*missing, "'missing'", "'missing' has a text twice");
  }
  if (const json* weight = optional(object, "weight")) {
    schema.weight = checked_text(*weight, "'weight'");
    if (schema.weight.empty()) model_error("'weight' is empty");
    if (!seen.insert(schema.weight).second) {
      model_error("the column of weights has the same name as another column");
    }
  }
  return schema;
}

// One per input: null, or the least and the largest value.
std::vector<InputRange> ranges_from_json(const json& list, size_t inputs) {
  std::vector<InputRange> ranges;
  for (const json& range : checked_array(list, "'ranges'")) {
    InputRange& next = ranges.emplace_back();
    if (range.is_null()) continue;
    const json& ends = checked_array(range, "a range");
    if (ends.size() != 2) model_error("a range has not two ends");
    next = {checked_number(ends[0], "the end of a range"),
            checked_number(ends[1], "the end of a range")};
    if (!(next.low <= next.high)) model_error("a range ends below its start");
  }
  if (ranges.size() != inputs) model_error("'ranges' has not one entry per input");
  return ranges;
}

Provenance provenance_from_json(const json& object, const Schema& schema) {
  const size_t classes = schema.classes();
  check_object(object, "the provenance",
               {"method", "recipe", "seed", "version", "fingerprint", "rows", "class_weights",
                "ranges", "stopped"});
  Provenance provenance;
  if (const json* method = optional(object, "method")) {
    provenance.method = checked_text(*method, "'method'");
    if (provenance.method.empty()) model_error("'method' is empty");
  }
  provenance.recipe = checked_text(required(object, "recipe"), "'recipe'");
  provenance.seed = checked_count(required(object, "seed"), "'seed'", UINT64_MAX);
  provenance.version = checked_text(required(object, "version"), "'version'");
  provenance.fingerprint = checked_text(required(object, "fingerprint"), "'fingerprint'");
  provenance.rows = checked_count(required(object, "rows"), "'rows'", UINT64_MAX);
  if (const json* weights = optional(object, "class_weights")) {
    for (const json& weight : checked_array(*weights, "'class_weights'")) {
      provenance.class_weights.push_back(checked_number(weight, "a class weight"));
      if (!(provenance.class_weights.back() > 0)) model_error("a class weight is not positive");
    }
    if (provenance.class_weights.size() != classes || classes == 0) {
      model_error("'class_weights' must have one entry for each class");
    }
  }
  if (const json* ranges = optional(object, "ranges")) {
    provenance.ranges = ranges_from_json(*ranges, schema.features.size());
  }
  if (const json* stopped = optional(object, "stopped")) {
    provenance.stopped = checked_text(*stopped, "'stopped'");
    if (provenance.stopped != stopped_name(Stopped::budget) &&
        provenance.stopped != stopped_name(Stopped::interrupt)) {
      model_error("'stopped' must be budget or interrupt");
    }
  }
  return provenance;
}

std::vector<double> costs_from_json(const json& rows, const std::vector<std::string>& names) {
  const size_t classes = names.size();
  std::vector<double> costs;
  for (const json& row : checked_array(rows, "'costs'")) {
    if (checked_array(row, "a row of the costs").size() != classes) {
      model_error(
          fmt::format("a row of the costs has {} numbers instead of {}", row.size(), classes));
    }
    for (const json& cost : row) costs.push_back(checked_number(cost, "a cost"));
  }
  const std::string fault =
      classes == 0 ? "the target has no classes" : fault_of_costs(costs, names);
  if (!fault.empty()) model_error(fault);
  return costs;
}

ComplexityTable complexity_from_json(const json& object) {
  check_object(object, "the complexity table", {"root_error", "root_weight", "chosen", "rows"});
  ComplexityTable table;
  table.root_error = not_negative(required(object, "root_error"), "'root_error'");
  table.root_weight = not_negative(required(object, "root_weight"), "'root_weight'");
  for (const json& entry : checked_array(required(object, "rows"), "'rows' of the table")) {
    check_object(entry, "a row of the table", {"cp", "splits", "error", "xerror", "xstd"});
    ComplexityRow row;
    row.cp = checked_number(required(entry, "cp"), "'cp'");
    row.splits = checked_count(required(entry, "splits"), "'splits'");
    row.error = checked_number(required(entry, "error"), "'error'");
    const json* const xerror = optional(entry, "xerror");
    if (xerror != nullptr) row.xerror = checked_number(*xerror, "'xerror'");
    if (const json* xstd = optional(entry, "xstd")) row.xstd = checked_number(*xstd, "'xstd'");
    table.rows.push_back(row);
  }
  table.chosen = checked_count(required(object, "chosen"), "'chosen'");
  if (table.chosen >= table.rows.size()) {
    model_error(fmt::format("row {} of the table is chosen, and it has {}", table.chosen,
                            table.rows.size()));
  }
  return table;
}

Missing missing_from_json(const json& object, uint32_t children, const NameIndex& names) {
  check_object(object, "'missing'",
               {"child", "shares", "stay", "own", "impute", "weight", "surrogates"});
  Missing missing;
  const auto is_set = [&](const char* key) {
    const json* value = optional(object, key);
    if (value != nullptr && *value != json(true)) {
      model_error(fmt::format("'{}' can only be true", key));
    }
    return value != nullptr;
  };
  const bool imputes = is_set("impute");
  const size_t beside = (object.contains("surrogates") ? 1U : 0U) +
                        (object.contains("weight") ? 1U : 0U) + (imputes ? 1U : 0U);
  if (object.size() != 1 + beside) {
    model_error("'missing' must have exactly one of child, shares, stay, own");
  }
  if (const json* child = optional(object, "child")) {
    missing.child =
        static_cast<uint32_t>(checked_count(*child, "the child for missing values", children - 1));
    if (imputes) missing.rule = MissingRule::impute;
  } else if (imputes) {
    model_error("'impute' needs a 'child' for rows that it does not help");
  } else if (const json* shares = optional(object, "shares")) {
    missing.rule = MissingRule::shares;
    double sum = 0;
    for (const json& share : checked_array(*shares, "'shares'")) {
      missing.shares.push_back(not_negative(share, "a share"));
      sum += missing.shares.back();
    }
    if (missing.shares.size() != children) {
      model_error(
          fmt::format("there are {} shares for {} children", missing.shares.size(), children));
    }
    if (std::fabs(sum - 1) > 1e-9) model_error("the shares do not sum to 1");
  } else if (is_set("own")) {
    missing.rule = MissingRule::own;
  } else if (is_set("stay")) {
    missing.rule = MissingRule::stay;
  }
  if (const json* weight = optional(object, "weight")) {
    missing.weight = not_negative(*weight, "'weight' of 'missing'");
    if (missing.weight == 0) model_error("'weight' of 'missing' is 0, which is not written");
  }
  if (const json* surrogates = optional(object, "surrogates")) {
    for (const json& entry : checked_array(*surrogates, "'surrogates'")) {
      check_object(entry, "a surrogate", {"gate", "agreement", "adjusted"});
      missing.surrogates.push_back({gate_from_json(required(entry, "gate"), names),
                                    checked_number(required(entry, "agreement"), "'agreement'"),
                                    checked_number(required(entry, "adjusted"), "'adjusted'")});
      if (gate_children(missing.surrogates.back().gate) != children) {
        model_error("a surrogate has another number of children than its gate");
      }
    }
    if (missing.surrogates.empty()) model_error("'surrogates' is empty");
  }
  return missing;
}

// Makes nodes in the order of the file. Every inner node's children must be the next ones that no
// node before it claimed: that is the canonical order, and it leaves no room for cycles, shared or
// unreachable nodes.
class NodeReader {
 public:
  // `file_bytes` bounds what is set aside before it is read: each sum takes a place in the file.
  NodeReader(const Schema& schema, std::span<const GateReader> kinds, size_t file_bytes)
      : names_(schema, kinds), tree_(schema.task(), schema.classes()), file_bytes_(file_bytes) {
    names_.level_places = level_places_per_byte * file_bytes;
  }

  size_t count() const { return count_; }

  void add(const json& object) {
    check_object(object, "a node",
                 {"node", "gate", "missing", "first", "sums", "gain", "alpha", "statistic", "log_p",
                  "competitors", "model"});
    const auto i = static_cast<NodeIndex>(count_);
    if (checked_count(required(object, "node"), "'node'") != i) {
      model_error(fmt::format("the nodes are not in order: here is the place of node {}", i));
    }
    if (i >= tree_.size()) model_error("no node before it has this one as a child");
    const json* gate = optional(object, "gate");
    if (gate != nullptr) {
      add_gate(i, object, *gate);
    } else {
      for (const char* key :
           {"missing", "first", "gain", "alpha", "statistic", "log_p", "competitors"}) {
        if (object.contains(key)) {
          model_error(fmt::format("a node without a gate has '{}'", key));
        }
      }
    }
    add_sums(i, required(object, "sums"));
    if (gate != nullptr) add_notes(object, tree_.node(i).notes());
    if (const json* model = optional(object, "model")) {
      if (gate != nullptr) model_error("a node with a gate has a 'model'");
      tree_.node(i).model = Owned<LeafModel>(leaf_model_from_json(*model, names_));
      has_models_ = true;
      models_have_terms_ = models_have_terms_ || !tree_.node(i).model->terms.empty();
    }
    ++count_;
  }

  void add_typical(const json* list) {
    if ((list != nullptr) != (imputes_ || models_have_terms_)) {
      model_error(
          "'typical' must be there when a node has the rule 'impute' or a 'model' with terms, and "
          "only then");
    }
    if (list == nullptr) return;
    const Schema& schema = names_.schema;
    if (checked_array(*list, "'typical'").size() != schema.features.size()) {
      model_error("'typical' must have one entry for each feature");
    }
    std::vector<double> typical;
    for (uint32_t f = 0; f < list->size(); ++f) {
      const json& entry = (*list)[f];
      typical.push_back(entry.is_null() ? missing_number
                        : schema.features[f].kind == Kind::numeric
                            ? checked_number(entry, "a typical value")
                            : names_.level(f, entry));
    }
    tree_.set_typical(std::move(typical));
    check_models();
  }

  void add_leaf_plan(const json* object) {
    if (object != nullptr) tree_.set_leaf_plan(leaf_plan_from_json(*object, tree_.task()));
    if (has_models_ && !tree_.leaf_plan().has_models()) {
      model_error("leaves have models, but 'leaf' does not name a form that has them");
    }
    if (tree_.leaf_plan().mixes_scores()) check_scores();
  }

  Tree finish() {
    if (count_ == 0) model_error("there are no nodes");
    if (count_ != tree_.size()) {
      model_error(
          fmt::format("there are {} nodes, but the gates lead to {}", count_, tree_.size()));
    }
    return std::move(tree_);
  }

 private:
  void add_notes(const json& object, Notes& notes) const {
    const auto read = [&](const char* key, double& note) {
      const json* value = optional(object, key);
      if (value != nullptr) note = checked_number(*value, fmt::format("'{}'", key));
    };
    read("gain", notes.gain);
    read("alpha", notes.alpha);
    read("statistic", notes.statistic);
    read("log_p", notes.log_p);
    if (notes.log_p > 0) model_error("'log_p' is above 0: a p-value can't be more than 1");
    const json* competitors = optional(object, "competitors");
    if (competitors == nullptr) return;
    std::vector<Competitor> list;
    for (const json& entry : checked_array(*competitors, "'competitors'")) {
      check_object(entry, "a competitor", {"gate", "gain"});
      list.push_back({gate_from_json(required(entry, "gate"), names_),
                      checked_number(required(entry, "gain"), "'gain'")});
    }
    if (list.empty()) model_error("'competitors' is empty");
    notes.competitors = Owned<std::vector<Competitor>>(std::move(list));
  }

  // Outputs that are mixed must stand for the same classes.
  void check_scores() const {
    for (NodeIndex i = 0; i < tree_.size(); ++i) {
      const auto& model = tree_.node(i).model;
      if (model && model->outputs() != tree_.classes()) {
        model_error("with the form scores every model must list all classes");
      }
    }
  }

  // Every model must be able to answer for any row.
  void check_models() const {
    const auto known = [&](uint32_t feature) {
      if (std::isnan(tree_.typical()[feature])) {
        model_error("'typical' has no value for a feature that the model of a leaf uses");
      }
    };
    for (NodeIndex i = 0; i < tree_.size(); ++i) {
      if (!tree_.node(i).model) continue;
      for (const Term& term : tree_.node(i).model->terms) {
        known(term.feature);
        if (term.form == TermForm::product) known(term.other);
      }
    }
  }

  void add_gate(NodeIndex i, const json& object, const json& gate_object) {
    Gate gate = gate_from_json(gate_object, names_);
    uint32_t children = gate_children(gate);
    Missing missing = missing_from_json(required(object, "missing"), children, names_);
    if (missing.rule == MissingRule::own) ++children;
    imputes_ = imputes_ || missing.rule == MissingRule::impute;
    const uint64_t first = checked_count(required(object, "first"), "'first'");
    if (first != tree_.size()) {
      model_error(fmt::format("its children must begin at node {}, not {}", tree_.size(), first),
                  "Nodes are in breadth-first order and the children of a node side by side.");
    }
    if ((tree_.size() + children) * tree_.width() > file_bytes_) {
      model_error("the gates lead to more nodes than the file can hold");
    }
    tree_.split(i, std::move(gate), std::move(missing));
  }

  void add_sums(NodeIndex i, const json& list) {
    if (checked_array(list, "'sums'").size() != tree_.width()) {
      model_error(fmt::format("'sums' has {} numbers instead of {}", list.size(), tree_.width()));
    }
    double total = 0;
    for (size_t k = 0; k < list.size(); ++k) {
      // Of weight, mean and squared deviations only the mean can be negative.
      const bool any_sign = tree_.task() == Task::regression && k == 1;
      tree_.sums(i)[k] =
          any_sign ? checked_number(list[k], "a sum") : not_negative(list[k], "a sum");
      if (!any_sign) total += tree_.sums(i)[k];
    }
    if (!std::isfinite(total)) model_error("the sums are too large");
  }

  NameIndex names_;
  Tree tree_;
  size_t file_bytes_;
  size_t count_ = 0;
  bool imputes_ = false, has_models_ = false, models_have_terms_ = false;
};

// Builds the document while nlohmann-json parses it; nodes are converted and dropped as they come,
// so that a large tree is never in memory as JSON.
class Loader {
 public:
  explicit Loader(std::span<const GateReader> kinds) : kinds_(kinds) {}

  Model load(const std::string& text) {
    file_bytes_ = text.size();
    json document = json::parse(text, [&](int depth, json::parse_event_t event, json& parsed) {
      return see(depth, event, parsed);
    });
    place_.clear();
    check_object(document, "the model",
                 {"format", "version", "provenance", "schema", "complexity", "frontier", "leaf",
                  "typical", "costs", "nodes"});
    check_format(required(document, "format"));
    check_version(required(document, "version"));
    if (!schema_) read_schema(required(document, "schema"));
    for (const json& node : checked_array(required(document, "nodes"), "'nodes'")) read_node(node);
    reader_->add_leaf_plan(optional(document, "leaf"));
    reader_->add_typical(optional(document, "typical"));
    Model model{*schema_, reader_->finish(), {}, std::nullopt};
    place_ = "costs";
    if (const json* costs = optional(document, "costs")) {
      model.tree.set_costs(costs_from_json(*costs, schema_->target.levels));
    }
    place_ = "provenance";
    model.provenance = provenance_from_json(required(document, "provenance"), *schema_);
    // Those of version 1 were made otherwise: they are equal to none that is made now.
    if (version_ == 1) model.provenance.fingerprint.clear();
    place_ = "complexity";
    if (const json* table = optional(document, "complexity"))
      model.complexity = complexity_from_json(*table);
    place_ = "frontier";
    if (const json* frontier = optional(document, "frontier"))
      model.frontier = frontier_from_json(*frontier);
    return model;
  }

  const std::string& place() const { return place_; }

 private:
  // The parser's depth is that of the value's parent for starts and ends, counted from 0.
  bool see(int depth, json::parse_event_t event, json& parsed) {
    const auto level = static_cast<size_t>(depth);
    switch (event) {
      case json::parse_event_t::object_start:
        check_depth(depth);
        keys_[level + 1].clear();
        is_list_[level] = false;
        return true;
      case json::parse_event_t::array_start:
        check_depth(depth);
        is_list_[level] = true;
        entries_[level + 1].clear();
        return true;
      case json::parse_event_t::key:
        see_key(level, parsed.get_ref<const std::string&>());
        return true;
      case json::parse_event_t::object_end:
        if (depth == 1 && section_ == "schema") read_schema(parsed);
        // In the list of nodes, once the schema is known.
        if (depth == 2 && section_ == "nodes" && schema_) {
          read_node(parsed);
          return false;
        }
        // After each object the parser goes through the list that it belongs to: entries are kept
        // outside until the list ends, or long ones would take time in the square of their length.
        if (depth > 0 && is_list_[level - 1]) {
          entries_[level].push_back(std::move(parsed));
          return false;
        }
        return true;
      case json::parse_event_t::value:
        // At once: what follows in another version may be anything.
        if (depth == 1 && section_ == "format") check_format(parsed);
        if (depth == 1 && section_ == "version") check_version(parsed);
        return true;
      case json::parse_event_t::array_end:
        for (json& entry : entries_[level + 1]) parsed.push_back(std::move(entry));
        entries_[level + 1].clear();
        return true;
    }
    return true;
  }

  void check_depth(int depth) {
    if (depth > most_depth) model_error("the JSON is nested too deeply");
  }

  void see_key(size_t level, const std::string& key) {
    std::set<std::string>& seen = keys_[level];
    if (!seen.insert(key).second) {
      model_error(fmt::format("the key '{}' is there twice", printable(key, 60)));
    }
    if (seen.size() > most_keys) model_error("an object has too many keys");
    if (level == 1) section_ = key;
  }

  void check_format(const json& format) {
    if (format != json("softwood-tree")) model_error("'format' is not softwood-tree");
  }

  void check_version(const json& value) {
    const uint64_t version = checked_count(value, "'version'");
    if (version < 1 || version > 2) {
      model_error(fmt::format("the file is of version {}, this program reads 1 and 2", version),
                  "Use a newer program.");
    }
    version_ = version;
  }

  void read_schema(const json& object) {
    place_ = "schema";
    schema_ = schema_from_json(object);
    reader_.emplace(*schema_, kinds_, file_bytes_);
    place_.clear();
  }

  void read_node(const json& object) {
    place_ = fmt::format("node {}", reader_->count());
    reader_->add(object);
    place_.clear();
  }

  uint64_t version_ = 0;
  // By depth: the keys of the present object, whether the present value is a list, and the objects
  // in it.
  std::array<std::set<std::string>, most_depth + 2> keys_;
  std::array<bool, most_depth + 2> is_list_{};
  std::array<std::vector<json>, most_depth + 2> entries_;
  std::string section_;  // the last key of the outermost object
  std::span<const GateReader> kinds_;
  size_t file_bytes_ = 0;
  std::optional<Schema> schema_;
  std::optional<NodeReader> reader_;
  std::string place_;
};

}  // namespace

Model model_from_text(const std::string& text, const std::string& source) {
  return model_from_text(text, source, gate_kinds());
}

Model model_from_text(const std::string& text, const std::string& source,
                      std::span<const GateReader> kinds) {
  Loader loader(kinds);
  try {
    return loader.load(text);
  } catch (const Error& error) {
    const std::string& place = loader.place();
    throw Error(error.kind(), error.what(), place.empty() ? source : source + ", " + place,
                error.advice());
  } catch (const json::parse_error& error) {
    const std::string place =
        fmt::format("it is not a JSON document: wrong at byte {}", error.byte);
    throw Error(ErrorKind::model, error.byte <= 1 ? "it is not a model file" : place, source,
                {AdviceCode::save_model_again,
                 "a model file is what saving a trained model writes; it may have been cut short"});
  } catch (const json::exception&) {
    throw Error(ErrorKind::model, "a number in it is too large", source);
  }
}

}  // namespace softwood
