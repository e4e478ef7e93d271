// Schemas between processes.
#pragma once

#include "base/bytes.h"
#include "data/schema.h"

namespace softwood::cluster {

void write_schema(const Schema& schema, ByteWriter& out);
Schema read_schema(ByteReader& in);

}  // namespace softwood::cluster
