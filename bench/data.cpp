#include "data.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

#include "base/random.h"
#include "cli/iris.h"

namespace softwood::bench {
namespace {

Schema schema_of(size_t columns, size_t classes) {
  Schema schema;
  for (size_t j = 0; j < columns; ++j)
    schema.features.push_back({fmt::format("x{}", j), Kind::numeric, {}});
  schema.target.name = classes > 0 ? "class" : "target";
  if (classes > 0) schema.target.kind = Kind::nominal;
  for (size_t k = 0; k < classes; ++k) schema.target.levels.push_back(std::to_string(k));
  return schema;
}

Column classes_column(const Cells<double>& values) {
  ColumnDraft column(Kind::nominal);
  column.codes.reserve(values.size());
  for (const double value : values) column.codes.push_back(static_cast<int32_t>(value));
  return column;
}

}  // namespace

Table read_table(const std::string& path, size_t rows, size_t classes) {
  constexpr size_t columns = 20;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (file == nullptr) throw std::runtime_error(path + " can't be opened");
  const auto next = [&]() -> Column {
    ColumnDraft column;
    column.numbers.resize(rows);
    if (std::fread(column.numbers.data(), sizeof(double), rows, file.get()) != rows) {
      throw std::runtime_error(path + " is too short");
    }
    return column;
  };
  std::vector<Column> inputs;
  for (size_t j = 0; j < columns; ++j) inputs.push_back(next());
  Column target = next();
  if (std::fgetc(file.get()) != EOF) throw std::runtime_error(path + " has other rows");
  if (classes > 0) target = classes_column(target.numbers);
  return Table(schema_of(columns, classes), rows, std::move(inputs), std::move(target), {});
}

Table generated_table(size_t rows, size_t columns, size_t classes, const Parallel& parallel) {
  if (columns < 4 || classes < 1) throw std::runtime_error("at least 4 columns and 1 class");
  std::vector<ColumnDraft> inputs(columns);
  parallel.each(columns, [&](size_t j) {
    Random random(1, "bench input", j);
    inputs[j].numbers.resize(rows);
    for (double& value : inputs[j].numbers) value = random.uniform();
  });
  Random random(1, "bench target");
  ColumnDraft target(Kind::nominal);
  target.codes.resize(rows);
  for (size_t i = 0; i < rows; ++i) {
    const auto x = [&](size_t j) { return inputs[j].numbers[i]; };
    const double score = 0.5 * x(0) + 0.3 * x(1) * x(2) + 0.2 * std::abs(2 * x(3) - 1);
    const bool noisy = random.uniform() < 0.1;
    const double place = noisy ? random.uniform() : score;
    target.codes[i] = static_cast<int32_t>(place * static_cast<double>(classes));
  }
  return Table(schema_of(columns, classes), rows, finished(std::move(inputs)), std::move(target),
               {});
}

Table iris_table() {
  constexpr size_t columns = 4, classes = 3;
  std::vector<ColumnDraft> inputs(columns);
  ColumnDraft target(Kind::nominal);
  for (size_t i = 0; i < iris_flowers.size(); ++i) {
    for (size_t j = 0; j < columns; ++j) inputs[j].numbers.push_back(iris_flowers[i][j] / 10.0);
    target.codes.push_back(static_cast<int32_t>(i / 50));
  }
  return Table(schema_of(columns, classes), iris_flowers.size(), finished(std::move(inputs)),
               std::move(target), {});
}

}  // namespace softwood::bench
