// The table of renderers: each turns the lowered form of a tree into one kind of document. A
// renderer is a file with a function and a line in the table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "softwood/lowered.h"

namespace softwood::render {

// Columns of a line where nothing better is known.
constexpr size_t usual_width = 120;

struct RenderOptions {
  size_t width = usual_width;  // columns of a line, where the renderer keeps to them
  bool with_size = true;       // counts of nodes and parameters under the tree
};

// A layout shows the tree itself, a view something else of it.
enum class RendererRole : uint8_t { layout, view };

struct Renderer {
  std::string name;
  RendererRole role;
  std::string help;  // one sentence
  // Throws a failure Error that begins "NAME cannot express" for a tree that it can't show rightly.
  std::string (*render)(const LoweredTree&, const RenderOptions&);
};
std::span<const Renderer> renderers();
// Throws a usage Error for a name that is not in the table.
const Renderer& find_renderer(std::string_view name);

std::string tree_text(const LoweredTree& tree, const RenderOptions& options = {});
std::string rpart_text(const LoweredTree& tree, const RenderOptions& options = {});
std::string c50_text(const LoweredTree& tree, const RenderOptions& options = {});
std::string rules_text(const LoweredTree& tree, const RenderOptions& options = {});
std::string pruning_table_text(const LoweredTree& tree, const RenderOptions& options = {});
std::string summary_text(const LoweredTree& tree, const RenderOptions& options = {});
std::string competitors_text(const LoweredTree& tree, const RenderOptions& options = {});
std::string tree_json(const LoweredTree& tree, const RenderOptions& options = {});

}  // namespace softwood::render
