// Answers for rows of numbers as they lie in memory.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "api/answers.h"
#include "api/border.h"
#include "api/columns.h"
#include "api/held.h"
#include "data/finite.h"

namespace softwood {
namespace {

// Rows of a task: its overhead does not show.
constexpr size_t task_rows = 8192;
// Rows that are looked at for infinite numbers and then answered, while their cells are in the
// second cache; with fewer at a time the memory's look ahead does not get going.
constexpr size_t rows_at_once = 1024;

// The cells of a matrix as T, with all steps in cells.
template <class T>
class Matrix {
 public:
  Matrix(const TreeModel::Held& held, const NumberMatrix& given)
      : features_(held.model.schema.features),
        used_(held.used),
        row_step_(given.row_stride / size),
        column_step_(given.column_stride / size),
        rows_(given.rows),
        width_(given.columns),
        first_(static_cast<const T*>(given.cells)),
        dense_(is_dense()),
        columns_(used_.size()) {
    for (size_t f = 0; f < used_.size(); ++f) {
      if (used_[f]) columns_[f] = first_ + static_cast<ptrdiff_t>(given.inputs[f]) * column_step_;
    }
  }

  size_t rows() const { return rows_; }

  // Calls visit(rows as NumberRows, first, count) for a few rows at a time of [begin, end), none of
  // which has an infinite number.
  template <class Visit>
  void each_part(size_t begin, size_t end, const Visit& visit) const {
    std::vector<const T*> columns(columns_.size());
    for (size_t first = begin; first < end; first += rows_at_once) {
      const size_t count = std::min(rows_at_once, end - first);
      const ptrdiff_t ahead = static_cast<ptrdiff_t>(first) * row_step_;
      for (size_t f = 0; f < columns.size(); ++f) {
        columns[f] = used_[f] ? columns_[f] + ahead : nullptr;
      }
      visit(NumberRows<T>{count, row_step_, columns, any_missing(first, count)}, first, count);
    }
  }

  // The rows as columns of doubles: where they are if these have that form, else copied.
  std::vector<Cells<double>> columns(size_t first, size_t count) const {
    std::vector<Cells<double>> result(columns_.size());
    if constexpr (sizeof(T) == sizeof(double)) {
      if (row_step_ == 1) {
        for (size_t f = 0; f < result.size(); ++f) {
          if (used_[f]) result[f] = {columns_[f] + first, count, nullptr};
        }
        return result;
      }
    }
    for (size_t f = 0; f < result.size(); ++f) {
      if (!used_[f]) continue;
      std::vector<double> numbers(count);
      for (size_t i = 0; i < count; ++i) numbers[i] = cell(f, first + i);
      result[f] = std::move(numbers);
    }
    return result;
  }

 private:
  static constexpr auto size = static_cast<ptrdiff_t>(sizeof(T));

  double cell(size_t f, size_t row) const {
    return static_cast<double>(columns_[f][static_cast<ptrdiff_t>(row) * row_step_]);
  }

  // Row after row, and the model asks about a good part of the columns: reading all cells is faster
  // than stepping over those in between.
  bool is_dense() const {
    constexpr size_t cells_in_a_line = 64 / sizeof(T);
    const auto used = static_cast<size_t>(std::count(used_.begin(), used_.end(), true));
    return column_step_ == 1 && row_step_ == static_cast<ptrdiff_t>(width_) &&
           used * cells_in_a_line >= width_;
  }

  bool any_missing(size_t first, size_t count) const {
    if (dense_ && all_finite(std::span<const T>(first_ + first * width_, count * width_))) {
      return false;
    }
    bool missing = false;
    for (size_t f = 0; f < columns_.size(); ++f) {
      if (!used_[f]) continue;
      if (row_step_ == 1 && all_finite(std::span<const T>(columns_[f] + first, count))) continue;
      for (size_t row = first; row < first + count; ++row) {
        if (std::isinf(cell(f, row))) fail_first_infinite();
        missing = missing || std::isnan(cell(f, row));
      }
    }
    return missing;
  }

  // Column by column, so that the error is the same for every number of threads.
  [[noreturn]] void fail_first_infinite() const {
    for (size_t f = 0; f < columns_.size(); ++f) {
      if (!used_[f]) continue;
      for (size_t row = 0; row < rows_; ++row) {
        if (std::isinf(cell(f, row))) fail_infinite(features_[f].name, row, cell(f, row));
      }
    }
    throw Error(ErrorKind::data, "the numbers change while they are read");
  }

  const std::vector<Feature>& features_;
  const std::vector<bool>& used_;
  ptrdiff_t row_step_, column_step_;
  size_t rows_, width_;
  const T* first_;
  bool dense_;
  std::vector<const T*> columns_;  // by feature, at the first row
};

// Rows of a matrix that was looked through, for trees that need a table.
template <class T>
Table table_of(const TreeModel::Held& held, const Matrix<T>& matrix, size_t first, size_t count) {
  const Schema& schema = held.model.schema;
  Cells<double> unread;
  std::vector<Column> columns;
  for (Cells<double>& numbers : matrix.columns(first, count)) {
    const bool is_used = held.used[columns.size()];
    if (!is_used && unread.empty()) unread = std::vector<double>(count, missing_number);
    columns.push_back({Kind::numeric, is_used ? std::move(numbers) : unread, {}, 0});
  }
  Column no_target;
  no_target.kind = schema.target.kind;
  return Table(schema, count, std::move(columns), std::move(no_target), {});
}

// For all rows: plain(rows as NumberRows, first, count) where the tree takes them as they lie, else
// tabled(table, first, count).
template <class T, class Plain, class Tabled>
void answer(const TreeModel::Held& held, const NumberMatrix& given, int threads, const Plain& plain,
            const Tabled& tabled) {
  const Matrix<T> matrix(held, given);
  const Blocks tasks{matrix.rows(), task_rows};
  threads_for(threads).each(tasks.blocks(), [&](size_t task) {
    const size_t begin = tasks.begin(task), end = tasks.end(task);
    bool takes_all = true;
    matrix.each_part(begin, end, [&](const NumberRows<T>& rows, size_t first, size_t count) {
      takes_all = takes_all && held.predictor.takes(rows);
      if (takes_all) plain(rows, first, count);
    });
    if (!takes_all) tabled(table_of(held, matrix, begin, end - begin), begin, end - begin);
  });
}

template <class Plain, class Tabled>
void answer_matrix(const TreeModel& model, const NumberMatrix& rows, int threads,
                   const Plain& plain, const Tabled& tabled) {
  const TreeModel::Held& held = model.held();
  if (!model.takes_numbers() || rows.inputs.size() != held.used.size()) {
    throw Error(ErrorKind::usage, "the model does not take one column of numbers for each input",
                {}, "make the data with DataSet::from_for");
  }
  for (size_t f = 0; f < held.used.size(); ++f) {
    if (!held.used[f] || rows.inputs[f] < rows.columns) continue;
    throw Error(ErrorKind::usage,
                fmt::format("column {} of a matrix that has {}", rows.inputs[f], rows.columns));
  }
  if (rows.type == ElementType::float64) {
    answer<double>(held, rows, threads, plain, tabled);
  } else if (rows.type == ElementType::float32) {
    answer<float>(held, rows, threads, plain, tabled);
  } else {
    throw Error(ErrorKind::usage, "a matrix of numbers has float64 or float32 cells");
  }
}

}  // namespace

void TreeModel::predict(const NumberMatrix& rows, std::span<double> answers, int threads) const {
  at_border([&] {
    const size_t width = answer_width();
    check_size(answers, rows.rows * width);
    const Predictor& predictor = held_->predictor;
    const auto part = [&](size_t first, size_t count) {
      return answers.subspan(first * width, count * width);
    };
    answer_matrix(
        *this, rows, threads,
        [&](const auto& numbers, size_t first, size_t count) {
          NodeIndex nodes[rows_at_once];
          predictor.nodes(numbers, {nodes, count});
          predictor.answers_of({nodes, count}, part(first, count));
        },
        [&](const Table& table, size_t first, size_t count) {
          predictor.answers(table, all_rows(table), part(first, count), Parallel());
        });
  });
}

void TreeModel::predict_codes(const NumberMatrix& rows, std::span<uint32_t> codes,
                              int threads) const {
  at_border([&] {
    refuse_regression(held_->model);
    check_size(codes, rows.rows);
    const Predictor& predictor = held_->predictor;
    std::vector<uint32_t> by_node;
    if (rows.rows >= nodes()) by_node = predictor.classes_of_all_nodes();
    answer_matrix(
        *this, rows, threads,
        [&](const auto& numbers, size_t first, size_t count) {
          const std::span<uint32_t> out = codes.subspan(first, count);
          predictor.nodes(numbers, out);
          predictor.classes_of(out, by_node, out);
        },
        [&](const Table& table, size_t first, size_t count) {
          predictor.classes(table, all_rows(table), codes.subspan(first, count), Parallel());
        });
  });
}

void TreeModel::leaf_numbers(const NumberMatrix& rows, std::span<uint32_t> nodes,
                             int threads) const {
  at_border([&] {
    check_size(nodes, rows.rows);
    const Predictor& predictor = held_->predictor;
    answer_matrix(
        *this, rows, threads,
        [&](const auto& numbers, size_t first, size_t count) {
          predictor.nodes(numbers, nodes.subspan(first, count));
        },
        [&](const Table& table, size_t first, size_t count) {
          predictor.nodes(table, all_rows(table), nodes.subspan(first, count), Parallel());
        });
  });
}

}  // namespace softwood
