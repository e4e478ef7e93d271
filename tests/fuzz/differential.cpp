// A random model and random rows, drawn from the bytes: the compiled descent and the lowered form
// give the same answers and ends, what is saved loads to the same, and every export can be written.
// scripts/fuzz-exports compares what exports answer.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "base/random.h"
#include "render/export/exporter.h"
#include "study/lowered.h"
#include "support/interpreter.h"
#include "support/sample_models.h"
#include "table_checks.h"
#include "use/predict.h"

namespace {

using namespace softwood;
using fuzz::require;

std::vector<double> cells_of(const Table& table, RowIndex row) {
  std::vector<double> cells;
  for (uint32_t f = 0; f < table.features(); ++f) {
    const Column& column = table.input(f);
    const bool missing = column.is_missing(row);
    cells.push_back(missing                        ? std::nan("")
                    : column.kind == Kind::numeric ? column.numbers[row]
                                                   : static_cast<double>(column.codes[row]));
  }
  return cells;
}

void check_answers(const Model& model, const LoweredTree& lowered, const Table& table) {
  const std::vector<RowIndex> rows = all_rows(table);
  const Parallel alone(1);
  const Predictions predictions = predict(model.tree, table, rows, alone);
  const std::vector<NodeIndex> nodes = predict_nodes(model.tree, table, rows, alone);
  for (const RowIndex row : rows) {
    const test::Interpreter expected(lowered, cells_of(table, row));
    const std::vector<double> answer = expected.answer();
    for (size_t k = 0; k < answer.size(); ++k) {
      const double found = predictions.answers[row * predictions.width + k];
      require(std::fabs(found - answer[k]) <= 1e-12 * (1 + std::fabs(answer[k])),
              "the same answers");
    }
    require(expected.ends().count(nodes[row]) == 1, "a row ends where it may");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  // The last bytes are the seed: trees differ in shape first, and then in numbers.
  Random random(
      size > 12 ? std::hash<std::string_view>()({reinterpret_cast<const char*>(data) + 4, size - 4})
                : data[3],
      "fuzz");
  const Task task = (data[0] & 1U) == 0 ? Task::classification : Task::regression;
  testing::RandomTreeOptions options;
  options.splits = 1 + data[1] % 40;
  options.hard = (data[0] & 2U) != 0;
  options.only_thresholds = (data[0] & 12U) == 4;
  options.only_levels = (data[0] & 12U) == 8;
  options.thresholds_and_levels = (data[0] & 12U) == 12;
  const Schema schema = testing::mixed_schema(task);
  Model model{schema, testing::random_tree(schema, options, random), {}, {}};
  model.provenance = {"", "grow", 1, "0", "0123456789abcdef", 100};
  const std::string text = model_to_text(model);
  require(model_to_text(model_from_text(text, "saved")) == text, "what is saved loads");
  const LoweredTree lowered = lowered_with_recipe(model);
  check_answers(model, lowered, testing::random_table(schema, 1 + data[2] % 64, random));
  const LoweredTree exported = render::exported_tree(lowered);
  for (const render::Exporter& exporter : render::exporters()) {
    try {
      require(!render::export_tree(exported, exporter, {}).empty(), "exports have text");
    } catch (const Error&) {
      // A tree that the format cannot express.
    }
  }
  return 0;
}
