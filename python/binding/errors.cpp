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

// Advice in the words of Python where the library's are those of files and flags.
std::string hint_of(const Advice& advice) {
  switch (advice.code) {
    case AdviceCode::declare_missing:
      return "replace the marks of missing cells by NaN or None, or name them with missing=";
    case AdviceCode::take_as_number:
      return "task='regression', or a Regressor, takes it as a number";
    case AdviceCode::declare_nominal:
      return "make it a categorical column";
    case AdviceCode::keep_column:
      return "make it a categorical column to keep it";
    case AdviceCode::leave_column_out:
      return "leave the column out";
    case AdviceCode::give_validation:
      return "give validation=(X, y)";
    default:
      return advice.text;
  }
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
