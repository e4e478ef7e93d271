// Trees without arithmetic: a walk through a table, one row alone or several side by side.
#include <fmt/format.h>

#include "render/export/c/code.h"
#include "render/export/c/plain.h"
#include "render/export/node_answers.h"

namespace softwood::render {
namespace {

constexpr std::string_view node_type = R"(
/* A node asks whether the cell of `input` is at most `cut`@ASK@.
   If so the row goes to node `child`, else to the next one, and to `missing` where the cell is
   missing. Ends lead to themselves and have a row of the answers. */
struct $node {
  CELL cut;
@SETFIELDS@  @INT@ input, child, missing, answer;
};
)";

constexpr std::string_view cell_without_marks = R"(
/* The cell of an input; NaN: missing, and for those that mean it. */
INLINE CELL $cell(const CELL *row, uint32_t input)
{
  CELL x = row[input];
  int32_t m;
  for (m = $mark_first[input]; m < $mark_first[input + 1]; ++m) if (x == $marks[m]) x = $nan;
  return x;
}
)";

constexpr std::string_view next_by_cut = R"(
INLINE uint32_t $next(uint32_t at, const CELL *row)
{
  const struct $node *const node = &$nodes[at];
  const CELL x = @CELL@;
  if (x != x) return node->missing;
  return node->child + CAST<uint32_t>(x > node->cut);
}
)";

constexpr std::string_view next_with_sets = R"(
INLINE uint32_t $next(uint32_t at, const CELL *row)
{
  const struct $node *const node = &$nodes[at];
  const CELL x = @CELL@;
  if (node->levels != 0) {
    uint32_t level;
    if (!(x >= 0 && x < CAST<CELL>(node->levels))) return node->missing;
    level = CAST<uint32_t>(x);
    return node->child + (1u ^ (($sets[node->set + level / 32] >> (level % 32)) & 1u));
  }
  if (x != x) return node->missing;
  return node->child + CAST<uint32_t>(x > node->cut);
}
)";

// Written out step by step, without a test for the end: nothing is there to guess wrong.
constexpr std::string_view walk_to_end = R"(
/* The row of the answer. No way has more steps than these. */
FUNCTION uint32_t $walk(const CELL *row)
{
  uint32_t at = 0;
@STEPS@  return $nodes[at].answer;
}
)";

constexpr std::string_view walk_far = R"(
/* The row of the answer. */
FUNCTION uint32_t $walk(const CELL *row)
{
  uint32_t at = 0;
  do {
@STEPS@  } while ($nodes[at].child != at);
  return $nodes[at].answer;
}
)";

constexpr std::string_view copy = R"(
INLINE void $copy(uint32_t from, CELL *out)
{
  const CELL *const answer = $answers + CAST<size_t>(from) * @OUTPUTS@;
  size_t k;
  for (k = 0; k < @OUTPUTS@; ++k) out[k] = answer[k];
}
)";

constexpr std::string_view fill = R"(
PUBLIC void $predict(const CELL *row, CELL *out)
{
  $copy($walk(row), out);
}
)";

constexpr std::string_view decide = R"(
PUBLIC int $class(const CELL *row)
{
  return $classes[$walk(row)];
}
)";

constexpr std::string_view rows_one_by_one = R"(
PUBLIC void $predict_rows(const CELL *rows, size_t count, CELL *out)
{
  size_t r;
  for (r = 0; r < count; ++r) $predict(rows + r * @INPUTS@, out + r * @OUTPUTS@);
}
)";

constexpr std::string_view fill_rows = R"(
/* Eight rows side by side: while one waits for its cell the others go on. */
PUBLIC void $predict_rows(const CELL *rows, size_t count, CELL *out)
{
  size_t r = 0;
  for (; count - r >= 8; r += 8) {
    const CELL *const row = rows + r * @INPUTS@;
    CELL *const answer = out + r * @OUTPUTS@;
    uint32_t @ATS@;
    int step;
@LOOP@@STORES@  }
  for (; r < count; ++r) $predict(rows + r * @INPUTS@, out + r * @OUTPUTS@);
}
)";

constexpr std::string_view loop_to_end = R"(    for (step = 0; step < @DEPTH@; ++step) {
@STEPS@    }
)";
constexpr std::string_view loop_far = R"(    do {
      for (step = 0; step < 4; ++step) {
@STEPS@      }
    } while (@GOING@);
)";

std::vector<int32_t> classes_of(const PlainTables& tables, const LoweredTree& tree,
                                const ExportOptions& options) {
  const size_t outputs = tree.target.classes.size();
  std::vector<int32_t> classes;
  for (size_t row = 0; row < tables.answers; ++row) {
    const std::span answer(&tables.answer[row * outputs], outputs);
    classes.push_back(static_cast<int32_t>(decided_class(tree, options, answer)));
  }
  return classes;
}

// Up to this number of steps all rows take all of them.
constexpr size_t most_steps = 12;

void write_nodes(CodeWriter& out, const PlainTables& tables) {
  const std::string type = tables.nodes.size() <= 0xFFFF ? "uint16_t" : "uint32_t";
  out.code(node_type,
           {{"ASK", tables.has_sets ? ", or where it has `levels` whether\n"
                                      "   its bit, counted from word `set` of the sets on, is 1"
                                    : ""},
            {"SETFIELDS", tables.has_sets ? "  uint32_t set, levels;\n" : ""},
            {"INT", type}});
  std::vector<std::string> items;
  for (const PlainNode& node : tables.nodes) {
    std::string item = "{" + out.cell_number(node.cut, CodeWriter::Rounding::down) + ", ";
    if (tables.has_sets) item += fmt::format("{}, {}, ", node.set, node.levels);
    items.push_back(
        item + fmt::format("{}, {}, {}, {}}}", node.input, node.child, node.missing, node.answer));
  }
  out.code(fmt::format("TABLE struct $node $nodes[{}] = {{\n", items.size()));
  out.raw(CodeWriter::lines(items) + "};\n");
  if (tables.has_sets) out.table("sets", std::span<const uint32_t>(tables.sets));
}

void write_walk_of_one(CodeWriter& out, const PlainTables& tables) {
  const bool far = tables.steps > most_steps;
  std::string steps;
  for (size_t step = 0; step < (far ? 8 : tables.steps); ++step) {
    steps += fmt::format("{}  at = $next(at, row);\n", far ? "  " : "");
  }
  if (tables.steps == 0) steps = "  CAST<void>(row);\n";
  out.code(far ? walk_far : walk_to_end, {{"STEPS", steps}});
}

void write_side_by_side(CodeWriter& out, const PlainTables& tables, const std::string& inputs,
                        const std::string& outputs) {
  const bool far = tables.steps > most_steps;
  std::string ats, steps, going, stores;
  for (int k = 0; k < 8; ++k) {
    ats += fmt::format("{}at{} = 0", k == 0 ? "" : ", ", k);
    steps += fmt::format("{0}      at{1} = $next(at{1}, row + {1} * {2});\n", far ? "  " : "", k,
                         inputs);
    going += fmt::format("{}$nodes[at{}].child != at{}", k == 0 ? "" : "\n             || ", k, k);
    stores += fmt::format("    $copy($nodes[at{0}].answer, answer + {0} * {1});\n", k, outputs);
  }
  out.code(fill_rows, {{"LOOP", std::string(far ? loop_far : loop_to_end)},
                       {"ATS", ats},
                       {"STEPS", steps},
                       {"GOING", going},
                       {"STORES", stores},
                       {"DEPTH", std::to_string(tables.steps)},
                       {"INPUTS", inputs},
                       {"OUTPUTS", outputs}});
}

}  // namespace

void write_walk(CodeWriter& out, const PlainTables& tables, const LoweredTree& tree,
                const ExportOptions& options) {
  const std::string inputs = fmt::format("{}u", tree.inputs.size());
  const std::string outputs = fmt::format("{}u", tables.answer.size() / tables.answers);
  write_nodes(out, tables);
  out.raw(fmt::format("\n/* {} */\n", tree.is_classifier()
                                          ? "Probabilities, a row per different answer."
                                          : "Numbers, each different answer once."));
  out.cell_table("answers", tables.answer);
  if (tree.is_classifier()) {
    out.raw("/* The class that is decided for, by row of the answers. */\n");
    out.table("classes", std::span<const int32_t>(classes_of(tables, tree, options)));
  }
  if (tables.steps > 0) {
    const bool marked = !tables.marks.empty();
    if (marked) {
      write_marks(out, tables.marks);
      out.code(cell_without_marks);
    }
    out.code(tables.has_sets ? next_with_sets : next_by_cut,
             {{"CELL", marked ? "$cell(row, node->input)" : "row[node->input]"}});
  }
  write_walk_of_one(out, tables);
  out.code(copy, {{"OUTPUTS", outputs}});
  out.code(fill);
  if (tree.is_classifier()) out.code(decide);
  if (tables.steps == 0) {
    out.code(rows_one_by_one, {{"INPUTS", inputs}, {"OUTPUTS", outputs}});
  } else {
    write_side_by_side(out, tables, inputs, outputs);
  }
}

}  // namespace softwood::render
