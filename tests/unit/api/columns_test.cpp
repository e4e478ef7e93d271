// Borrowed columns: every element type and layout, what is copied and what is not, errors.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "api/columns.h"
#include "api/held.h"
#include "softwood/softwood.h"

namespace softwood {
namespace {

const double nan = std::numeric_limits<double>::quiet_NaN();
using Texts = std::vector<std::string>;

std::shared_ptr<const Texts> levels(Texts names) {
  return std::make_shared<const Texts>(std::move(names));
}

Column cells_of(const ColumnChunk& chunk) { return frame_column({"c", {chunk}, nullptr}).cells; }

std::string error_of(const ColumnView& view) {
  try {
    frame_column(view);
  } catch (const Error& error) {
    return error.text();
  }
  return "";
}

template <class T>
class EachElement : public ::testing::Test {};
using Elements = ::testing::Types<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t,
                                  uint16_t, uint32_t, uint64_t>;
TYPED_TEST_SUITE(EachElement, Elements);

TYPED_TEST(EachElement, IsReadAsANumber) {
  const std::vector<TypeParam> cells = {3, 1, 100};
  EXPECT_EQ(cells_of(chunk_of(cells)).numbers, (std::vector<double>{3, 1, 100}));
}

TYPED_TEST(EachElement, IsReadWithAStrideAndValidity) {
  const std::vector<TypeParam> cells = {1, 9, 2, 9, 3, 9};
  ColumnChunk chunk = chunk_of(cells);
  chunk.rows = 3;
  chunk.stride = 2 * sizeof(TypeParam);
  const std::array<uint8_t, 3> bytes = {1, 0, 1};
  chunk.valid_bytes = bytes.data();
  const Column column = cells_of(chunk);
  EXPECT_EQ(column.numbers[0], 1);
  EXPECT_TRUE(std::isnan(column.numbers[1]));
  EXPECT_EQ(column.numbers[2], 3);
  EXPECT_EQ(column.missing, 1U);
}

TYPED_TEST(EachElement, IsACodeWhereThereAreLevels) {
  if constexpr (std::is_integral_v<TypeParam>) {
    const std::vector<TypeParam> codes = {1, 0, 1};
    const FrameColumn column = frame_column(
        {"c", {dictionary_chunk(std::span<const TypeParam>(codes), levels({"a", "b"}))}, nullptr});
    EXPECT_EQ(column.cells.codes, (std::vector<int32_t>{1, 0, 1}));
    EXPECT_EQ(column.levels, (Texts{"a", "b"}));
  } else {
    const std::vector<TypeParam> codes = {0};
    const ColumnView view{
        "c", {dictionary_chunk(std::span<const TypeParam>(codes), levels({"a"}))}, nullptr};
    EXPECT_EQ(error_of(view), "column 'c': the codes of levels are whole numbers");
  }
}

TEST(BorrowedColumn, RunsBackwardsWithANegativeStride) {
  const std::vector<double> cells = {1, 2, 3};
  ColumnChunk chunk = chunk_of(cells);
  chunk.values = &cells[2];
  chunk.stride = -static_cast<ptrdiff_t>(sizeof(double));
  EXPECT_EQ(cells_of(chunk).numbers, (std::vector<double>{3, 2, 1}));
}

TEST(BorrowedColumn, HasBitsOfValidityFromAnyBitOn) {
  const std::vector<double> cells = {1, 2, 3, 4};
  ColumnChunk chunk = chunk_of(cells);
  const std::array<uint8_t, 2> bits = {0b11000000, 0b00000001};
  chunk.valid_bits = bits.data();
  chunk.first_valid_bit = 6;
  EXPECT_EQ(cells_of(chunk).missing, 1U);
  EXPECT_TRUE(std::isnan(cells_of(chunk).numbers[3]));
}

TEST(BorrowedColumn, OfBoolsIsNominal) {
  const std::array<uint8_t, 3> bytes = {0, 2, 1};
  ColumnChunk chunk{ElementType::bool_bytes, 3, bytes.data()};
  EXPECT_EQ(cells_of(chunk).codes, (std::vector<int32_t>{0, 1, 1}));
  const uint8_t bits = 0b10100;
  ColumnChunk packed{ElementType::bool_bits, 3, &bits};
  packed.first_bit = 2;
  const FrameColumn column = frame_column({"c", {packed}, nullptr});
  EXPECT_EQ(column.cells.codes, (std::vector<int32_t>{1, 0, 1}));
  EXPECT_EQ(column.levels, (Texts{"false", "true"}));
}

template <class Offset>
ColumnChunk text_chunk(ElementType type, const char* text, const std::vector<Offset>& offsets) {
  ColumnChunk chunk;
  chunk.type = type;
  chunk.rows = offsets.size() - 1;
  chunk.values = offsets.data();
  chunk.text = text;
  return chunk;
}

TEST(BorrowedColumn, OfTextHasItsLevelsAsFirstSeen) {
  const std::vector<int32_t> near = {0, 3, 6, 6, 9};
  const std::vector<int64_t> far = {0, 3, 6, 6, 9};
  const std::vector<std::string_view> views = {"red", "tan", "", "red"};
  for (const ColumnChunk& chunk :
       {text_chunk(ElementType::text32, "redtanred", near),
        text_chunk(ElementType::text64, "redtanred", far), chunk_of(views)}) {
    const FrameColumn column = frame_column({"c", {chunk}, nullptr});
    EXPECT_EQ(column.levels, (Texts{"red", "tan"}));
    EXPECT_EQ(column.cells.codes, (std::vector<int32_t>{0, 1, -1, 0}));
    EXPECT_EQ(column.cells.missing, 1U);
  }
  const std::vector<int32_t> wrong = {0, 3, 1};
  EXPECT_EQ(error_of({"c", {text_chunk(ElementType::text32, "redtan", wrong)}, nullptr}),
            "column 'c', row 2: the offsets of the text do not ascend");
}

TEST(BorrowedColumn, UnifiesTheDictionariesOfItsChunks) {
  const std::vector<int8_t> first = {0, 1, -1};
  const std::vector<int32_t> second = {0, 1};
  const FrameColumn column =
      frame_column({"c",
                    {dictionary_chunk(std::span<const int8_t>(first), levels({"a", "b"})),
                     dictionary_chunk(std::span<const int32_t>(second), levels({"c", "a"}))},
                    nullptr});
  EXPECT_EQ(column.levels, (Texts{"a", "b", "c"}));
  EXPECT_EQ(column.cells.codes, (std::vector<int32_t>{0, 1, -1, 2, 0}));
}

TEST(BorrowedColumn, JoinsChunksOfDifferentTypes) {
  const std::vector<float> first = {0.5F};
  const std::vector<int64_t> second = {7, 8};
  const FrameColumn column = frame_column({"c", {chunk_of(first), chunk_of(second)}, nullptr});
  EXPECT_EQ(column.cells.numbers, (std::vector<double>{0.5, 7, 8}));
}

TEST(BorrowedColumn, SaysWhereWholeNumbersLoseDigits) {
  constexpr int64_t most = int64_t{1} << 53;
  const std::vector<int64_t> held = {most, -most, most + 2, 3 * most, INT64_MIN};
  const std::vector<int64_t> lost = {0, most + 1, -most - 1, INT64_MAX};
  const std::vector<uint64_t> large = {UINT64_MAX};
  const auto note = [](const ColumnChunk& chunk) {
    NoteList notes;
    frame_column({"c", {chunk}, nullptr}, &notes);
    return notes.empty() ? std::string() : notes[0].message;
  };
  EXPECT_EQ(note(chunk_of(held)), "");
  EXPECT_EQ(
      note(chunk_of(lost)),
      "column 'c' has 3 cells with more digits than a number keeps, such as 9007199254740993");
  EXPECT_EQ(
      note(chunk_of(large)),
      "column 'c' has 1 cell with more digits than a number keeps, such as 18446744073709551615");
}

TEST(BorrowedColumn, IsNotCopiedWhereItCanBeReadInPlace) {
  const std::vector<double> numbers = {1, nan};
  EXPECT_EQ(cells_of(chunk_of(numbers)).numbers.data(), numbers.data());
  const uint8_t all = 0xff;
  ColumnChunk valid = chunk_of(numbers);
  valid.valid_bits = &all;
  EXPECT_EQ(cells_of(valid).numbers.data(), numbers.data());
  const std::vector<int32_t> codes = {1, -1, 0};
  const ColumnChunk dictionary =
      dictionary_chunk(std::span<const int32_t>(codes), levels({"a", "b"}));
  EXPECT_EQ(cells_of(dictionary).codes.data(), codes.data());
  const std::vector<int32_t> marks = {1, -7, 0};
  EXPECT_EQ(cells_of(dictionary_chunk(std::span<const int32_t>(marks), levels({"a", "b"}))).codes,
            (std::vector<int32_t>{1, -1, 0}));
}

TEST(BorrowedColumn, StaysWhereItIsInTraining) {
  std::vector<double> x(40);
  std::iota(x.begin(), x.end(), 0.5);
  std::vector<int32_t> y(40);
  for (size_t i = 0; i < y.size(); ++i) y[i] = i < 20 ? 1 : 0;
  DataColumns columns;
  columns.add({"x", {chunk_of(x)}, nullptr});
  columns.target(
      {"y", {dictionary_chunk(std::span<const int32_t>(y), levels({"no", "yes"}))}, nullptr});
  const DataSet data = DataSet::from(columns);
  EXPECT_EQ(data.held().table.input(0).numbers.data(), x.data());
  EXPECT_EQ(data.held().table.target().codes.data(), y.data());
  EXPECT_EQ(data.input_columns()[0].chunks[0].values, x.data());
  EXPECT_EQ(data.classes(), (Texts{"no", "yes"}));
  const TreeModel model = train(data).model;
  const DataSet again = DataSet::from_to_evaluate(model, columns);
  EXPECT_EQ(again.held().table.input(0).numbers.data(), x.data());
  EXPECT_EQ(again.held().table.target().codes.data(), y.data());
  EXPECT_EQ(model.evaluate(again).at("error"), 0);
}

TEST(BorrowedColumn, KeepsItsOwnerAsLongAsTheDataAreUsed) {
  auto owner = std::make_shared<std::vector<double>>(std::vector<double>{1, 2, 3, 4});
  const std::weak_ptr<const void> watched = owner;
  DataColumns columns;
  columns.add({"x", {chunk_of(*owner)}, owner});
  columns.text("y", {"a", "a", "b", "b"});
  owner.reset();
  std::optional<DataSet> data = DataSet::from(columns);
  columns = {};
  EXPECT_FALSE(watched.expired());
  const TreeModel model = train(*data).model;
  data.reset();
  EXPECT_TRUE(watched.expired());  // the model keeps nothing of it
}

TEST(BorrowedColumn, NamesColumnAndRowOfWhatIsWrong) {
  const std::vector<float> infinite = {1, std::numeric_limits<float>::infinity()};
  EXPECT_EQ(error_of({"x", {chunk_of(infinite)}, nullptr}), "column 'x', row 2: inf is infinite");
  const std::vector<double> low = {-std::numeric_limits<double>::infinity()};
  EXPECT_EQ(error_of({"x", {chunk_of(low)}, nullptr}), "column 'x', row 1: -inf is infinite");
  const std::vector<int32_t> codes = {0, 2};
  EXPECT_EQ(
      error_of(
          {"x", {dictionary_chunk(std::span<const int32_t>(codes), levels({"a", "b"}))}, nullptr}),
      "column 'x', row 2: code 2 is outside of the dictionary, which has 2 levels");
  EXPECT_EQ(error_of({"x", {}, nullptr}), "column 'x': the column has no chunk");
  EXPECT_EQ(error_of({"x", {{ElementType::float64, 2}}, nullptr}),
            "column 'x': the chunk has no values");
  const std::vector<std::string_view> texts = {"a"};
  EXPECT_EQ(error_of({"x", {chunk_of(low), chunk_of(texts)}, nullptr}),
            "column 'x': some chunks are numbers and some are not");
  const std::vector<int32_t> offsets = {0, 0, 1};
  EXPECT_EQ(error_of({"x", {text_chunk(ElementType::text32, nullptr, offsets)}, nullptr}),
            "column 'x': the chunk has no text");
  ColumnChunk unknown = chunk_of(low);
  unknown.type = static_cast<ElementType>(99);
  EXPECT_EQ(error_of({"x", {unknown}, nullptr}),
            "column 'x': the element type is none of those known");
}

TEST(BorrowedColumn, OfWeightsNamesTheRowThatHasNone) {
  const std::vector<double> weights = {1, nan, 1};
  DataColumns columns = DataColumns().number("x", {1, 2, 3}).text("y", {"a", "b", "a"});
  columns.weights({"w", {chunk_of(weights)}, nullptr});
  try {
    DataSet::from(columns);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "column 'w', row 2");
  }
}

TEST(BorrowedColumn, OfWeightsStaysWhereItIs) {
  const std::vector<double> weights = {1, 2, 1};
  DataColumns columns = DataColumns().number("x", {1, 2, 3}).text("y", {"a", "b", "a"});
  columns.weights({"w", {chunk_of(weights)}, nullptr});
  EXPECT_EQ(DataSet::from(columns).held().table.weights().data(), weights.data());
}

TEST(DataColumnsTest, HaveOneLengthAndDifferentNames) {
  const DataColumns lengths = DataColumns().number("a", {1, 2}).number("b", {1});
  EXPECT_THROW(DataSet::from(lengths), Error);
  const DataColumns names = DataColumns().number("a", {1, 2}).number("a", {1, 2});
  EXPECT_THROW(DataSet::from(names), Error);
}

// Rows of columns in memory are no lines of a file.
TEST(DataColumnsTest, ErrorsNameTheRow) {
  const DataSet data =
      DataSet::from(DataColumns().number("x", {1, 2, 3, 4}).text("y", {"a", "a", "b", "b"}));
  const TreeModel model = train(data).model;
  try {
    DataSet::from_for(model, DataColumns().text("x", {"1", "2", "three"}));
    FAIL() << "three is no number";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "column 'x', row 3");
  }
}

TEST(DataColumnsTest, HaveTargetAndWeightsAsSeparateArrays) {
  const std::vector<double> x = {1, 1, 1}, weights = {1, 1, 5};
  const std::vector<std::string_view> y = {"a", "a", "b"};
  DataColumns columns;
  columns.target({"y", {chunk_of(y)}, nullptr});
  columns.weights({"w", {chunk_of(weights)}, nullptr});
  columns.add({"x", {chunk_of(x)}, nullptr});
  const DataSet data = DataSet::from(columns);
  EXPECT_EQ(data.inputs(), (Texts{"x"}));
  EXPECT_EQ(data.target(), "y");
  EXPECT_EQ(train(data).model.predict_class(data)[0], "b");
}

TEST(DataSettingsTest, FixTheOrderOfClassesAndLevels) {
  const DataColumns columns =
      DataColumns().text("size", {"small", "large", "small"}).number("y", {1, 0, 1});
  DataSettings settings;
  settings.levels = {{"size", {"large", "medium", "small"}}, {"y", {"0", "1"}}};
  const DataSet data = DataSet::from(columns, settings);
  EXPECT_EQ(data.classes(), (Texts{"0", "1"}));
  EXPECT_EQ(*data.input_columns()[0].chunks[0].levels, (Texts{"large", "medium", "small"}));
  settings.levels = {{"size", {"small"}}};
  EXPECT_THROW(DataSet::from(columns, settings), Error);
  settings.levels = {{"sise", {"small", "large"}}};
  EXPECT_THROW(DataSet::from(columns, settings), Error);
  for (const Texts& wrong : {Texts{"small", "large", "small"}, Texts{"small", "large", ""}}) {
    settings.levels = {{"size", wrong}};
    EXPECT_THROW(DataSet::from(columns, settings), Error);
  }
}

// The order of a dictionary is kept where it is meant; else levels have one that no row decides.
TEST(DataSettingsTest, OrdersOfDictionariesAreKeptWhereTheyAreDeclared) {
  const std::vector<int32_t> codes = {0, 1, 0, 1};
  for (const auto& [ordered, declared] :
       {std::pair{false, false}, std::pair{false, true}, std::pair{true, false}}) {
    ColumnView target{"y",
                      {dictionary_chunk(std::span<const int32_t>(codes), levels({"yes", "no"}))},
                      nullptr,
                      ordered,
                      declared};
    ColumnView input = target;
    input.name = "level";
    input.ordered = false;
    const DataSet data = DataSet::from(DataColumns().add(input).add(target));
    const bool kept = ordered || declared;
    EXPECT_EQ(data.classes(), kept ? (Texts{"yes", "no"}) : (Texts{"no", "yes"}));
    EXPECT_EQ(data.positive(), kept ? "no" : "yes");
    EXPECT_EQ(data.held().table.target().codes[0], kept ? 0 : 1);
    EXPECT_EQ(data.held().table.input(0).codes.data() == codes.data(), declared);
  }
}

TEST(DataSettingsTest, NameMissingCells) {
  const std::vector<double> x = {-999, 2, 3};
  DataColumns columns;
  columns.add({"x", {chunk_of(x)}, nullptr}).text("y", {"a", "b", "?"});
  DataSettings settings;
  settings.missing = {"-999", "?"};
  NoteList notes;
  const DataSet data = DataSet::from(columns, settings, &notes);
  EXPECT_EQ(data.rows(), 2U);
  EXPECT_EQ(notes.size(), 1U);
  EXPECT_EQ(data.held().table.input(0).missing, 1U);
  EXPECT_EQ(x[0], -999);  // borrowed memory is never written to
}

TEST(DataSettingsTest, OrderedDictionariesAreOrdinal) {
  const std::vector<int32_t> codes = {0, 1, 2, 0, 1, 2};
  DataColumns columns;
  columns.add({"size",
               {dictionary_chunk(std::span<const int32_t>(codes), levels({"s", "m", "l"}))},
               nullptr,
               true});
  columns.text("y", {"a", "b", "b", "a", "b", "b"});
  const DataSet data = DataSet::from(columns);
  EXPECT_EQ(data.held().table.input(0).kind, Kind::ordinal);
  EXPECT_EQ(data.held().table.input(0).codes.data(), codes.data());
}

TEST(DataSettingsTest, LevelsThatStandForMissingCellsHaveNoPlaceInTheOrder) {
  const std::vector<int32_t> codes = {0, 1, 3, 0, 2, 3};
  DataColumns columns;
  columns.add({"grade",
               {dictionary_chunk(std::span<const int32_t>(codes), levels({"1", "-", "2", "3"}))},
               nullptr,
               true});
  columns.text("y", {"a", "b", "b", "a", "b", "b"});
  DataSettings settings;
  settings.missing = {"-"};
  const DataSet data = DataSet::from(columns, settings);
  const Table& table = data.held().table;
  EXPECT_EQ(table.schema().features[0], (Feature{"grade", Kind::ordinal, {"1", "2", "3"}}));
  EXPECT_EQ(table.input(0).codes, (std::vector<int32_t>{0, -1, 2, 0, 1, 2}));
}

TEST(DataSettingsTest, AnOrderedTargetHasClassesAllTheSame) {
  const std::vector<int32_t> codes = {0, 1, 1, 0};
  DataColumns columns;
  columns.number("x", {1, 2, 3, 0});
  columns.add({"grade",
               {dictionary_chunk(std::span<const int32_t>(codes), levels({"fail", "pass"}))},
               nullptr,
               true});
  EXPECT_EQ(DataSet::from(columns).classes(), (Texts{"fail", "pass"}));
  // Also where it is the last column because those behind it are left out.
  columns.number("mark", {4, 1, 1, 5});
  DataSettings settings;
  settings.ignore = {"mark"};
  EXPECT_EQ(DataSet::from(columns, settings).classes(), (Texts{"fail", "pass"}));
}

}  // namespace
}  // namespace softwood
