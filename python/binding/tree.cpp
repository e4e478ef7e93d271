#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "binding.h"

namespace softwood::python {
namespace {

template <class T>
nb::object name_of(T value, std::initializer_list<const char*> names) {
  return nb::str(names.begin()[static_cast<size_t>(value)]);
}

nb::dict term_dict(const LoweredTerm& from) {
  nb::dict term;
  term["kind"] = name_of(from.kind, {"value", "square", "product", "asinh", "level"});
  term["input"] = from.input;
  if (from.kind == TermKind::product) term["second"] = from.second;
  if (from.kind == TermKind::level) term["level"] = from.level;
  if (from.kind == TermKind::asinh) {
    term["centre"] = from.centre;
    term["scale"] = from.scale;
  }
  term["coefficient"] = from.coefficient;
  return term;
}

nb::list term_list(const std::vector<LoweredTerm>& terms) {
  nb::list list;
  for (const LoweredTerm& term : terms) list.append(term_dict(term));
  return list;
}

nb::dict condition_dict(const LoweredCondition& from) {
  nb::dict condition;
  if (const auto* const score = std::get_if<LoweredScore>(&from)) {
    condition["kind"] = "score";
    condition["terms"] = term_list(score->terms);
    condition["cut"] = score->cut;
    condition["link"] = name_of(score->link, {"step", "ramp", "logistic"});
    if (score->link == LinkKind::ramp) {
      condition["below"] = score->below;
      condition["above"] = score->above;
    }
  } else {
    const auto& levels = std::get<LoweredLevels>(from);
    condition["kind"] = "levels";
    condition["input"] = levels.input;
    condition["children"] = levels.children;
    condition["child_of_level"] = levels.child_of_level;
  }
  return condition;
}

nb::dict missing_dict(const LoweredMissing& from) {
  nb::dict missing;
  missing["action"] = name_of(from.action, {"child", "shares", "stay", "own_child", "impute"});
  missing["child"] = from.child;
  missing["shares"] = from.shares;
  missing["weight"] = from.weight;
  nb::list surrogates;
  for (const LoweredSurrogate& surrogate : from.surrogates) {
    nb::dict entry;
    entry["condition"] = condition_dict(surrogate.condition);
    entry["agreement"] = surrogate.agreement;
    surrogates.append(entry);
  }
  missing["surrogates"] = surrogates;
  return missing;
}

nb::object formula_dict(const std::optional<LoweredFormula>& from) {
  if (!from) return nb::none();
  nb::dict formula;
  formula["terms"] = term_list(from->terms);
  nb::list outputs;
  for (const LoweredOutput& output : from->outputs) {
    nb::dict entry;
    entry["class"] = output.class_index;
    entry["constant"] = output.constant;
    entry["coefficients"] = output.coefficients;
    outputs.append(entry);
  }
  formula["outputs"] = outputs;
  formula["low"] = from->low;
  formula["high"] = from->high;
  return formula;
}

nb::dict node_dict(const LoweredNode& from) {
  nb::dict node;
  node["parent"] = from.parent;
  node["depth"] = from.depth;
  node["weight"] = from.weight;
  node["answer"] = from.answer;
  node["class_weights"] = from.class_weights;
  node["mean"] = from.mean;
  node["deviation"] = from.deviation;
  node["risk"] = from.risk;
  node["formula"] = formula_dict(from.formula);
  if (!from.split) {
    node["split"] = nb::none();
    return node;
  }
  nb::dict split;
  split["condition"] = condition_dict(from.split->condition);
  split["missing"] = missing_dict(from.split->missing);
  split["first_child"] = from.split->first_child;
  split["children"] = from.split->children;
  split["decrease"] = from.split->decrease;
  split["gain"] = from.split->gain;
  split["alpha"] = from.split->alpha;
  split["log_p"] = from.split->log_p;
  node["split"] = split;
  return node;
}

}  // namespace

nb::dict origin_dict(const LoweredOrigin& from) {
  nb::dict origin;
  origin["method"] = from.method;
  origin["recipe"] = from.recipe;
  origin["seed"] = from.seed;
  origin["version"] = from.version;
  origin["fingerprint"] = from.fingerprint;
  origin["rows"] = from.rows;
  origin["gain_name"] = from.gain_name;
  origin["gain_unit"] = from.gain_unit;
  origin["stopped"] = from.stopped;
  return origin;
}

nb::dict tree_dict(const LoweredTree& from) {
  nb::dict tree;
  nb::list inputs, nodes;
  for (const LoweredInput& input : from.inputs) {
    nb::dict entry;
    entry["name"] = input.name;
    entry["kind"] = name_of(input.kind, {"numeric", "nominal", "ordinal"});
    entry["levels"] = input.levels;
    entry["typical"] = input.typical;
    entry["importance"] = input.importance;
    entry["monotone"] = input.monotone;
    inputs.append(entry);
  }
  for (const LoweredNode& node : from.nodes) nodes.append(node_dict(node));
  tree["inputs"] = inputs;
  tree["target"] = from.target.name;
  tree["classes"] = from.target.classes;
  tree["nodes"] = nodes;
  tree["costs"] = from.decision.costs;
  tree["origin"] = origin_dict(from.origin);
  return tree;
}

}  // namespace softwood::python
