// Any bytes as a model file: an Error or a model. A model that loads must save to bytes that load
// and save to the same ones, can be shown, exported and explained, or is refused by name, and
// answers for any rows that fit its schema.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "explain/change.h"
#include "explain/shapley.h"
#include "render/export/exporter.h"
#include "render/renderer.h"
#include "softwood/error.h"
#include "study/lowered.h"
#include "tree/model.h"
#include "use/predict.h"

namespace {

using namespace softwood;

Table small_table(const Schema& schema) {
  constexpr size_t rows = 9;
  std::vector<Column> inputs;
  for (const Feature& feature : schema.features) {
    ColumnDraft column(feature.kind);
    for (size_t i = 0; i < rows; ++i) {
      if (feature.kind == Kind::numeric) {
        column.numbers.push_back(i % 4 == 3 ? missing_number : static_cast<double>(i) * 0.7 - 2);
      } else {
        column.codes.push_back(i % 4 == 3 || feature.levels.empty()
                                   ? missing_code
                                   : static_cast<int32_t>(i % feature.levels.size()));
      }
    }
    inputs.push_back(std::move(column));
  }
  return {schema, rows, std::move(inputs), Column{schema.target.kind, {}, {}, 0}, {}};
}

// Each ends in text or in an Error.
void use(const LoweredTree& lowered, const Model& model, const Table& table) {
  for (const render::Exporter& exporter : render::exporters()) {
    try {
      if (render::export_tree(lowered, exporter, {}).empty()) std::abort();
    } catch (const Error&) {
      continue;
    }
  }
  // Explaining takes time in the number of inputs and leaves.
  constexpr size_t most_nodes = 200, most_inputs = 8;
  if (lowered.nodes.size() > most_nodes || lowered.inputs.size() > most_inputs) return;
  const Predictor predictor(model.tree);
  const std::vector<RowIndex> rows = all_rows(table);
  const Parallel parallel(1);
  ExplainSettings settings;
  settings.background_rows = 3;
  try {
    explain_rows({lowered, predictor}, table, rows, &table, settings, parallel);
    nearest_changes({lowered, predictor}, table, rows, table, {}, parallel);
  } catch (const Error&) {
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  try {
    const Model model = model_from_text(text, "fuzz");
    const std::string saved = model_to_text(model);
    if (model_to_text(model_from_text(saved, "saved")) != saved) std::abort();
    const Table table = small_table(model.schema);
    const std::vector<RowIndex> rows = all_rows(table);
    const Parallel parallel(1);
    const Predictions predictions = predict(model.tree, table, rows, parallel);
    if (predictions.answers.size() != rows.size() * model.tree.answer_width()) std::abort();
    if (predict_nodes(model.tree, table, rows, parallel).size() != rows.size()) std::abort();
    const LoweredTree lowered = lowered_with_recipe(model);
    for (const render::Renderer& renderer : render::renderers()) {
      if (renderer.render(lowered, {}).empty() || renderer.render(lowered, {20}).empty()) {
        std::abort();
      }
    }
    use(lowered, model, table);
  } catch (const Error&) {
    // What a file may end in.
  }
  return 0;
}

#ifdef SOFTWOOD_FUZZ
#include "model_mutator.h"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return softwood::fuzz::mutated_model(data, size, most, seed);
}
#endif
