// Arbitrary bytes as a file of folds; the first byte chooses how many rows the data have. What is
// read divides the rows: no row is in both parts of a run.
#include <cstddef>
#include <cstdint>
#include <set>

#include "data/folds.h"
#include "table_checks.h"

namespace {

using namespace softwood;

Table table_of(size_t rows) {
  Schema schema;
  schema.features = {{"x", Kind::numeric, {}}};
  schema.target = {"y", Kind::numeric, {}};
  ColumnDraft x, y;
  for (size_t i = 0; i < rows; ++i) {
    x.numbers.push_back(static_cast<double>(i));
    y.numbers.push_back(static_cast<double>(i % 3));
  }
  std::vector<Column> inputs;
  inputs.emplace_back(std::move(x));
  return {schema, rows, std::move(inputs), std::move(y), {}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const size_t rows = 2 + data[0] % 20;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Parallel alone(1);
  ReadOptions options;
  options.unpack_limit = 1 << 20;
  try {
    const Frame frame = read_frame_bytes(bytes, Format::csv, "folds", options, {alone});
    const FoldRuns runs = runs_from_file(frame, table_of(rows), {}, rows);
    fuzz::require(!runs.runs.empty() && runs.folds > 0, "there are runs");
    for (const Run& run : runs.runs) {
      fuzz::require(!run.train.empty() && !run.test.empty(), "each run has rows of both kinds");
      std::set<RowIndex> train(run.train.begin(), run.train.end());
      for (const RowIndex row : run.train) fuzz::require(row < rows, "rows of the data");
      for (const RowIndex row : run.test) {
        fuzz::require(row < rows && train.count(row) == 0, "no row is in both parts");
      }
    }
  } catch (const Error& error) {
    fuzz::require(error.kind() == ErrorKind::data, "errors are about the file");
  }
  return 0;
}
