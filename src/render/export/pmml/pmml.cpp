// PMML 4.4: hard trees as a TreeModel, all others as a RegressionModel over the shares of the row
// that reach the leaves, which are derived fields.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "render/export/exporter.h"
#include "render/export/marks.h"
#include "render/export/pmml/models.h"

namespace softwood::render {
namespace {

using pmml::Attributes;
using pmml::element;
using pmml::escaped;
using pmml::opened;

class Renderer {
 public:
  Renderer(const LoweredTree& tree, const ExportOptions& options)
      : tree_(tree), options_(options), routes_(routes_of(tree)), fields_(tree) {}

  std::string file() {
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + comment();
    text += opened("PMML", {{"xmlns", "http://www.dmg.org/PMML-4_4"}, {"version", "4.4"}}) + "\n";
    text += header() + dictionary();
    text += routes_.hard && !routes_.formulas ? tree_model() : regression_model();
    return text + "</PMML>\n";
  }

 private:
  std::string comment() const {
    std::string text = "<!--\n";
    for (std::string line : export_heading(tree_, options_)) {
      for (size_t at = 0; (at = line.find("--", at)) != std::string::npos;)
        line.insert(at + 1, " ");
      if (line.ends_with('-')) line += ' ';
      text += "  " + line + "\n";
    }
    return text + "-->\n";
  }

  std::string header() const {
    const LoweredOrigin& origin = tree_.origin;
    std::string text =
        " " + opened("Header", {{"description", export_heading(tree_, options_)[0]}});
    const auto note = [&text](const char* name, const std::string& value) {
      text += "\n  " + element("Extension", {{"name", name}, {"value", printable(value)}});
    };

    note("name", options_.name);
    note("method", origin.method);
    note("recipe", origin.recipe);
    note("seed", std::to_string(origin.seed));
    note("fingerprint", origin.fingerprint);
    text += "\n  " + element("Application", {{"name", "Softwood"}, {"version", origin.version}});
    return text + "\n </Header>\n";
  }

  static std::string missing_value(const std::string& text) {
    return element("Value", {{"value", text}, {"property", "missing"}});
  }

  // `marks`: see marked_cells.
  static std::string data_field(const std::string& name, const std::vector<std::string>& levels,
                                InputKind kind, const std::vector<double>& marks) {
    std::string values;
    if (kind == InputKind::numeric) {
      for (const double mark : marks) values += missing_value(number_text(mark));
      return "  " +
             element("DataField",
                     {{"name", name}, {"optype", "continuous"}, {"dataType", "double"}}, values) +
             "\n";
    }
    const char* const type = kind == InputKind::ordinal ? "ordinal" : "categorical";
    for (size_t l = 0; l < levels.size(); ++l) {
      const bool marked = std::find(marks.begin(), marks.end(), double(l)) != marks.end();
      values += marked ? missing_value(levels[l]) : element("Value", {{"value", levels[l]}});
    }
    return "  " +
           element("DataField", {{"name", name}, {"optype", type}, {"dataType", "string"}},
                   values) +
           "\n";
  }

  std::string dictionary() const {
    std::string text = " " + opened("DataDictionary", {}) + "\n";
    for (const LoweredInput& input : tree_.inputs) {
      text += data_field(input.name, input.levels, input.kind, marked_cells(tree_, input));
    }
    text += data_field(tree_.target.name, tree_.target.classes,
                       tree_.is_classifier() ? InputKind::nominal : InputKind::numeric, {});
    return text + " </DataDictionary>\n";
  }

  // Levels that the tree does not know count as missing.
  std::string mining_schema() const {
    std::string text = "  <MiningSchema>\n";
    for (const LoweredInput& input : tree_.inputs) {
      text +=
          "   " +
          element("MiningField", {{"name", input.name}, {"invalidValueTreatment", "asMissing"}}) +
          "\n";
    }
    text += "   " + element("MiningField", {{"name", tree_.target.name}, {"usageType", "target"}}) +
            "\n";
    return text + "  </MiningSchema>\n";
  }

  // Named as 'softwood predict' names its columns. `probabilities`: see RegressionTables.
  std::string output(const std::vector<std::string>& probabilities) const {
    std::string text = "  <Output>\n   ";
    if (!tree_.is_classifier()) {
      text += element("OutputField", {{"name", free_name("prediction")},
                                      {"optype", "continuous"},
                                      {"dataType", "double"},
                                      {"feature", "predictedValue"}});
      return text + "\n  </Output>\n";
    }
    text += element("OutputField", {{"name", free_name("prediction")},
                                    {"optype", "categorical"},
                                    {"dataType", "string"},
                                    {"feature", "predictedValue"}});
    for (size_t k = 0; k < tree_.target.classes.size(); ++k) {
      const std::string& name = tree_.target.classes[k];
      Attributes attributes{
          {"name", free_name("proba_" + name)}, {"optype", "continuous"}, {"dataType", "double"}};
      attributes.emplace_back("feature",
                              probabilities.empty() ? "probability" : "transformedValue");
      if (probabilities.empty()) attributes.emplace_back("value", name);
      text += "\n   " + element("OutputField", attributes,
                                probabilities.empty() ? "" : pmml::reference(probabilities[k]));
    }
    return text + "\n  </Output>\n";
  }

  // An input of the same name makes it end in "_".
  std::string free_name(std::string name) const {
    const auto is_taken = [&] {
      return name == tree_.target.name ||
             std::any_of(tree_.inputs.begin(), tree_.inputs.end(),
                         [&](const LoweredInput& input) { return input.name == name; });
    };
    while (is_taken()) name += '_';
    return name;
  }

  std::string transformations() const {
    if (fields_.elements().empty()) return {};
    std::string text = "  <LocalTransformations>\n";
    for (const std::string& field : fields_.elements()) text += "   " + field + "\n";
    return text + "  </LocalTransformations>\n";
  }

  Attributes model_attributes() const {
    return {{"modelName", options_.name},
            {"functionName", tree_.is_classifier() ? "classification" : "regression"}};
  }

  std::string tree_model() {
    const std::string nodes = pmml::tree_nodes(tree_, routes_, options_, fields_);
    Attributes attributes = model_attributes();
    attributes.emplace_back("missingValueStrategy", "defaultChild");
    attributes.emplace_back("splitCharacteristic", "multiSplit");
    return " " + opened("TreeModel", attributes) + "\n" + mining_schema() + output({}) +
           transformations() + nodes + " </TreeModel>\n";
  }

  std::string regression_model() {
    const pmml::RegressionTables tables =
        pmml::regression_tables(tree_, routes_, options_, fields_);
    Attributes attributes = model_attributes();
    attributes.emplace_back("normalizationMethod", "none");
    return " " + opened("RegressionModel", attributes) + "\n" + mining_schema() +
           output(tables.probabilities) + targets() + transformations() + tables.tables +
           " </RegressionModel>\n";
  }

  // The range in which answers are held.
  std::string targets() const {
    Attributes attributes{{"field", tree_.target.name}};
    if (std::isfinite(tree_.mixing.low)) {
      attributes.emplace_back("min", number_text(tree_.mixing.low));
    }
    if (std::isfinite(tree_.mixing.high)) {
      attributes.emplace_back("max", number_text(tree_.mixing.high));
    }
    if (tree_.is_classifier() || attributes.size() == 1) return {};
    return "  <Targets>" + element("Target", attributes) + "</Targets>\n";
  }

  const LoweredTree& tree_;
  const ExportOptions& options_;
  Routes routes_;
  pmml::Fields fields_;
};

}  // namespace

std::string pmml_export(const LoweredTree& tree, const ExportOptions& options) {
  return Renderer(tree, options).file();
}

}  // namespace softwood::render
