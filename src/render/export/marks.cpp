#include "render/export/marks.h"

#include <algorithm>

#include "data/readers/number.h"

namespace softwood::render {

std::vector<double> marked_cells(const LoweredTree& tree, const LoweredInput& input) {
  std::vector<double> cells;
  for (const std::string& mark : tree.missing_marks) {
    double number = 0;
    if (input.kind != InputKind::numeric) {
      const auto level = std::find(input.levels.begin(), input.levels.end(), mark);
      if (level != input.levels.end()) {
        cells.push_back(static_cast<double>(level - input.levels.begin()));
      }
    } else if (read_number(mark, number) == NumberText::finite) {
      cells.push_back(number == 0 ? 0 : number);  // not -0, which is equal
    }
  }
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  return cells;
}

MarkTables mark_tables(const LoweredTree& tree) {
  MarkTables tables{{0}, {}};
  for (const LoweredInput& input : tree.inputs) {
    const std::vector<double> cells = marked_cells(tree, input);
    tables.cells.insert(tables.cells.end(), cells.begin(), cells.end());
    tables.first.push_back(static_cast<int32_t>(tables.cells.size()));
  }
  if (tables.cells.empty()) tables.first.clear();
  return tables;
}

}  // namespace softwood::render
