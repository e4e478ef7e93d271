#include <fmt/format.h>

#include "cli/check/check.h"
#include "render/export/literals.h"

namespace softwood {
namespace {

// Rows by name and as arrays, which must answer the same.
const char* const driver = R"(
const fs = require("node:fs");
const [tree, rowsFile, answersFile] = [globalThis.exported, ...process.argv.slice(-2)];
const lines = fs.readFileSync(rowsFile, "ascii").split("\n");
const [rows, inputs] = lines[0].split(" ").map(Number);

function cellOf(line) {
  if (line === "m") return null;
  if (line[0] === "n") return Number(line.slice(1));
  return Buffer.from(line.slice(1), "hex").toString("utf8");
}

const answers = [];
for (let r = 0; r < rows; r += 1) {
  const row = new Map();
  const cells = [];
  for (let i = 0; i < inputs; i += 1) {
    const cell = cellOf(lines[1 + r * inputs + i]);
    row.set(tree.inputs[i].name, cell);
    cells.push(typeof cell === "string" ? tree.level(i, cell) : cell ?? NaN);
  }
  const numbers = tree.classes ? tree.predictProba(row) : [tree.predict(row)];
  const others = tree.classes ? tree.predictProbaArray(cells) : [tree.predictArray(cells)];
  const same = numbers.every((number, k) => Object.is(number, others[k]));
  if (!same || !Object.is(tree.predict(row), tree.predictArray(cells))) {
    console.error(`row ${r + 1}: arrays are answered ${others}, objects ${numbers}`);
    process.exit(1);
  }
  const words = numbers.map((number) => (Object.is(number, -0) ? "-0" : String(number)));
  if (tree.classes) words.unshift(String(tree.classes.indexOf(tree.predict(row))));
  answers.push(words.join(" ") + "\n");
}
fs.writeFileSync(answersFile, answers.join(""));
)";

}  // namespace

void check_javascript(const CheckTask& task) {
  require_programs({"node"});
  std::string file = task.file;
  std::string start;
  if (task.options.module == "script") {
    file = task.folder + "/script.cjs";  // a name that Node takes for no module
    write_file(file, read_file(task.file));
    start = fmt::format("require(\"{}\");\nglobalThis.exported = globalThis.{};\n{}", file,
                        render::identifier(render::Language::javascript, task.options.name),
                        "require(\"./driver.cjs\");\n");
  } else {
    start = fmt::format("import(\"{}\").then((tree) => {{\n  globalThis.exported = tree;\n{}}});\n",
                        "file://" + file, "  require(\"./driver.cjs\");\n");
  }
  write_file(task.folder + "/driver.cjs", driver);
  write_file(task.folder + "/start.cjs", start);
  run_or_fail({"node", task.folder + "/start.cjs", task.rows, task.answers}, task.folder);
}

}  // namespace softwood
