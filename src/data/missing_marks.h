// Texts that stand for missing cells in some file, beside those that the readers know.
#pragma once

#include <span>
#include <string>

#include "data/frame.h"
#include "data/readers/source.h"

namespace softwood {

// Cells with one of the texts become missing, in every column; a text that is a number also where
// the column holds numbers. Columns of text whose other cells are numbers become numeric, but for
// those in `nominal`.
void mark_missing(Frame& frame, std::span<const std::string> texts,
                  std::span<const std::string> nominal);

// Adds the texts that the schema does not have yet.
void add_missing_marks(std::span<const std::string> texts, Schema& schema);

// Reads a file and marks these texts in it. The texts are no numbers, so what must be a number is
// looked at when they are gone.
Frame read_frame(const std::string& path, ReadOptions options, std::span<const std::string> marks,
                 const Parallel& parallel);
Frame read_frame(const Source& source, ReadOptions options, std::span<const std::string> marks,
                 const Parallel& parallel);

// A data Error at the first cell of the column that is not a number; none where all are, or where
// there is no such column.
void refuse_text(const Frame& frame, const std::string& column);

}  // namespace softwood
