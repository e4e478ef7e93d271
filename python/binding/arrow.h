// Arrow streams, by the structs of the public C interface
// (arrow.apache.org/docs/format/CDataInterface.html). Nothing of Python is needed here.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "softwood/softwood.h"

extern "C" {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

}  // extern "C"

namespace softwood::python {

// Columns of a stream, in as many chunks as it has batches; they borrow its memory and keep it.
// `name`: of the column where the stream is not a table. `ordered`: dictionaries that say so are
// ordinal. A data Error where the stream contradicts itself. `between_batches` may throw.
void add_arrow_stream(DataColumns& columns, ArrowArrayStream& stream, const std::string& name,
                      bool ordered, const std::function<void()>& between_batches);

}  // namespace softwood::python
