// A graph of ONNX operators while it is built. Values are known by their names; a node returns the
// name of its first output. Field numbers are those of onnx.proto (IR version 10).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "render/export/onnx/wire.h"

namespace softwood::render::onnx {

enum class ElementType : uint8_t { uint8 = 2, int64 = 7, text = 8, boolean = 9, number = 11 };

using Dims = std::vector<int64_t>;
Message number_tensor(const Dims& dims, const std::vector<double>& values);
Message integer_tensor(const Dims& dims, const std::vector<int64_t>& values);
Message byte_tensor(const Dims& dims, const std::vector<uint8_t>& values);
Message text_tensor(const Dims& dims, const std::vector<std::string>& values);

Message integer_attribute(std::string_view name, int64_t value);
Message integers_attribute(std::string_view name, const std::vector<int64_t>& values);
Message tensor_attribute(std::string_view name, const Message& tensor);

class Graph {
 public:
  using Name = std::string;
  using Names = std::vector<Name>;
  using Attributes = std::vector<Message>;

  // Of all names but those of inputs and outputs.
  explicit Graph(std::string prefix) : prefix_(std::move(prefix)) {}

  void input(const Name& name, ElementType type);                      // N x 1
  void output(const Name& name, ElementType type, int64_t width = 0);  // N x width; 0: N

  Name node(std::string_view op, const Names& inputs, const Attributes& attributes = {});
  // Of the operators for machine learning, ai.onnx.ml.
  Name learned_node(std::string_view op, const Names& inputs, const Attributes& attributes);
  // `parts` along axis 0.
  Names split(const Name& value, const std::vector<int64_t>& parts);
  // The last node of an output.
  void named_node(std::string_view op, const Names& inputs, const Attributes& attributes,
                  const Name& output);

  // Constants; equal ones are stored once.
  Name number(double value) { return numbers({}, {value}); }
  Name numbers(const Dims& dims, const std::vector<double>& values);
  Name column(const std::vector<double>& values);  // size x 1
  Name integers(const std::vector<int64_t>& values);
  Name texts(const std::vector<std::string>& values);

  Name add(const Name& a, const Name& b) { return node("Add", {a, b}); }
  Name multiply(const Name& a, const Name& b) { return node("Mul", {a, b}); }
  Name where(const Name& condition, const Name& yes, const Name& no) {
    return node("Where", {condition, yes, no});
  }
  Name rows(const Name& value, const std::vector<int64_t>& rows);  // Gather along axis 0
  Name joined(const Names& values);                                // Concat along axis 0
  Name as_number(const Name& value);
  Name as_integer(const Name& value);
  Name not_a_number(const Name& value) { return node("IsNaN", {value}); }

  Message proto(const std::string& name, const std::string& description) const;

 private:
  Name fresh(std::string_view hint);
  Name constant(Message tensor);
  void add_node(std::string_view op, const Names& inputs, const Attributes& attributes,
                const Names& outputs, std::string_view domain);

  std::string prefix_;
  size_t values_ = 0;
  std::map<std::string, Name> constants_;  // by their bytes
  std::vector<Message> nodes_, initializers_, inputs_, outputs_;
};

}  // namespace softwood::render::onnx
