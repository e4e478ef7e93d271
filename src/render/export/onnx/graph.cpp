#include "render/export/onnx/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace softwood::render::onnx {
namespace {

namespace tensor_field {
constexpr uint32_t dims = 1, data_type = 2, string_data = 6, name = 8, raw_data = 9;
}
namespace attribute_field {
constexpr uint32_t name = 1, i = 3, t = 5, ints = 8, type = 20;
constexpr int64_t type_int = 2, type_tensor = 4, type_ints = 7;
}  // namespace attribute_field
namespace node_field {
constexpr uint32_t input = 1, output = 2, name = 3, op_type = 4, attribute = 5, domain = 7;
}
namespace graph_field {
constexpr uint32_t node = 1, name = 2, initializer = 5, doc_string = 10, input = 11, output = 12;
}

Message tensor(const Dims& dims, ElementType type) {
  Message message;
  for (const int64_t dim : dims) message.integer(tensor_field::dims, dim);
  message.integer(tensor_field::data_type, static_cast<int64_t>(type));
  return message;
}

// Little-endian on every machine.
void append(std::string& bytes, uint64_t word) {
  for (unsigned shift = 0; shift < 64; shift += 8)
    bytes += static_cast<char>(word >> shift & 0xffU);
}

// name and tensor type: element type and dimensions, of which the first is the number of rows.
Message value_info(const std::string& name, ElementType type, int64_t width) {
  Message shape;
  shape.message(1, Message().text(2, "N"));
  if (width > 0) shape.message(1, Message().integer(1, width));
  Message tensor_type;
  tensor_type.integer(1, static_cast<int64_t>(type)).message(2, shape);
  return Message().text(1, name).message(2, Message().message(1, tensor_type));
}

}  // namespace

Message number_tensor(const Dims& dims, const std::vector<double>& values) {
  std::string bytes;
  for (const double value : values) append(bytes, std::bit_cast<uint64_t>(value));
  return tensor(dims, ElementType::number).text(tensor_field::raw_data, bytes);
}

Message integer_tensor(const Dims& dims, const std::vector<int64_t>& values) {
  std::string bytes;
  for (const int64_t value : values) append(bytes, static_cast<uint64_t>(value));
  return tensor(dims, ElementType::int64).text(tensor_field::raw_data, bytes);
}

Message byte_tensor(const Dims& dims, const std::vector<uint8_t>& values) {
  const std::string bytes(values.begin(), values.end());
  return tensor(dims, ElementType::uint8).text(tensor_field::raw_data, bytes);
}

Message text_tensor(const Dims& dims, const std::vector<std::string>& values) {
  Message message = tensor(dims, ElementType::text);
  for (const std::string& value : values) message.text(tensor_field::string_data, value);
  return message;
}

Message integer_attribute(std::string_view name, int64_t value) {
  using namespace attribute_field;
  return Message().text(attribute_field::name, name).integer(i, value).integer(type, type_int);
}

Message integers_attribute(std::string_view name, const std::vector<int64_t>& values) {
  using namespace attribute_field;
  Message message;
  message.text(attribute_field::name, name);
  for (const int64_t value : values) message.integer(ints, value);
  return message.integer(type, type_ints);
}

Message tensor_attribute(std::string_view name, const Message& tensor) {
  using namespace attribute_field;
  return Message().text(attribute_field::name, name).message(t, tensor).integer(type, type_tensor);
}

void Graph::input(const Name& name, ElementType type) {
  inputs_.push_back(value_info(name, type, 1));
}

void Graph::output(const Name& name, ElementType type, int64_t width) {
  outputs_.push_back(value_info(name, type, width));
}

Graph::Name Graph::fresh(std::string_view hint) {
  return fmt::format("{}{}_{}", prefix_, hint, values_++);
}

void Graph::add_node(std::string_view op, const Names& inputs, const Attributes& attributes,
                     const Names& outputs, std::string_view domain) {
  Message message;
  for (const Name& name : inputs) message.text(node_field::input, name);
  for (const Name& name : outputs) message.text(node_field::output, name);
  message.text(node_field::name, fmt::format("node_{}", nodes_.size()));
  message.text(node_field::op_type, op);
  for (const Message& attribute : attributes) message.message(node_field::attribute, attribute);
  if (!domain.empty()) message.text(node_field::domain, domain);
  nodes_.push_back(std::move(message));
}

Graph::Name Graph::node(std::string_view op, const Names& inputs, const Attributes& attributes) {
  Name output = fresh(op);
  add_node(op, inputs, attributes, {output}, {});
  return output;
}

Graph::Name Graph::learned_node(std::string_view op, const Names& inputs,
                                const Attributes& attributes) {
  Name output = fresh(op);
  add_node(op, inputs, attributes, {output}, "ai.onnx.ml");
  return output;
}

Graph::Names Graph::split(const Name& value, const std::vector<int64_t>& parts) {
  if (parts.size() == 1) return {value};
  Names outputs;
  for (size_t i = 0; i < parts.size(); ++i) outputs.push_back(fresh("Split"));
  add_node("Split", {value, integers(parts)}, {integer_attribute("axis", 0)}, outputs, {});
  return outputs;
}

void Graph::named_node(std::string_view op, const Names& inputs, const Attributes& attributes,
                       const Name& output) {
  add_node(op, inputs, attributes, {output}, {});
}

Graph::Name Graph::constant(Message tensor) {
  const auto [place, is_new] = constants_.try_emplace(tensor.bytes());
  if (is_new) {
    place->second = fresh("constant");
    initializers_.push_back(std::move(tensor.text(tensor_field::name, place->second)));
  }
  return place->second;
}

Graph::Name Graph::numbers(const Dims& dims, const std::vector<double>& values) {
  return constant(number_tensor(dims, values));
}
Graph::Name Graph::column(const std::vector<double>& values) {
  return numbers({static_cast<int64_t>(values.size()), 1}, values);
}
Graph::Name Graph::integers(const std::vector<int64_t>& values) {
  return constant(integer_tensor({static_cast<int64_t>(values.size())}, values));
}
Graph::Name Graph::texts(const std::vector<std::string>& values) {
  return constant(text_tensor({static_cast<int64_t>(values.size())}, values));
}

Graph::Name Graph::rows(const Name& value, const std::vector<int64_t>& rows) {
  return node("Gather", {value, integers(rows)}, {integer_attribute("axis", 0)});
}
Graph::Name Graph::joined(const Names& values) {
  return values.size() == 1 ? values[0] : node("Concat", values, {integer_attribute("axis", 0)});
}
Graph::Name Graph::as_number(const Name& value) {
  const auto type = static_cast<int64_t>(ElementType::number);
  return node("Cast", {value}, {integer_attribute("to", type)});
}
Graph::Name Graph::as_integer(const Name& value) {
  const auto type = static_cast<int64_t>(ElementType::int64);
  return node("Cast", {value}, {integer_attribute("to", type)});
}

Message Graph::proto(const std::string& name, const std::string& description) const {
  Message message;
  for (const Message& node : nodes_) message.message(graph_field::node, node);
  message.text(graph_field::name, name);
  for (const Message& tensor : initializers_) message.message(graph_field::initializer, tensor);
  message.text(graph_field::doc_string, description);
  for (const Message& input : inputs_) message.message(graph_field::input, input);
  for (const Message& output : outputs_) message.message(graph_field::output, output);
  return message;
}

}  // namespace softwood::render::onnx
