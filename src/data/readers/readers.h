// The readers of the file formats; read_frame chooses among them.
#pragma once

#include <string>
#include <string_view>

#include "data/frame.h"
#include "data/readers/source.h"

namespace softwood {

enum class Format { csv, arff };

// How a reader works; nothing of it changes what comes out.
struct Reading {
  const Parallel& parallel;
  size_t chunk_bytes = 0;  // 0: chosen by the size of the file
};

Frame read_csv(const Source& source, const ReadOptions& options, const Reading& reading);
Frame read_arff(const Source& source, const ReadOptions& options, const Reading& reading);

// Reads a file that is open, in the format that its name or its first line says.
Frame read_frame(const Source& source, const ReadOptions& options, const Parallel& parallel);

// Reads from memory; `name` stands for the file in messages.
Frame read_frame_bytes(std::string_view bytes, Format format, const std::string& name,
                       const ReadOptions& options, const Reading& reading);

}  // namespace softwood
