#include <fmt/format.h>

#include "cli/check/check.h"
#include "render/export/literals.h"

namespace softwood {
namespace {

// Rows by name and as arrays, which must answer the same.
const char* const driver = R"(
const fs = require("node:fs");

function cellOf(line) {
  if (line === "m") return null;
  if (line[0] === "n") return Number(line.slice(1));
  return Buffer.from(line.slice(1), "hex").toString("utf8");
}

function numbersOf(tree, row, cells) {
  const numbers = tree.classes ? tree.predictProba(row) : [tree.predict(row)];
  const others = tree.classes ? tree.predictProbaArray(cells) : [tree.predictArray(cells)];
  const same = numbers.every((number, k) => Object.is(number, others[k]));
  if (!same || !Object.is(tree.predict(row), tree.predictArray(cells))) {
    throw new Error(`arrays are answered ${others}, objects ${numbers}`);
  }
  return numbers;
}

function run(tree) {
  const [rowsFile, answersFile] = process.argv.slice(2);
  const lines = fs.readFileSync(rowsFile, "ascii").split("\n");
  const [rows, inputs] = lines[0].split(" ").map(Number);
  const answers = [];
  for (let r = 0; r < rows; r += 1) {
    const row = new Map();
    const cells = [];
    for (let i = 0; i < inputs; i += 1) {
      const cell = cellOf(lines[1 + r * inputs + i]);
      row.set(tree.inputs[i].name, cell);
      cells.push(typeof cell === "string" ? tree.level(i, cell) : cell ?? NaN);
    }
    const numbers = numbersOf(tree, row, cells);
    const words = numbers.map((number) => (Object.is(number, -0) ? "-0" : String(number)));
    if (tree.classes) words.unshift(String(tree.classes.indexOf(tree.predict(row))));
    answers.push(words.join(" ") + "\n");
  }
  fs.writeFileSync(answersFile, answers.join(""));
}

)";

}  // namespace

void check_javascript(const CheckTask& task) {
  require_programs({"node"});
  const auto literal = [](const std::string& text) {
    return render::string_literal(render::Language::javascript, text);
  };
  std::string start;
  if (task.options.module == "script") {
    const std::string file = task.folder + "/script.cjs";  // a name that Node takes for no module
    write_file(file, read_file(task.file));
    start = fmt::format("require({});\nrun(globalThis.{});\n", literal(file),
                        render::identifier(render::Language::javascript, task.options.name));
  } else {
    start = fmt::format("import(require(\"node:url\").pathToFileURL({}).href).then(run);\n",
                        literal(task.file));
  }
  const std::string program = task.folder + "/run_export.cjs";
  write_file(program, driver + start);
  run_or_fail({"node", program, task.rows, task.answers}, task.folder);
}

}  // namespace softwood
