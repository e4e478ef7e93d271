#include "engine/worker.h"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>

#include "softwood/error.h"
#include "support/mixed_table.h"

namespace softwood {
namespace {

Table part_of(const Table& table, size_t begin, size_t end) {
  std::vector<RowIndex> rows(end - begin);
  std::iota(rows.begin(), rows.end(), static_cast<RowIndex>(begin));
  return test::part_of(table, rows);
}

RowCoding coding_of(const Table& table) {
  RowCoding coding;
  coding.bins = make_bins(table, all_rows(table), 16, Parallel(1));
  coding.classes = table.schema().classes();
  if (table.weighted()) coding.weight_unit = 0.25;
  coding.amount_unit = 0x1p-30;
  return RowCoding::from_bytes(coding.to_bytes());
}

// Workers that see their own rows alone find the units of the whole table.
TEST(RowCoding, HasUnitsOfSummariesThatAreThoseOfTheWholeTable) {
  for (const size_t classes : {3, 0}) {
    for (const bool weights : {false, true}) {
      const Table table = test::mixed_table(classes, 4, weights);
      RowCoding coding;
      coding.classes = classes;
      coding.centre = classes > 0 ? 0 : 0.25;
      TableSummary all;
      AmountSummary amounts;
      std::vector<double> row_weights, row_amounts;
      constexpr size_t parts = 3;
      for (size_t i = 0; i < parts; ++i) {
        const Table part = part_of(table, table.rows() * i / parts, table.rows() * (i + 1) / parts);
        const std::vector<RowIndex> rows = all_rows(part);
        TableSummary own = summarise(part, rows, Parallel(1));
        if (i == 0) {
          all = std::move(own);
        } else {
          all.merge(own);
        }
        for (const RowIndex row : rows) row_weights.push_back(part.weight(row));
        if (classes > 0) continue;
        ByteWriter bytes;
        summarise_amounts(part, rows, coding.centre).write(bytes);
        const Bytes sent = bytes.take();
        ByteReader received(sent);
        amounts.merge(AmountSummary::read(received));
        for (const RowIndex row : rows) {
          row_amounts.push_back((part.target().numbers[row] - coding.centre) * part.weight(row));
        }
      }
      coding.set_units(all, amounts);
      std::vector<int64_t> fixed;
      EXPECT_EQ(coding.weight_unit, to_fixed_point(row_weights, fixed));
      if (classes > 0) continue;
      EXPECT_EQ(coding.amount_unit, to_fixed_point(row_amounts, fixed));
    }
  }
}

// The root by its first input: the lower half of the codes and the rest, missing included.
HistogramQuery one_split(const RowCoding& coding) {
  HistogramQuery query;
  for (uint32_t code = 0; code <= coding.bins[0].bins; ++code) {
    query.child_of_code.push_back(code < coding.bins[0].bins / 2 ? 0 : 1);
  }
  query.splits = {{0, 0, 1, 2, 0}};
  query.nodes = {2, 1};
  return query;
}

TEST(Worker, AnswersOfAnyPartsMergeToThoseOfTheWhole) {
  for (const size_t classes : {3, 0}) {
    for (const bool weights : {false, true}) {
      const Table table = test::mixed_table(classes, 4, weights);
      const RowCoding coding = coding_of(table);
      const HistogramQuery root{{}, {}, {0}};
      const auto ask = [&](Worker& worker, const HistogramQuery& query) {
        return answer_from<Histograms>(worker.answer(request_for<Histograms>(query)));
      };
      Worker whole(table, coding);
      Histograms all = ask(whole, root);
      Histograms after = ask(whole, one_split(coding));
      for (const size_t parts : {2, 7}) {
        std::vector<std::unique_ptr<Worker>> workers;
        for (size_t i = 0; i < parts; ++i) {
          workers.push_back(std::make_unique<Worker>(
              part_of(table, table.rows() * i / parts, table.rows() * (i + 1) / parts), coding));
        }
        for (const auto& [query, expected] :
             {std::pair(root, all.sums()), std::pair(one_split(coding), after.sums())}) {
          Histograms merged = ask(*workers[0], query);
          for (size_t i = parts; i-- > 1;) merged.merge(ask(*workers[i], query));
          EXPECT_EQ(merged.sums(), expected) << parts;
        }
      }
    }
  }
}

TEST(Worker, RefusesACodingOfAnotherTable) {
  const Table table = test::mixed_table(3, 4, false);
  const RowCoding good = coding_of(table);
  const auto expect_refused = [&](const auto& change) {
    RowCoding coding = good;
    change(coding);
    EXPECT_THROW(Worker(table, coding), Error);
  };
  expect_refused([](RowCoding& coding) { coding.bins.pop_back(); });
  expect_refused([](RowCoding& coding) { coding.classes = 2; });
  expect_refused([](RowCoding& coding) { coding.classes = 0; });
  for (size_t f = 0; f < good.bins.size(); ++f) {
    expect_refused([&](RowCoding& coding) { --coding.bins[f].bins; });
  }
}

TEST(Worker, AnswersOfOtherCodingsDoNotMerge) {
  const Table table = test::mixed_table(3, 4, false), numbers = test::mixed_table(0, 4, false);
  Worker one(table, coding_of(table)), other(numbers, coding_of(numbers));
  const Bytes request = request_for<Histograms>({{}, {}, {0}});
  Histograms sums = answer_from<Histograms>(one.answer(request));
  EXPECT_THROW(sums.merge(answer_from<Histograms>(other.answer(request))), Error);
}

// A worker that comes later is told all splits so far.
TEST(Worker, CatchesUpWithSplitsThatItWasNotToldBefore) {
  const Table table = test::mixed_table(3, 4, false);
  const RowCoding coding = coding_of(table);
  HistogramQuery both = one_split(coding);
  const auto begin = static_cast<uint32_t>(both.child_of_code.size());
  for (uint32_t code = 0; code <= coding.bins[1].bins; ++code) {
    both.child_of_code.push_back(code % 2);
  }
  both.splits.push_back({1, 1, 3, 2, begin});
  both.nodes = {3, 4};
  HistogramQuery second{{both.splits[1]}, both.child_of_code, both.nodes};
  Worker old(table, coding), late(table, coding);
  old.answer(request_for<Histograms>(one_split(coding)));
  EXPECT_EQ(late.answer(request_for<Histograms>(both)),
            old.answer(request_for<Histograms>(second)));
}

TEST(Worker, RefusesRequestsThatAreOfAnotherVersionOrCutShort) {
  const Table table = test::mixed_table(3, 4, false);
  const RowCoding coding = coding_of(table);
  const Bytes request = request_for<Histograms>(one_split(coding));
  for (size_t size = 0; size < request.size(); ++size) {
    Worker worker(table, coding);
    EXPECT_THROW(
        worker.answer({request.begin(), request.begin() + static_cast<std::ptrdiff_t>(size)}),
        Error)
        << size;
  }
  Worker worker(table, coding);
  for (const size_t changed : {0, 4, 8}) {  // what it is, its version, the statistic
    Bytes other = request;
    other[changed] = std::byte{99};
    EXPECT_THROW(worker.answer(other), Error) << changed;
    Bytes answered = worker.answer(request_for<Histograms>({{}, {}, {0}}));
    answered[changed] = std::byte{99};
    EXPECT_THROW(answer_from<Histograms>(answered), Error) << changed;
  }
  const Bytes bytes = coding.to_bytes();
  EXPECT_THROW(RowCoding::from_bytes({bytes.begin(), bytes.end() - 1}), Error);
  EXPECT_THROW(RowCoding::from_bytes(request), Error);
}

TEST(Worker, RefusesSplitsThatDoNotFitItsRows) {
  const Table table = test::mixed_table(3, 4, false);
  const RowCoding coding = coding_of(table);
  const HistogramQuery good = one_split(coding);
  std::vector<HistogramQuery> bad(5, good);
  bad[0].splits[0].node = 5;
  bad[1].splits[0].feature = 100;
  bad[2].splits[0].codes_begin = 3;
  bad[3].child_of_code[0] = 2;
  bad[4].nodes = {3};
  for (const HistogramQuery& query : bad) {
    Worker worker(table, coding);
    EXPECT_THROW(worker.answer(request_for<Histograms>(query)), Error);
  }
  Worker worker(table, coding);
  EXPECT_THROW(worker.answer(request_for<Deviations>({{0, 5}, {0, 1}, {0, 0}, 1})), Error);
}

}  // namespace
}  // namespace softwood
