// Texts, numbers, names and comments as source of Python, JavaScript and Java. Whatever a name
// holds, it stays within its literal or comment; literals are ASCII, so that no encoding of a file
// changes them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace softwood::render {

enum class Language : uint8_t { python, javascript, java };

// UTF-8 text in double quotes; bytes that are not UTF-8 become U+FFFD. JavaScript's has no '<', so
// that a page may hold it within a script element.
std::string string_literal(Language language, std::string_view text);

// A double with all of its digits.
std::string number_literal(Language language, double value);

// Lines as a comment. Long ones are broken at spaces; those that begin with a space are not.
std::string comment(Language language, std::span<const std::string> lines);

// `open`, literals with commas and `close`: "x = (a, b)" in one line where that has room, else in
// lines of at most 100 columns, two spaces further than `indent` and four in Python.
std::string literal_list(Language language, std::string_view indent, std::string_view open,
                         std::span<const std::string> literals, std::string_view close);

// A name that the language takes for a global object (JavaScript) or a class (Java: a capital
// first): other characters than letters, digits and '_' become '_', and words of the language or
// of its library get "_tree" or "Tree" at their end.
std::string identifier(Language language, std::string_view name);

// snake_case as the language writes names of constants: _NODE_CHILD, nodeChild, NODE_CHILD.
std::string table_name(Language language, std::string_view name);

}  // namespace softwood::render
