#include "cluster/schema_bytes.h"

#include "softwood/error.h"

namespace softwood::cluster {
namespace {

void write_feature(const Feature& feature, ByteWriter& out) {
  out.text(feature.name);
  out.value(feature.kind);
  out.value(static_cast<uint64_t>(feature.levels.size()));
  for (const std::string& level : feature.levels) out.text(level);
}

Feature read_feature(ByteReader& in) {
  Feature feature;
  feature.name = in.text();
  feature.kind = in.value<Kind>();
  if (feature.kind > Kind::ordinal) throw Error(ErrorKind::failure, "a column of no known kind");
  for (auto left = in.value<uint64_t>(); left > 0; --left) feature.levels.push_back(in.text());
  return feature;
}

}  // namespace

void write_schema(const Schema& schema, ByteWriter& out) {
  out.value(static_cast<uint64_t>(schema.features.size()));
  for (const Feature& feature : schema.features) write_feature(feature, out);
  write_feature(schema.target, out);
  out.text(schema.weight);
  out.value(static_cast<uint64_t>(schema.positive));
}

Schema read_schema(ByteReader& in) {
  Schema schema;
  for (auto left = in.value<uint64_t>(); left > 0; --left) {
    schema.features.push_back(read_feature(in));
  }
  schema.target = read_feature(in);
  schema.weight = in.text();
  schema.positive = in.value<uint64_t>();
  return schema;
}

}  // namespace softwood::cluster
