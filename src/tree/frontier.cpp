#include "tree/frontier.h"

#include <fmt/format.h>

#include <algorithm>

#include "tree/json_fields.h"

namespace softwood {

using nlohmann::json;

namespace {

void append_point(const FrontierPoint& point, std::string& out) {
  out += fmt::format(R"({{"recipe": {}, "parameters": {}, "leaves": {}, "loss": )",
                     json(point.recipe).dump(), point.parameters, point.leaves);
  append_number(point.loss, out);
  out += R"(, "standard_error": )";
  append_number(point.standard_error, out);
  out += fmt::format(R"(, "inputs_per_split": {}, "hard": {}, "constant_leaves": {})",
                     point.inputs_per_split, point.hard, point.constant_leaves);
  if (point.dominated) out += R"(, "dominated": true)";
  if (point.saved) {
    out += fmt::format(R"(, "saved": {{"parameters": {}, "leaves": {}}})", point.saved->parameters,
                       point.saved->leaves);
  }
  out += '}';
}

bool checked_truth(const json& value, const char* what) {
  if (!value.is_boolean()) model_error(fmt::format("{} must be true or false", what));
  return value.get<bool>();
}

FrontierPoint point_from_json(const json& object) {
  check_object(object, "a point of the frontier",
               {"recipe", "parameters", "leaves", "loss", "standard_error", "inputs_per_split",
                "hard", "constant_leaves", "dominated", "saved"});
  FrontierPoint point;
  point.recipe = checked_text(required(object, "recipe"), "'recipe'");
  point.parameters = checked_count(required(object, "parameters"), "'parameters'");
  point.leaves = checked_count(required(object, "leaves"), "'leaves'");
  point.loss = checked_number(required(object, "loss"), "'loss'");
  point.standard_error = not_negative(required(object, "standard_error"), "'standard_error'");
  point.inputs_per_split =
      checked_count(required(object, "inputs_per_split"), "'inputs_per_split'");
  point.hard = checked_truth(required(object, "hard"), "'hard'");
  point.constant_leaves = checked_truth(required(object, "constant_leaves"), "'constant_leaves'");
  if (const json* dominated = optional(object, "dominated")) {
    point.dominated = checked_truth(*dominated, "'dominated'");
  }
  if (const json* saved = optional(object, "saved")) {
    check_object(*saved, "'saved'", {"parameters", "leaves"});
    point.saved = SavedSize{checked_count(required(*saved, "parameters"), "'parameters'"),
                            checked_count(required(*saved, "leaves"), "'leaves'")};
  }
  return point;
}

size_t checked_point(const json& value, const char* what, const Frontier& frontier) {
  const size_t point = checked_count(value, what);
  if (point >= frontier.points.size()) {
    model_error(fmt::format("{} is point {} of the frontier, which has {}", what, point,
                            frontier.points.size()));
  }
  return point;
}

}  // namespace

bool has_saved_sizes(const Frontier& frontier) {
  return std::all_of(frontier.points.begin(), frontier.points.end(),
                     [](const FrontierPoint& point) { return point.saved.has_value(); });
}

void append_frontier_json(const Frontier& frontier, std::string& out) {
  out += fmt::format(R"("frontier": {{"metric": {}, "figure": {}, "rows": {}, "baseline": )",
                     json(frontier.metric).dump(), json(frontier.figure).dump(), frontier.rows);
  append_number(frontier.baseline, out);
  out += R"(, "estimate": )";
  append_number(frontier.estimate, out);
  out += R"(, "standard_error": )";
  append_number(frontier.standard_error, out);
  if (frontier.expected_loss) {
    out += R"(, "expected_loss": {"value": )";
    append_number(frontier.expected_loss->value, out);
    out += R"(, "standard_error": )";
    append_number(frontier.expected_loss->standard_error, out);
    out += '}';
  }
  const FrontierChoices& choices = frontier.choices;
  out += fmt::format(
      R"(, "chosen": {}, "choices": {{"accuracy": {}, "balanced": {}, "readable": {}}}, "points": [)",
      frontier.chosen, choices.accuracy, choices.balanced, choices.readable);
  for (size_t i = 0; i < frontier.points.size(); ++i) {
    out += i > 0 ? ",\n  " : "\n  ";
    append_point(frontier.points[i], out);
  }
  out += "\n]},\n";
}

Frontier frontier_from_json(const json& object) {
  check_object(object, "the frontier",
               {"metric", "figure", "rows", "baseline", "estimate", "standard_error",
                "expected_loss", "chosen", "choices", "points"});
  Frontier frontier;
  frontier.metric = checked_text(required(object, "metric"), "'metric'");
  frontier.figure = checked_text(required(object, "figure"), "'figure'");
  frontier.rows = checked_count(required(object, "rows"), "'rows'");
  frontier.baseline = checked_number(required(object, "baseline"), "'baseline'");
  frontier.estimate = checked_number(required(object, "estimate"), "'estimate'");
  frontier.standard_error = not_negative(required(object, "standard_error"), "'standard_error'");
  if (const json* expected = optional(object, "expected_loss")) {
    check_object(*expected, "'expected_loss'", {"value", "standard_error"});
    frontier.expected_loss =
        ExpectedLoss{checked_number(required(*expected, "value"), "'value'"),
                     not_negative(required(*expected, "standard_error"), "'standard_error'")};
  }
  for (const json& entry : checked_array(required(object, "points"), "'points'")) {
    frontier.points.push_back(point_from_json(entry));
  }
  frontier.chosen = checked_point(required(object, "chosen"), "'chosen'", frontier);
  const json& choices = required(object, "choices");
  check_object(choices, "'choices'", {"accuracy", "balanced", "readable"});
  const auto choice = [&](const char* key) {
    return checked_point(required(choices, key), key, frontier);
  };
  frontier.choices = {choice("accuracy"), choice("balanced"), choice("readable")};
  return frontier;
}

}  // namespace softwood
