#include <nanobind/stl/string.h>

#include "binding.h"

namespace softwood::python {
namespace {

const char* kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return "usage";
    case ErrorKind::data:
      return "data";
    case ErrorKind::model:
      return "model";
    case ErrorKind::failure:
      return "failure";
    case ErrorKind::interrupted:
      return "interrupted";
  }
  return "failure";
}

// "grow.min-leaf=5" as 'grow.min-leaf': '5', several with commas.
std::string as_settings(const std::vector<std::string>& settings) {
  std::string text;
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    text += (text.empty() ? "'" : ", '") + setting.substr(0, equals) + "': '" +
            (equals == std::string::npos ? "" : setting.substr(equals + 1)) + "'";
  }
  return "settings={" + text + "}";
}

// What is a parameter of training here, not an option of a stage.
std::string as_parameter(const std::string& name) {
  if (name == "seed") return "it is the parameter seed, of estimators random_state";
  if (name == "threads") return "it is the parameter threads, of estimators n_jobs";
  if (name == "class-weights")
    return "it is the parameter class_weights, of estimators class_weight";
  if (name == "weights") return "it is the parameter weights, of estimators sample_weight of fit";
  return "it is the parameter " + name;
}

// Advice in the words of Python where the library's are those of files and flags.
std::string hint_of(const Advice& advice) {
  const std::vector<std::string>& values = advice.values;
  switch (advice.code) {
    case AdviceCode::none:
      return advice.text;
    case AdviceCode::declare_missing:
      return values[0] +
             "correct it; missing cells are NaN or None, in files empty, or a text that "
             "missing= names";
    case AdviceCode::first_line_is_data:
      return values[0] + "if the first line is no header, give header=False";
    case AdviceCode::columns_get_names:
      return "header=False takes it so, and names the columns c1, c2, ...";
    case AdviceCode::leave_task_out:
      return "leave out task=, or choose another target";
    case AdviceCode::take_as_number:
      return "task='regression', or a Regressor, takes it as a number";
    case AdviceCode::declare_nominal:
      return (values[0].empty() ? "correct the texts, or replace them by NaN or None,"
                                : "missing=['" + values[0] + "'], or NaN or None instead,") +
             " to have numbers; a categorical column, or nominal=['" + values[1] +
             "'], says that it is right";
    case AdviceCode::keep_column:
      return "a categorical column, or nominal=, keeps it";
    case AdviceCode::leave_column_out:
      return "leave the column out, or name it in ignore=";
    case AdviceCode::declare_order:
      return "give the order: by an ordered categorical column, or by ordinal=";
    case AdviceCode::choose_for_task:
      return "for " + values[0] + " there are " + values[1] + "; or use task='" + values[2] + "'";
    case AdviceCode::give_validation:
      return "validation= prunes the tree as it is";
    case AdviceCode::leave_stage_out:
      return "leave '" + values[0] + "' out of the recipe: recipe='grow ...'";
    case AdviceCode::write_settings:
      return "write " + as_settings(values);
    case AdviceCode::name_stage_setting:
      return "name stage and option, for example " + as_settings(values);
    case AdviceCode::add_stage:
      return "add the stage: recipe='" + values[0] + "'";
    case AdviceCode::train_new_tree:
      return "name the stages that go on with the tree, or use softwood.train";
    case AdviceCode::save_model:
      return "a model file is what save() of a model writes";
    case AdviceCode::save_model_again:
      return "a model file is what save() of a model writes; it may have been cut short";
    case AdviceCode::choose_checkpoint:
      return "name another file with checkpoint=";
    case AdviceCode::drop_checkpoint:
      return "name another file with checkpoint=, or remove this one";
    case AdviceCode::set_parameter:
      return as_parameter(values[0]);
  }
  return advice.text;
}

// Raises softwood.Error, which is a class of Python.
void raise(const Error& error) {
  const nb::object type = nb::module_::import_("softwood._errors").attr("Error");
  const nb::object value =
      type(error.what(), kind_name(error.kind()), error.where(), hint_of(error.advice()));
  PyErr_SetObject(type.ptr(), value.ptr());
}

}  // namespace

nb::list note_list(const NoteList& notes) {
  nb::list list;
  for (const Note& note : notes) list.append(nb::make_tuple(note.message, hint_of(note.advice)));
  return list;
}

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& error) {
      raise(error);
    }
  });
}

}  // namespace softwood::python
