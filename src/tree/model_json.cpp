// Writing the model file. docs/reference/model-file.md describes it; model_load.cpp reads it.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "softwood/error.h"
#include "tree/gates/kinds.h"
#include "tree/json_fields.h"
#include "tree/model_load.h"

namespace softwood {

using nlohmann::json;

namespace {

std::string quoted(const std::string& text) { return json(text).dump(); }

void append_list(std::span<const double> values, std::string& out) {
  out += '[';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ", ";
    append_number(values[i], out);
  }
  out += ']';
}

// Numbers that may be absent: what is not finite is not written.
void append_optional(std::string_view key, double value, std::string& out) {
  if (!std::isfinite(value)) return;
  out += key;
  append_number(value, out);
}

void append_texts(const std::vector<std::string>& texts, std::string& out) {
  out += '[';
  for (size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) out += ", ";
    out += quoted(texts[i]);
  }
  out += ']';
}

void append_feature(const Feature& feature, std::string& out) {
  out +=
      fmt::format(R"({{"name": {}, "kind": "{}")", quoted(feature.name), kind_name(feature.kind));
  if (feature.kind != Kind::numeric) {
    out += R"(, "levels": )";
    append_texts(feature.levels, out);
  }
  out += '}';
}

void append_schema(const Schema& schema, std::string& out) {
  out += "\"schema\": {\n\"features\": [";
  for (size_t i = 0; i < schema.features.size(); ++i) {
    out += i > 0 ? ",\n  " : "\n  ";
    append_feature(schema.features[i], out);
  }
  out += "\n],\n\"target\": ";
  append_feature(schema.target, out);
  if (schema.classes() == 2) {
    out += ",\n\"positive\": " + quoted(schema.target.levels[schema.positive]);
  }
  if (!schema.weight.empty()) out += ",\n\"weight\": " + quoted(schema.weight);
  if (!schema.missing_marks.empty()) {
    out += ",\n\"missing\": ";
    append_texts(schema.missing_marks, out);
  }
  out += "\n},\n";
}

void append_provenance(const Provenance& provenance, std::string& out) {
  out += "\"provenance\": {";
  if (!provenance.method.empty())
    out += fmt::format(R"("method": {}, )", quoted(provenance.method));
  out += fmt::format(R"("recipe": {}, "seed": {}, "version": {}, "fingerprint": {}, "rows": {})",
                     quoted(provenance.recipe), provenance.seed, quoted(provenance.version),
                     quoted(provenance.fingerprint), provenance.rows);
  if (!provenance.class_weights.empty()) {
    out += R"(, "class_weights": )";
    append_list(provenance.class_weights, out);
  }
  if (!provenance.ranges.empty()) {
    out += R"(, "ranges": [)";
    for (size_t i = 0; i < provenance.ranges.size(); ++i) {
      const auto [low, high] = provenance.ranges[i];
      if (i > 0) out += ", ";
      if (std::isnan(low)) {
        out += "null";
      } else {
        append_list(std::array{low, high}, out);
      }
    }
    out += ']';
  }
  if (!provenance.stopped.empty()) {
    out += fmt::format(R"(, "stopped": {})", quoted(provenance.stopped));
  }
  out += "},\n";
}

void append_complexity(const ComplexityTable& table, std::string& out) {
  out += R"("complexity": {"root_error": )";
  append_number(table.root_error, out);
  out += R"(, "root_weight": )";
  append_number(table.root_weight, out);
  out += fmt::format(R"(, "chosen": {}, "rows": [)", table.chosen);
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const ComplexityRow& row = table.rows[i];
    out += i > 0 ? ",\n  " : "\n  ";
    out += R"({"cp": )";
    append_number(row.cp, out);
    out += fmt::format(R"(, "splits": {}, "error": )", row.splits);
    append_number(row.error, out);
    append_optional(R"(, "xerror": )", row.xerror, out);
    append_optional(R"(, "xstd": )", row.xstd, out);
    out += '}';
  }
  out += "\n]},\n";
}

// A number, or the name of a level; null for a feature that never has a value.
void append_typical(const Schema& schema, const QuotedNames& names, std::span<const double> typical,
                    std::string& out) {
  out += "\"typical\": [";
  for (size_t f = 0; f < typical.size(); ++f) {
    if (f > 0) out += ", ";
    if (std::isnan(typical[f])) {
      out += "null";
    } else if (schema.features[f].kind == Kind::numeric) {
      append_number(typical[f], out);
    } else {
      out += names.levels[f][static_cast<size_t>(typical[f])];
    }
  }
  out += "],\n";
}

void append_costs(std::span<const double> costs, size_t classes, std::string& out) {
  out += "\"costs\": [";
  for (size_t truth = 0; truth < classes; ++truth) {
    if (truth > 0) out += ", ";
    append_list(costs.subspan(truth * classes, classes), out);
  }
  out += "],\n";
}

void append_missing(const Missing& missing, const QuotedNames& names, std::string& out) {
  out += R"(, "missing": {)";
  switch (missing.rule) {
    case MissingRule::child:
      fmt::format_to(std::back_inserter(out), R"("child": {})", missing.child);
      break;
    case MissingRule::shares:
      out += R"("shares": )";
      append_list(missing.shares, out);
      break;
    case MissingRule::stay:
      out += R"("stay": true)";
      break;
    case MissingRule::own:
      out += R"("own": true)";
      break;
    case MissingRule::impute:
      fmt::format_to(std::back_inserter(out), R"("impute": true, "child": {})", missing.child);
      break;
  }
  if (missing.weight > 0) {
    out += R"(, "weight": )";
    append_number(missing.weight, out);
  }
  if (!missing.surrogates.empty()) {
    out += R"(, "surrogates": [)";
    for (size_t i = 0; i < missing.surrogates.size(); ++i) {
      if (i > 0) out += ", ";
      out += R"({"gate": )";
      append_gate_json(missing.surrogates[i].gate, names, out);
      out += R"(, "agreement": )";
      append_number(missing.surrogates[i].agreement, out);
      out += R"(, "adjusted": )";
      append_number(missing.surrogates[i].adjusted, out);
      out += '}';
    }
    out += ']';
  }
  out += '}';
}

void append_competitors(const std::vector<Competitor>& competitors, const QuotedNames& names,
                        std::string& out) {
  out += R"(, "competitors": [)";
  for (size_t i = 0; i < competitors.size(); ++i) {
    out += i > 0 ? R"(, {"gate": )" : R"({"gate": )";
    append_gate_json(competitors[i].gate, names, out);
    out += R"(, "gain": )";
    append_number(competitors[i].gain, out);
    out += '}';
  }
  out += ']';
}

void append_node(const Tree& tree, NodeIndex i, const Schema& schema, const QuotedNames& names,
                 std::string& out) {
  const Node& node = tree.node(i);
  fmt::format_to(std::back_inserter(out), R"(  {{"node": {})", i);
  if (!node.is_leaf()) {
    out += R"(, "gate": )";
    append_gate_json(node.gate(), names, out);
    append_missing(node.missing(), names, out);
    fmt::format_to(std::back_inserter(out), R"(, "first": {})", node.first_child);
  }
  out += R"(, "sums": )";
  append_list(tree.sums(i), out);
  if (!node.is_leaf()) {
    append_optional(R"(, "gain": )", node.notes().gain, out);
    append_optional(R"(, "alpha": )", node.notes().alpha, out);
    append_optional(R"(, "statistic": )", node.notes().statistic, out);
    append_optional(R"(, "log_p": )", node.notes().log_p, out);
    if (node.notes().competitors) append_competitors(*node.notes().competitors, names, out);
  } else if (node.model) {
    out += R"(, "model": )";
    append_leaf_model_json(*node.model, schema, names, out);
  }
  out += '}';
}

std::string write_canonical(const Model& model, const Tree& tree) {
  std::string out = "{\n\"format\": \"softwood-tree\",\n\"version\": 2,\n";
  append_provenance(model.provenance, out);
  append_schema(model.schema, out);
  if (model.complexity) append_complexity(*model.complexity, out);
  if (model.frontier) append_frontier_json(*model.frontier, out);
  const QuotedNames names(model.schema);
  append_leaf_plan_json(tree.leaf_plan(), out);
  if (!tree.typical().empty()) append_typical(model.schema, names, tree.typical(), out);
  if (!tree.costs().empty()) append_costs(tree.costs(), tree.classes(), out);
  out += "\"nodes\": [\n";
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (i > 0) out += ",\n";
    append_node(tree, i, model.schema, names, out);
  }
  out += "\n]\n}\n";
  return out;
}

}  // namespace

namespace {

std::string write(const Model& model) {
  if (is_canonical(model.tree)) return write_canonical(model, model.tree);
  Tree ordered = model.tree;
  ordered.canonicalise();
  return write_canonical(model, ordered);
}

// Whatever is written must load: the reader says whether it does.
void check_readable(const std::string& text, std::span<const GateReader> kinds) {
  try {
    model_from_text(text, {}, kinds);
  } catch (const Error& error) {
    throw Error(ErrorKind::failure,
                std::string("the model could not be read again: ") + error.what(), {},
                "numbers of the data may be too large or too small: use other units");
  }
}

}  // namespace

std::string model_to_text(const Model& model) { return model_to_text(model, gate_kinds()); }

std::string model_to_text(const Model& model, std::span<const GateReader> kinds) {
  try {
    std::string text = write(model);
    check_readable(text, kinds);
    return text;
  } catch (const json::exception&) {
    // The only thing that can't be written: JSON is UTF-8.
    throw Error(ErrorKind::data, "a name or a level is not UTF-8 text", {},
                "Save the data as UTF-8 and train again.");
  }
}

}  // namespace softwood
