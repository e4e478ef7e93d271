// Arrow streams made from the bytes: tables of every type, and streams that contradict themselves
// in ways that can be seen. Columns come out of them or an Error does; each array is released once.
#include "../../python/binding/arrow.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "table_checks.h"

namespace {

using softwood::fuzz::require;

constexpr size_t most_rows = 64;
constexpr int64_t text_bytes = 256;

// Numbers of the bytes, one after the other; zeros when they are used up.
class Script {
 public:
  Script(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  uint8_t byte() { return at_ < size_ ? data_[at_++] : 0; }
  bool one_in_16() { return byte() % 16 == 15; }
  bool at_end() const { return at_ >= size_; }

 private:
  const uint8_t* data_;
  size_t size_, at_ = 0;
};

int living = 0;  // arrays and schemas that are not released

struct Memory {
  std::vector<std::vector<uint64_t>> blocks;
  std::vector<const void*> buffers;
  std::vector<ArrowArray*> arrays;
  std::vector<ArrowSchema*> schemas;
  std::vector<std::unique_ptr<ArrowArray>> array_children;
  std::vector<std::unique_ptr<ArrowSchema>> schema_children;
  std::string format, name;
};

template <class T>
void release(T* what) {
  require(what->release != nullptr, "released once");
  --living;
  delete static_cast<Memory*>(what->private_data);
  what->release = nullptr;
}

constexpr std::array formats = {"g", "f", "c", "C", "s",     "S",          "i",  "I", "l",   "L",
                                "b", "u", "U", "n", "d:9,2", "d:20,3,256", "vu", "e", "tdD", "+l"};

// Fills a schema; the memory of its parts belongs to `memory` of the outermost one.
void describe(ArrowSchema& schema, Memory& memory, Script& script, bool in_dictionary) {
  static const std::array<const char*, 4> names = {"a", "b", "target", ""};
  schema.format = formats[script.byte() % formats.size()];
  schema.name = names[script.byte() % names.size()];
  schema.flags = script.byte() % 4;
  if (script.one_in_16()) schema.name = nullptr;
  if (script.one_in_16()) schema.format = nullptr;
  if (in_dictionary || script.byte() % 4 != 0) return;
  auto& levels = memory.schema_children.emplace_back(std::make_unique<ArrowSchema>());
  describe(*levels, memory, script, true);
  schema.dictionary = levels.get();
}

const void* block(Memory& memory, Script& script, bool offsets, bool wide) {
  std::vector<uint64_t>& words = memory.blocks.emplace_back(4 * (most_rows * 2 + 4));
  auto* const bytes = reinterpret_cast<uint8_t*>(words.data());
  int64_t at = 0;
  for (size_t i = 0; i < words.size() / 4; ++i) {
    if (!offsets) {
      for (size_t k = 0; k < 32; ++k)
        bytes[i * 32 + k] = script.at_end() ? uint8_t(i) : script.byte();
    } else {
      at = std::min<int64_t>(at + script.byte() % 8, text_bytes);
      if (script.one_in_16()) at -= script.byte();
      if (wide) {
        reinterpret_cast<int64_t*>(bytes)[i] = at;
      } else {
        reinterpret_cast<int32_t*>(bytes)[i] = static_cast<int32_t>(at);
      }
    }
  }
  return bytes;
}

// Memory of some array enough for most_rows cells from any offset below most_rows.
void fill(ArrowArray& array, const ArrowSchema& schema, Memory& memory, Script& script,
          int64_t rows) {
  array.length = rows;
  array.offset = script.byte() % 4 == 0 ? script.byte() % 8 : 0;
  if (script.one_in_16()) array.length = script.byte() % 2 == 0 ? -1 : rows / 2;
  if (script.one_in_16()) array.offset = -1;
  array.null_count = script.byte() % 3 - 1;
  const std::string_view format = schema.format != nullptr ? schema.format : "";
  const size_t first = memory.buffers.size();
  memory.buffers.push_back(script.byte() % 2 == 0 ? nullptr : block(memory, script, false, false));
  memory.buffers.push_back(block(memory, script, format == "u" || format == "U", format == "U"));
  memory.buffers.push_back(block(memory, script, false, false));
  memory.buffers.push_back(nullptr);
  array.n_buffers = format == "n" ? 0 : format == "u" || format == "U" ? 3 : format == "vu" ? 4 : 2;
  if (format == "vu") {
    auto& sizes = memory.blocks.emplace_back(1);
    sizes[0] = static_cast<uint64_t>(text_bytes);
    memory.buffers[first + 3] = sizes.data();
  }
  if (script.one_in_16()) array.n_buffers = script.byte() % 3;
  if (script.one_in_16()) memory.buffers[first + 1] = nullptr;
  array.buffers = memory.buffers.data() + first;
  if (script.one_in_16()) array.buffers = nullptr;
  if (schema.dictionary == nullptr || script.one_in_16()) return;
  auto& levels = memory.array_children.emplace_back(std::make_unique<ArrowArray>());
  fill(*levels, *schema.dictionary, memory, script, script.byte() % 16);
  array.dictionary = levels.get();
}

struct Stream {
  Script script;
  std::vector<ArrowSchema> columns;  // as they were described
  size_t batches = 0;
};

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  auto& state = *static_cast<Stream*>(stream->private_data);
  auto* const memory = new Memory;
  *out = {};
  out->private_data = memory;
  out->release = &release<ArrowSchema>;
  ++living;
  const size_t columns = state.script.byte() % 5;
  for (size_t c = 0; c < columns; ++c) {
    auto& child = memory->schema_children.emplace_back(std::make_unique<ArrowSchema>());
    ArrowSchema& described = *child;
    describe(described, *memory, state.script, false);
    memory->schemas.push_back(&described);
    state.columns.push_back(described);
  }
  out->format = state.script.one_in_16() ? nullptr : "+s";
  out->n_children = static_cast<int64_t>(columns);
  out->children = memory->schemas.data();
  if (state.script.one_in_16()) out->children = nullptr;
  return state.script.one_in_16() ? 5 : 0;
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  auto& state = *static_cast<Stream*>(stream->private_data);
  *out = {};
  if (state.batches == 0) return 0;
  --state.batches;
  auto* const memory = new Memory;
  memory->buffers.reserve(256);  // their places are pointed to
  out->private_data = memory;
  out->release = &release<ArrowArray>;
  ++living;
  const int64_t rows = state.script.byte() % most_rows;
  for (const ArrowSchema& column : state.columns) {
    auto& child = memory->array_children.emplace_back(std::make_unique<ArrowArray>());
    ArrowArray& filled = *child;
    fill(filled, column, *memory, state.script, rows);
    memory->arrays.push_back(state.script.one_in_16() ? nullptr : &filled);
  }
  out->length = rows;
  out->n_children =
      static_cast<int64_t>(memory->arrays.size()) - (state.script.one_in_16() ? 1 : 0);
  out->children = memory->arrays.data();
  return 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  Stream state{Script(data + 1, size - 1), {}, size_t{1} + data[0] % 3};
  ArrowArrayStream stream{&get_schema, &get_next,
                          [](ArrowArrayStream*) -> const char* { return nullptr; }, nullptr,
                          &state};
  try {
    softwood::DataColumns columns;
    softwood::python::add_arrow_stream(columns, stream, "column", (data[0] & 8U) != 0, [] {});
    for (const softwood::ColumnView& column : columns.columns()) {
      require(!column.chunks.empty(), "a column has chunks");
    }
    softwood::DataSet::from(columns);
  } catch (const softwood::Error& error) {
    require(!error.text().empty(), "errors say something");
  }
  require(living == 0, "everything is released");
  return 0;
}
