#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <map>

#include "lower/lower.h"
#include "render/export/exporter.h"
#include "render/export/onnx/wire.h"
#include "support/sample_models.h"

namespace softwood::render {
namespace {

// Protocol buffers read back: fields by number, in their order. Numbers are kept as text.
using Fields = std::multimap<uint64_t, std::string>;

uint64_t varint(std::string_view& bytes) {
  uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.at(0));
    bytes.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80) return value;
  }
}

Fields fields_of(std::string_view bytes) {
  Fields fields;
  while (!bytes.empty()) {
    const uint64_t key = varint(bytes);
    if ((key & 7U) == 0) {
      fields.emplace(key >> 3U, std::to_string(varint(bytes)));
      continue;
    }
    EXPECT_EQ(key & 7U, 2U);
    const uint64_t size = varint(bytes);
    fields.emplace(key >> 3U, bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return fields;
}

std::string only(const Fields& fields, uint64_t number) {
  EXPECT_EQ(fields.count(number), 1U) << "field " << number;
  const auto found = fields.find(number);
  return found == fields.end() ? "" : found->second;
}

std::vector<std::string> all(const Fields& fields, uint64_t number) {
  std::vector<std::string> found;
  const auto [begin, end] = fields.equal_range(number);
  for (auto field = begin; field != end; ++field) found.push_back(field->second);
  return found;
}

class File {
 public:
  explicit File(const Model& model, const ExportOptions& options = {})
      : bytes(onnx_export(exported_tree(lower(model)), options)),
        proto(fields_of(bytes)),
        graph(fields_of(only(proto, 7))) {}

  std::map<std::string, int> operators() const {
    std::map<std::string, int> count;
    for (const std::string& node : all(graph, 1)) ++count[only(fields_of(node), 4)];
    return count;
  }
  std::vector<std::string> names(uint64_t field) const {
    std::vector<std::string> found;
    for (const std::string& value : all(graph, field)) found.push_back(only(fields_of(value), 1));
    return found;
  }
  // Of the only node of an operator.
  Fields attribute(const std::string& op, const std::string& name) const {
    for (const std::string& node : all(graph, 1)) {
      if (only(fields_of(node), 4) != op) continue;
      for (const std::string& attribute : all(fields_of(node), 5)) {
        if (only(fields_of(attribute), 1) == name) return fields_of(attribute);
      }
    }
    ADD_FAILURE() << op << " has no " << name;
    return {};
  }

  std::string bytes;
  Fields proto, graph;
};

std::vector<double> doubles(const Fields& tensor) {
  const std::string raw = only(tensor, 9);
  std::vector<double> values(raw.size() / sizeof(double));
  std::memcpy(values.data(), raw.data(), raw.size());
  return values;
}

TEST(OnnxWire, WritesNumbersAndTextsAsProtocolBuffersDo) {
  // The examples of the description of the format.
  EXPECT_EQ(onnx::Message().integer(1, 150).bytes(), "\x08\x96\x01");
  EXPECT_EQ(onnx::Message().text(2, "testing").bytes(), "\x12\x07testing");
  EXPECT_EQ(onnx::Message().integer(20, -1).bytes(),
            "\xa0\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

TEST(OnnxExport, SaysVersionsAndOrigin) {
  const File file(testing::iris_model());
  EXPECT_EQ(only(file.proto, 1), "10");
  std::map<std::string, std::string> opsets, notes;
  for (const std::string& one : all(file.proto, 8)) {
    opsets[only(fields_of(one), 1)] = only(fields_of(one), 2);
  }
  EXPECT_EQ(opsets, (std::map<std::string, std::string>{{"", "21"}, {"ai.onnx.ml", "5"}}));
  for (const std::string& one : all(file.proto, 14)) {
    notes[only(fields_of(one), 1)] = only(fields_of(one), 2);
  }
  EXPECT_EQ(notes["fingerprint"], "0123456789abcdef");
  EXPECT_EQ(notes["recipe"], "grow | prune");
  EXPECT_EQ(notes["name"], "tree");
  EXPECT_EQ(file.bytes, File(testing::iris_model()).bytes);
}

TEST(OnnxExport, PlainTreesAreTreeEnsembles) {
  const File file(testing::iris_model());
  EXPECT_EQ(file.names(11), (std::vector<std::string>{"petal_length", "petal_width"}));
  EXPECT_EQ(file.names(12), (std::vector<std::string>{"label", "probabilities"}));
  EXPECT_EQ(file.operators().count("TreeEnsemble"), 1U);
  const auto tensor = [&](const std::string& name) {
    return fields_of(only(file.attribute("TreeEnsemble", name), 5));
  };
  EXPECT_EQ(doubles(tensor("nodes_splits")), (std::vector<double>{2.45, 1.75}));
  EXPECT_EQ(doubles(tensor("leaf_weights")), (std::vector<double>{0, 1, 2}));
  const auto integers = [&](const std::string& name) {
    return all(file.attribute("TreeEnsemble", name), 8);
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(integers("nodes_missing_value_tracks_true"), (Texts{"1", "0"}));
  EXPECT_EQ(integers("nodes_trueleafs"), (Texts{"1", "1"}));
  EXPECT_EQ(integers("nodes_falseleafs"), (Texts{"0", "1"}));
  EXPECT_EQ(integers("nodes_falsenodeids"), (Texts{"1", "2"}));
}

TEST(OnnxExport, AllOtherTreesAreBasicOperators) {
  Model model = testing::iris_model();
  ScoreGate soft = threshold_gate(2, 2.45);
  soft.link.form = LinkForm::logistic;
  model.tree.node(0).gate() = soft;
  const auto operators = File(model).operators();
  EXPECT_EQ(operators.count("TreeEnsemble"), 0U);
  EXPECT_EQ(operators.count("Round"), 1U);
  EXPECT_EQ(operators.count("MatMul"), 1U);
  // The runtime has no Asinh for doubles and a poor Sigmoid, and its Exp rounds otherwise.
  EXPECT_EQ(operators.count("Asinh") + operators.count("Sigmoid") + operators.count("Exp"), 0U);
}

TEST(OnnxExport, GraphsOfWideTreesDoNotGrowWithTheirNodes) {
  Random random(1, "onnx");
  const auto nodes = [&](size_t splits) {
    const Schema schema = testing::mixed_schema(Task::classification);
    Tree tree(Task::classification, 3);
    for (NodeIndex i = 0; i < splits; ++i) {  // breadth first
      ScoreGate gate = threshold_gate(0, random.normal());
      gate.link.form = LinkForm::logistic;
      tree.split(i, gate, {});
    }
    size_t count = 0;
    for (const auto& [op, times] : File({schema, tree, {}, {}}).operators()) {
      count += static_cast<size_t>(times);
    }
    return count;
  };
  // Four operators per level of depth: 4 levels, and 8 more with 16 times the leaves.
  EXPECT_LE(nodes(255), nodes(15) + 16);
}

TEST(OnnxExport, LevelsAreTextsOfTheirOwn) {
  const Schema schema = testing::mixed_schema(Task::regression);
  Tree tree(Task::regression, 0);
  LevelsGate gate;
  gate.feature = 3;
  gate.children = 2;
  gate.child_of_level = {0, 1, -1, 0};
  tree.split(0, gate, {});
  const File file({schema, tree, {}, {}});
  EXPECT_EQ(file.names(12), std::vector<std::string>{"variable"});
  const Fields keys = fields_of(only(file.attribute("LabelEncoder", "keys_tensor"), 5));
  EXPECT_EQ(all(keys, 6), (std::vector<std::string>{"red", "green", "blue", "dark \"grey\""}));
  // The level that was not seen goes with missing values, to the first child.
  const Fields members = fields_of(only(file.attribute("TreeEnsemble", "membership_values"), 5));
  const std::vector<double> values = doubles(members);
  ASSERT_EQ(values.size(), 4U);
  EXPECT_EQ(std::vector<double>(values.begin(), values.end() - 1), (std::vector<double>{0, 2, 3}));
  EXPECT_TRUE(std::isnan(values[3]));
}

TEST(OnnxExport, OutputsGiveWayToInputsOfTheirName) {
  Model model = testing::iris_model();
  model.schema.features[2].name = "label";
  model.schema.features[3].name = "_x";
  const File file(model);
  EXPECT_EQ(file.names(11), (std::vector<std::string>{"label", "_x"}));
  EXPECT_EQ(file.names(12), (std::vector<std::string>{"label_", "probabilities"}));
  for (const std::string& node : all(file.graph, 1)) {
    const std::string output = all(fields_of(node), 2)[0];
    EXPECT_TRUE(output.starts_with("__") || output == "label_" || output == "probabilities");
  }
}

}  // namespace
}  // namespace softwood::render
