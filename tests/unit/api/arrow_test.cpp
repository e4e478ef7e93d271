// Arrow streams by the structs of its C interface, as Python hands them over.
#include "../../../python/binding/arrow.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "softwood/softwood.h"

namespace softwood {
namespace {

void release_array(ArrowArray* array) { array->release = nullptr; }
void release_schema(ArrowSchema* schema) { schema->release = nullptr; }

ArrowSchema schema_of(const char* format) {
  ArrowSchema schema = {};
  schema.format = format;
  schema.name = "x";
  schema.release = &release_schema;
  return schema;
}

ArrowArray array_of(int64_t length, std::vector<const void*>& buffers) {
  ArrowArray array = {};
  array.length = length;
  array.n_buffers = static_cast<int64_t>(buffers.size());
  array.buffers = buffers.data();
  array.release = &release_array;
  return array;
}

// A stream of one column; the memory is the test's.
struct Given {
  ArrowSchema schema;
  std::vector<ArrowArray> batches;
  size_t next = 0;
};

DataColumns columns_of(Given given) {
  ArrowArrayStream stream = {};
  stream.private_data = &given;
  stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
    *out = static_cast<Given*>(self->private_data)->schema;
    return 0;
  };
  stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
    auto& state = *static_cast<Given*>(self->private_data);
    *out = state.next < state.batches.size() ? state.batches[state.next++] : ArrowArray{};
    return 0;
  };
  DataColumns columns;
  python::add_arrow_stream(columns, stream, "x", false, [] {});
  return columns;
}

std::string refusal(const Given& given) {
  try {
    columns_of(given);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    return error.what();
  }
  return "none";
}

TEST(Arrow, NullCellsWithoutTheBuffersThatAreCounted) {
  std::vector<const void*> none;
  ArrowArray nulls = array_of(3, none);
  nulls.n_buffers = 1;
  nulls.buffers = nullptr;
  nulls.null_count = -1;
  EXPECT_NE(refusal({schema_of("n"), {nulls}}).find("without memory"), std::string::npos);

  ArrowSchema levels = schema_of("n"), schema = schema_of("i");
  schema.dictionary = &levels;
  const std::array<int32_t, 3> codes = {0, 1, 2};
  std::vector<const void*> buffers = {nullptr, codes.data()};
  ArrowArray array = array_of(3, buffers);
  array.dictionary = &nulls;
  EXPECT_NE(refusal({schema, {array}}).find("without memory"), std::string::npos);
}

TEST(Arrow, NullCellsNeedNoBuffers) {
  std::vector<const void*> none;
  const DataColumns columns = columns_of({schema_of("n"), {array_of(3, none)}});
  EXPECT_EQ(columns.columns()[0].chunks[0].rows, 3U);
}

// Before memory is taken for them.
TEST(Arrow, MoreNullCellsThanRowsCanBeHandled) {
  std::vector<const void*> none;
  const ArrowArray half = array_of(int64_t{1} << 30, none);
  const ArrowArray many = array_of(int64_t{1} << 60, none);
  EXPECT_NE(refusal({schema_of("n"), {many}}).find("at most 2147483647"), std::string::npos);
  EXPECT_NE(refusal({schema_of("n"), {half, half}}).find("at most 2147483647"), std::string::npos);
}

TEST(Arrow, BatchesShareTheirDictionary) {
  const std::array<int32_t, 3> offsets = {0, 1, 2};
  const std::array<int32_t, 3> codes = {0, 1, 0};
  std::vector<const void*> texts = {nullptr, offsets.data(), "ab"};
  std::vector<const void*> same_texts = texts, other_texts = {nullptr, offsets.data(), "ca"};
  ArrowArray one = array_of(2, texts), same = array_of(2, same_texts);
  ArrowArray other = array_of(2, other_texts);
  ArrowSchema levels = schema_of("u"), schema = schema_of("i");
  schema.dictionary = &levels;
  std::vector<const void*> buffers = {nullptr, codes.data()};
  std::vector<ArrowArray> batches(3, array_of(3, buffers));
  batches[0].dictionary = &one;
  batches[1].dictionary = &same;
  batches[2].dictionary = &other;
  const DataColumns columns = columns_of({schema, batches});
  const std::vector<ColumnChunk>& chunks = columns.columns()[0].chunks;
  EXPECT_EQ(chunks[0].levels, chunks[1].levels);
  EXPECT_EQ(*chunks[1].levels, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(*chunks[2].levels, (std::vector<std::string>{"c", "a"}));
  EXPECT_EQ(DataSet::from(columns).rows(), 9U);
}

// For the sanitizers: no number is read where it does not begin.
TEST(Arrow, MemoryNeedNotBeAligned) {
  const std::array<int64_t, 3> values = {7, 8, 9};
  std::vector<char> bytes(sizeof values + 1);
  std::memcpy(bytes.data() + 1, values.data(), sizeof values);
  std::vector<const void*> numbers = {nullptr, bytes.data() + 1};
  ArrowArray dictionary = array_of(3, numbers);
  ArrowSchema levels = schema_of("l"), schema = schema_of("c");
  schema.dictionary = &levels;
  const std::array<int8_t, 3> codes = {2, 1, 0};
  std::vector<const void*> buffers = {nullptr, codes.data()};
  ArrowArray array = array_of(3, buffers);
  array.dictionary = &dictionary;
  const DataColumns columns = columns_of({schema, {array}});
  EXPECT_EQ(*columns.columns()[0].chunks[0].levels, (std::vector<std::string>{"7", "8", "9"}));

  const std::array<int32_t, 3> offsets = {0, 1, 2};
  std::memcpy(bytes.data() + 1, offsets.data(), sizeof offsets);
  std::vector<const void*> texts = {nullptr, bytes.data() + 1, "ab"};
  EXPECT_EQ(DataSet::from(columns_of({schema_of("u"), {array_of(2, texts)}})).rows(), 2U);
}

}  // namespace
}  // namespace softwood
