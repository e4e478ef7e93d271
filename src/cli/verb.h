// A verb is one file and one line in the table of verbs.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "cli/arguments.h"

namespace softwood {

struct Verb {
  std::string name;      // what is typed: "train", "data describe"
  std::string usage;     // its arguments, in short
  std::string summary;   // one line
  std::string examples;  // commands, one per line
  // Declares the arguments and returns what runs once they are parsed.
  std::function<void()> (*declare)(Arguments& arguments);
};

std::span<const Verb> verbs();

std::function<void()> declare_train(Arguments& arguments);
std::function<void()> declare_rework(Arguments& arguments);
std::function<void()> declare_predict(Arguments& arguments);
std::function<void()> declare_evaluate(Arguments& arguments);
std::function<void()> declare_cv(Arguments& arguments);
std::function<void()> declare_show(Arguments& arguments);
std::function<void()> declare_plot(Arguments& arguments);
std::function<void()> declare_report(Arguments& arguments);
std::function<void()> declare_explain(Arguments& arguments);
std::function<void()> declare_export(Arguments& arguments);
std::function<void()> declare_describe(Arguments& arguments);
std::function<void()> declare_generate(Arguments& arguments);
std::function<void()> declare_split(Arguments& arguments);
std::function<void()> declare_fetch(Arguments& arguments);
std::function<void()> declare_reproduce(Arguments& arguments);
std::function<void()> declare_methods(Arguments& arguments);
std::function<void()> declare_options(Arguments& arguments);
std::function<void()> declare_demo(Arguments& arguments);

}  // namespace softwood
