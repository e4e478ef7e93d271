// Random models of the conformance tests as files, for exports: random_models FOLDER COUNT writes
// 0.json, 1.json, ... and rows for each, 0.csv and so on. With a third argument trees are hard ones
// of thresholds and levels with about that many leaves.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "render/export/exporter.h"
#include "render/export/self_test.h"
#include "softwood/error.h"
#include "study/lowered.h"
#include "support/sample_models.h"
#include "tree/model.h"

namespace softwood::testing {
namespace {

constexpr size_t rows_of_a_model = 60;

// `leaves` is 0 for a small tree.
Model random_model(uint64_t seed, size_t leaves) {
  Random random(seed, "export");
  const Task task = random.below(2) == 0 ? Task::classification : Task::regression;
  const Schema schema = mixed_schema(task);
  RandomTreeOptions options;
  options.splits = 1 + random.below(25);
  options.hard = random.below(3) == 0;
  if (leaves > 0) {
    options.hard = options.thresholds_and_levels = true;
    options.splits = leaves;  // half of them fall on a leaf, and add one to three
  }
  Model model{schema, random_tree(schema, options, random), {}, {}};
  model.provenance = {"", "grow", seed, "0", "0123456789abcdef", 100};
  return model;
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw Error(ErrorKind::failure, "can't be written", path);
}

}  // namespace
}  // namespace softwood::testing

int main(int count, char** words) {
  using namespace softwood;
  if (count < 3) return 2;
  const std::string folder = words[1];
  const long models = std::strtol(words[2], nullptr, 10);
  const long leaves = count > 3 ? std::strtol(words[3], nullptr, 10) : 0;
  for (long m = 0; m < models; ++m) {
    const Model model =
        testing::random_model(static_cast<uint64_t>(m), static_cast<size_t>(leaves));
    testing::write(fmt::format("{}/{}.json", folder, m), model_to_text(model));
    testing::write(fmt::format("{}/{}.csv", folder, m),
                   render::self_test_rows(render::exported_tree(lowered_with_recipe(model)),
                                          render::Exactness::bits, testing::rows_of_a_model));
  }
  return 0;
}
