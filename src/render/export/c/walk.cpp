// Trees without arithmetic: a walk through a table, one row alone or several side by side.
#include <fmt/format.h>

#include <cmath>

#include "render/export/c/code.h"
#include "render/export/c/plain.h"
#include "tree/costs.h"

namespace softwood::render {
namespace {

constexpr std::string_view node_type = R"(
/* A node asks whether the cell of `input` is at most `cut`@ASK@.
   `next` is where rows go for which that is so, is not so, and whose cell is missing: a node, or
   @COUNT@ + a row of the answers. Nodes from @COUNT@ on lead to themselves. */
struct $node {
  REAL cut;
@SETFIELDS@  @INT@ input;
  @INT@ next[3];
};
)";

constexpr std::string_view side_of_threshold = R"(
/* 0, 1 or 2: which of a node's ways the row goes; without a branch. */
INLINE uint32_t $side(const struct $node *node, REAL x)
{
  return CAST<uint32_t>(!(x <= node->cut)) + CAST<uint32_t>(x != x);
}
)";

constexpr std::string_view side_with_sets = R"(
/* 0, 1 or 2: which of a node's ways the row goes. */
INLINE uint32_t $side(const struct $node *node, REAL x)
{
  if (node->levels != 0) {
    uint32_t level;
    if (!(x >= 0 && x < CAST<REAL>(node->levels))) return 2;
    level = CAST<uint32_t>(x);
    return 1u ^ (($sets[node->set + level / 32] >> (level % 32)) & 1u);
  }
  return CAST<uint32_t>(!(x <= node->cut)) + CAST<uint32_t>(x != x);
}
)";

// A branch, and not $side: processors guess it and go on while the cell is loaded.
constexpr std::string_view walk_thresholds = R"(
/* The row of the answer. */
FUNCTION uint32_t $walk(const REAL *row)
{
  uint32_t at = 0;
  do {
    const struct $node *const node = &$nodes[at];
    const REAL x = row[node->input];
    if (x <= node->cut) at = node->next[0];
    else if (x > node->cut) at = node->next[1];
    else at = node->next[2];
  } while (at < @INNER@);
  return at - @INNER@;
}
)";

constexpr std::string_view walk_with_sets = R"(
/* The row of the answer. */
FUNCTION uint32_t $walk(const REAL *row)
{
  uint32_t at = 0;
  do {
    const struct $node *const node = &$nodes[at];
    at = node->next[$side(node, row[node->input])];
  } while (at < @INNER@);
  return at - @INNER@;
}
)";

constexpr std::string_view copy = R"(
INLINE void $copy(uint32_t from, REAL *out)
{
  const REAL *const answer = $answers + CAST<size_t>(from) * @OUTPUTS@;
  size_t k;
  for (k = 0; k < @OUTPUTS@; ++k) out[k] = answer[k];
}
)";

constexpr std::string_view fill = R"(
PUBLIC void $predict(const REAL *row, REAL *out)
{
  $copy($walk(row), out);
}
)";

constexpr std::string_view decide = R"(
PUBLIC int $class(const REAL *row)
{
  return $classes[$walk(row)];
}
)";

constexpr std::string_view fill_rows = R"(
/* Eight rows side by side: while one waits for its cell the others go on. */
PUBLIC void $predict_rows(const REAL *rows, size_t count, REAL *out)
{
  size_t r = 0;
  for (; count - r >= 8; r += 8) {
    const REAL *const row = rows + r * @INPUTS@;
    REAL *const answer = out + r * @OUTPUTS@;
    const struct $node *node;
    uint32_t @ATS@, going;
    do {
@STEPS@      /* The highest bit: a number is below @INNER@. */
      going = @GOING@;
    } while (going >> 31);
@STORES@  }
  for (; r < count; ++r) $predict(rows + r * @INPUTS@, out + r * @OUTPUTS@);
}
)";

constexpr std::string_view rows_one_by_one = R"(
PUBLIC void $predict_rows(const REAL *rows, size_t count, REAL *out)
{
  size_t r;
  for (r = 0; r < count; ++r) $predict(rows + r * @INPUTS@, out + r * @OUTPUTS@);
}
)";

constexpr std::string_view walk_nowhere = R"(
/* The row of the answer: there is one. */
FUNCTION uint32_t $walk(const REAL *row)
{
  CAST<void>(row);
  return 0;
}
)";

std::vector<int32_t> classes_of(const PlainTables& tables, const LoweredTree& tree,
                                const ExportOptions& options) {
  const size_t outputs = tree.target.classes.size();
  std::vector<int32_t> classes;
  for (size_t row = 0; row < tables.answers; ++row) {
    const std::span answer(&tables.answer[row * outputs], outputs);
    if (std::isnan(options.threshold)) {
      classes.push_back(static_cast<int32_t>(cheapest_answer(answer, tree.decision.costs)));
    } else {
      const bool meets = answer[options.threshold_class] >= options.threshold;
      classes.push_back(
          static_cast<int32_t>(meets ? options.threshold_class : 1 - options.threshold_class));
    }
  }
  return classes;
}

void write_nodes(CodeWriter& out, const PlainTables& tables) {
  const size_t inner = tables.nodes.size();
  const std::string type = inner + tables.answers <= 0xFFFF ? "uint16_t" : "uint32_t";
  out.code(node_type,
           {{"COUNT", std::to_string(inner)},
            {"ASK", tables.has_sets ? ", or where it has `levels` whether\n"
                                      "   its bit, counted from word `set` of the sets on, is 1"
                                    : ""},
            {"SETFIELDS", tables.has_sets ? "  uint32_t set, levels;\n" : ""},
            {"INT", type}});
  std::vector<std::string> items;
  const auto add = [&](const PlainNode& node) {
    std::string item = "{" + out.number(node.cut, true) + ", ";
    if (tables.has_sets) item += fmt::format("{}, {}, ", node.set, node.levels);
    items.push_back(item + fmt::format("{}, {{{}, {}, {}}}}}", node.input, node.next[0],
                                       node.next[1], node.next[2]));
  };
  for (const PlainNode& node : tables.nodes) add(node);
  for (size_t row = 0; row < tables.answers; ++row) {
    PlainNode end;
    end.next.fill(static_cast<uint32_t>(inner + row));
    add(end);
  }
  out.code(fmt::format("TABLE struct $node $nodes[{}] = {{\n", items.size()));
  out.raw(CodeWriter::lines(items) + "};\n");
  if (tables.has_sets) out.table("sets", std::span<const uint32_t>(tables.sets));
}

void write_side_by_side(CodeWriter& out, const std::string& inner, const std::string& inputs,
                        const std::string& outputs) {
  std::string ats, steps, going, stores;
  for (int k = 0; k < 8; ++k) {
    const std::string_view comma = k == 0 ? "" : ", ";
    ats += fmt::format("{}at{} = 0", comma, k);
    steps += fmt::format(
        "      node = &$nodes[at{0}];\n"
        "      at{0} = node->next[$side(node, row[{0} * {1} + node->input])];\n",
        k, inputs);
    going += fmt::format("{}(at{} - {})", k == 0 ? "" : " | ", k, inner);
    if (k == 3) going += "\n             ";
    stores += fmt::format("    $copy(at{0} - {1}, answer + {0} * {2});\n", k, inner, outputs);
  }
  out.code(fill_rows, {{"ATS", ats},
                       {"STEPS", steps},
                       {"GOING", going},
                       {"STORES", stores},
                       {"INNER", inner},
                       {"INPUTS", inputs},
                       {"OUTPUTS", outputs}});
}

}  // namespace

void write_walk(CodeWriter& out, const PlainTables& tables, const LoweredTree& tree,
                const ExportOptions& options) {
  const size_t inner = tables.nodes.size();
  const std::string inners = fmt::format("{}u", inner);
  const std::string inputs = fmt::format("{}u", tree.inputs.size());
  const std::string outputs = fmt::format("{}u", tables.answer.size() / tables.answers);
  if (inner > 0) write_nodes(out, tables);
  out.raw(fmt::format("\n/* {} */\n", tree.is_classifier()
                                          ? "Probabilities, a row per different answer."
                                          : "Numbers, each different answer once."));
  out.table("answers", std::span<const double>(tables.answer));
  if (tree.is_classifier()) {
    out.raw("/* The class that is decided for, by row of the answers. */\n");
    out.table("classes", std::span<const int32_t>(classes_of(tables, tree, options)));
  }
  if (inner > 0) out.code(tables.has_sets ? side_with_sets : side_of_threshold);
  out.code(inner == 0        ? walk_nowhere
           : tables.has_sets ? walk_with_sets
                             : walk_thresholds,
           {{"INNER", inners}});
  out.code(copy, {{"OUTPUTS", outputs}});
  out.code(fill);
  if (tree.is_classifier()) out.code(decide);
  if (inner == 0) {
    out.code(rows_one_by_one, {{"INPUTS", inputs}, {"OUTPUTS", outputs}});
  } else {
    write_side_by_side(out, inners, inputs, outputs);
  }
}

}  // namespace softwood::render
