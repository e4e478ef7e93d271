// The arguments of one verb: declared once, parsed, and shown as help. The only place that knows
// CLI11; its errors become usage Errors in the words of this program.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace softwood {

class Arguments {
 public:
  explicit Arguments(std::string verb);
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  // Each binds a variable, which keeps its value when the argument is not given. Only lists may be
  // given more than once.
  void positional(const std::string& name, std::string& value, const std::string& help,
                  bool required = true);
  void positionals(const std::string& name, std::vector<std::string>& values,
                   const std::string& help);
  void flag(const std::string& name, bool& value, const std::string& help);
  void text(const std::string& name, const std::string& label, std::string& value,
            const std::string& help);
  // May be given several times; each time one value, or with `commas` several.
  void list(const std::string& name, const std::string& label, std::vector<std::string>& values,
            bool commas, const std::string& help);
  // Two values after one another.
  void pair(const std::string& name, const std::string& label, std::vector<std::string>& values,
            const std::string& help);
  // Usage Error outside of low … high.
  void integer(const std::string& name, const std::string& label, long& value, long low, long high,
               const std::string& help);

  // Two options that can't be given together.
  void exclusive(const std::string& one, const std::string& other);
  // The heading in the help of the options that follow.
  void group(const std::string& heading);
  bool given(const std::string& name) const;
  // What to say about an option that the verb does not have; an empty text: nothing special.
  void hint_at_unknown(std::function<std::string(const std::string& name)> hint);

  // Usage Error when they are wrong; false when help was asked for.
  bool parse(std::span<const std::string> arguments);
  // Positional arguments and options, one or more lines each.
  std::string help() const;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace softwood
