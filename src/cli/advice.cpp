#include "cli/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace softwood {
namespace {

std::string set_flags(const std::vector<std::string>& settings) {
  return "--set " + join(settings, " --set ");
}

}  // namespace

std::string shell_word(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c >= 0x80 ||
           std::string_view("_-./,:=+%@").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain && !text.empty()) return text;
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

std::string_view advice_name(AdviceCode code) {
  switch (code) {
    case AdviceCode::none:
      return "none";
    case AdviceCode::declare_missing:
      return "declare_missing";
    case AdviceCode::first_line_is_data:
      return "first_line_is_data";
    case AdviceCode::columns_get_names:
      return "columns_get_names";
    case AdviceCode::leave_task_out:
      return "leave_task_out";
    case AdviceCode::take_as_number:
      return "take_as_number";
    case AdviceCode::declare_nominal:
      return "declare_nominal";
    case AdviceCode::keep_column:
      return "keep_column";
    case AdviceCode::leave_column_out:
      return "leave_column_out";
    case AdviceCode::declare_order:
      return "declare_order";
    case AdviceCode::choose_for_task:
      return "choose_for_task";
    case AdviceCode::give_validation:
      return "give_validation";
    case AdviceCode::leave_stage_out:
      return "leave_stage_out";
    case AdviceCode::write_settings:
      return "write_settings";
    case AdviceCode::name_stage_setting:
      return "name_stage_setting";
    case AdviceCode::add_stage:
      return "add_stage";
    case AdviceCode::train_new_tree:
      return "train_new_tree";
    case AdviceCode::save_model:
      return "save_model";
    case AdviceCode::save_model_again:
      return "save_model_again";
    case AdviceCode::choose_checkpoint:
      return "choose_checkpoint";
    case AdviceCode::drop_checkpoint:
      return "drop_checkpoint";
    case AdviceCode::set_parameter:
      return "set_parameter";
  }
  return "none";
}

std::string advice_text(const Advice& advice) {
  const std::vector<std::string>& values = advice.values;
  switch (advice.code) {
    case AdviceCode::none:
      return advice.text;
    case AdviceCode::declare_missing:
      return values[0] + "correct it; a missing value is an empty cell, or a text that --na names";
    case AdviceCode::first_line_is_data:
      return values[0] + "if the first line is no header, use --no-header";
    case AdviceCode::columns_get_names:
      return "--no-header takes it so, and names the columns c1, c2, ...";
    case AdviceCode::leave_task_out:
      return "leave out --task, or choose another target";
    case AdviceCode::take_as_number:
      return "--task regression takes it as a number";
    case AdviceCode::declare_nominal:
      if (!values[0].empty()) {
        return fmt::format(
            "--na {} takes such cells as missing; --nominal {} says that it is right",
            shell_word(values[0]), shell_word(values[1]));
      }
      return fmt::format(
          "correct the texts, or leave the cells empty, to have numbers; --nominal "
          "{} says that it is right",
          shell_word(values[1]));
    case AdviceCode::keep_column:
      return "--nominal keeps it";
    case AdviceCode::leave_column_out:
      return "--ignore leaves it out";
    case AdviceCode::declare_order:
      return "give the order with --ordinal";
    case AdviceCode::choose_for_task:
      return fmt::format("for {} there are {}; or use --task {}", values[0], values[1], values[2]);
    case AdviceCode::give_validation:
      return "--validation FILE prunes the tree as it is";
    case AdviceCode::leave_stage_out:
      return fmt::format("leave '{}' out of the recipe: --recipe \"grow ...\"", values[0]);
    case AdviceCode::write_settings:
      return "write " + set_flags(values);
    case AdviceCode::name_stage_setting:
      return "write stage.key=value, for example " + set_flags(values);
    case AdviceCode::add_stage:
      return fmt::format("add the stage: --recipe \"{}\"", values[0]);
    case AdviceCode::train_new_tree:
      return "name the stages that go on with the tree, or use 'softwood train'";
    case AdviceCode::save_model:
      return "a model file is what 'softwood train DATA -o FILE' saves";
    case AdviceCode::save_model_again:
      return "a model file is what 'softwood train DATA -o FILE' saves; this may be another file, "
             "or cut short";
    case AdviceCode::choose_checkpoint:
      return "name another file with --checkpoint";
    case AdviceCode::drop_checkpoint:
      return "name another file with --checkpoint, or remove this one";
    case AdviceCode::set_parameter:
      return fmt::format("it is --{} here", values[0]);
  }
  return advice.text;
}

}  // namespace softwood
