// What a user reads besides results: notes, and advice on what to do about errors and notes.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace softwood {

// Advice that names something the user sets. Each front end words it in its own terms: the command
// line by a flag, a program by a parameter.
enum class AdviceCode {
  none,                // the text suits every front end
  declare_missing,     // values: what is known of the column, or ""
  first_line_is_data,  // values: why names matter, or ""
  columns_get_names,   // the first line may be data; columns would be named c1, c2, ...
  leave_task_out,
  take_as_number,   // a target of few whole values
  declare_nominal,  // a column with numbers and a few texts; values: the texts or "", the column
  keep_column,      // one that is left out because all its values differ
  leave_column_out,
  declare_order,       // of the levels of an input
  choose_for_task,     // values: the task, methods that fit, the task to set instead
  give_validation,     // rows that the tree has not seen
  leave_stage_out,     // values: the stage
  write_settings,      // values: settings, stage.key=value
  name_stage_setting,  // values: settings, stage.key=value
  add_stage,           // values: the recipe with the stage
  train_new_tree,
  save_model,         // where model files come from
  save_model_again,   // the file may have been cut short
  choose_checkpoint,  // name another file
  drop_checkpoint,    // name another file, or remove this one
  set_parameter,      // of the run, not of a stage; values: seed, threads, class-weights, ...
};

struct Advice {
  Advice() = default;
  // A sentence that suits every front end.
  Advice(std::string sentence) : text(std::move(sentence)) {}
  Advice(const char* sentence) : text(sentence) {}
  Advice(AdviceCode what, std::string sentence, std::vector<std::string> named = {})
      : text(std::move(sentence)), code(what), values(std::move(named)) {}

  std::string text;  // for whoever does not word the code
  AdviceCode code = AdviceCode::none;
  std::vector<std::string> values;  // what the code is about
};

// One line for the user, and perhaps what to do about it.
struct Note {
  Note(std::string line) : message(std::move(line)) {}
  Note(const char* line) : message(line) {}
  Note(std::string line, Advice what_to_do)
      : message(std::move(line)), advice(std::move(what_to_do)) {}

  std::string message;
  Advice advice;

  // The message, and the advice in parentheses if there is one.
  std::string text() const { return text_with(advice.text); }
  // The same with the advice in a front end's own words.
  std::string text_with(const std::string& words) const {
    return words.empty() ? message : message + " (" + words + ")";
  }
};

}  // namespace softwood
