#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "binding.h"

namespace softwood::python {
namespace {

const char* kind_name(OptionKind kind) {
  switch (kind) {
    case OptionKind::integer:
      return "integer";
    case OptionKind::real:
      return "real";
    case OptionKind::choice:
      return "choice";
    case OptionKind::text:
      return "text";
  }
  return "text";
}

nb::dict option_dict(const OptionInfo& info) {
  nb::dict option;
  option["name"] = info.name;
  option["type"] = kind_name(info.kind);
  option["default"] = info.default_value;
  option["help"] = info.help;
  option["low"] = info.low;
  option["high"] = info.high;
  option["word"] = info.word;
  option["choices"] = info.choices;
  option["only_with"] = info.only_with;
  option["python"] = info.python_name;
  return option;
}

nb::list option_list(const std::vector<OptionInfo>& options) {
  nb::list list;
  for (const OptionInfo& option : options) list.append(option_dict(option));
  return list;
}

nb::list stages() {
  nb::list list;
  for (const StageInfo& info : stage_table()) {
    nb::dict stage;
    stage["name"] = info.name;
    stage["help"] = info.help;
    stage["starts"] = info.starts;
    stage["anytime"] = info.anytime;
    stage["options"] = option_list(info.options);
    list.append(stage);
  }
  return list;
}

nb::list methods() {
  nb::list list;
  for (const MethodInfo& info : method_table()) {
    nb::dict method;
    method["name"] = info.name;
    method["recipe"] = info.recipe;
    method["help"] = info.help;
    method["source"] = info.source;
    nb::list steps;
    for (const MethodStage& step : info.stages) {
      steps.append(nb::make_tuple(step.stage, step.options));
    }
    method["stages"] = steps;
    list.append(method);
  }
  return list;
}

nb::list generators() {
  nb::list list;
  for (const GeneratorInfo& info : generator_table()) {
    nb::dict generator;
    generator["name"] = info.name;
    generator["help"] = info.help;
    generator["source"] = info.source;
    generator["options"] = option_list(info.options);
    list.append(generator);
  }
  return list;
}

}  // namespace

void bind_tables(nb::module_& module) {
  using namespace nb::literals;
  module.def("stages", &stages, "The stages and their options.");
  module.def("methods", &methods, "The methods and their recipes.");
  module.def("generators", &generators, "The generators of artificial data.");
  module.def("generate", &generate, "name"_a, "options"_a, "seed"_a,
             nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace softwood::python
