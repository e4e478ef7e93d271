// Errors in the data that say where they are: file, line, column, and the text in question.
#pragma once

#include <string>
#include <string_view>

#include "data/readers/source.h"
#include "softwood/error.h"

namespace softwood {

// Text of a file for a message: in quotes, cut to a readable length, with escapes for what can't be
// printed (control characters, bytes that are not UTF-8).
std::string shown(std::string_view text);

// "50,95", "32,559.77": what a person may mean as a number and the readers do not.
bool has_number_commas(std::string_view text);
// "81%", "$1.50", "3 €": a number with a sign of percent or currency.
bool has_number_signs(std::string_view text);
// What to do about a cell that is not a number; `known` is what is known of its column, to be said
// first.
Advice number_hint(std::string_view text, const std::string& known = {});

// 1-based number of the line that `at` points into.
size_t line_of(const Source& source, const char* at);

// "cars.csv, line 12, column 'speed'"; without the column when the name is empty.
std::string place(const std::string& file, size_t line, std::string_view column = {});

[[noreturn]] void fail_at(const Source& source, const char* at, std::string_view column,
                          const std::string& message, const Advice& hint = {});

// Throws when an index of rows has too few bits for so many.
void check_row_count(size_t rows, const std::string& file);

}  // namespace softwood
