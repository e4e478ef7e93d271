#include "cli/check/check.h"

namespace softwood {
namespace {

// Rows one by one, and with NumPy all at once, which must answer the same.
const char* const driver = R"(
import importlib.util
import struct
import sys

from rows import read_rows, write_answers

sys.dont_write_bytecode = True
name, file, rows_file, answers_file = sys.argv[1:]
spec = importlib.util.spec_from_file_location(name, file)
tree = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tree)

with open(rows_file, encoding="ascii") as head:
    count = int(head.readline().split()[0])
columns = dict(zip(tree.INPUTS, read_rows(rows_file)))
rows = [{name: cells[i] for name, cells in columns.items()} for i in range(count)]
has_classes = hasattr(tree, "CLASSES")
if has_classes:
    answers = [tree.predict_proba(row) for row in rows]
    classes = [tree.CLASSES.index(tree.predict(row)) for row in rows]
else:
    answers = [[tree.predict(row)] for row in rows]
    classes = None


def bits(numbers):
    return [struct.pack("<d", number) for number in numbers]


try:
    import numpy
except ImportError:
    numpy = None
if numpy is not None and count > 0:
    if has_classes:
        batch = tree.predict_proba_batch(columns).tolist()
        decided = [tree.CLASSES.index(answer) for answer in tree.predict_batch(columns)]
    else:
        batch = [[answer] for answer in tree.predict_batch(columns).tolist()]
        decided = None
    for i in range(count):
        if bits(batch[i]) != bits(answers[i]) or (has_classes and decided[i] != classes[i]):
            sys.exit(f"row {i + 1}: predict_batch answers {batch[i]}, predict {answers[i]}")
write_answers(answers_file, classes, answers)
)";

}  // namespace

void check_python(const CheckTask& task) {
  require_programs({"python3"});
  write_file(task.folder + "/rows.py", python_rows_source);
  write_file(task.folder + "/run_export.py", driver);
  run_or_fail({"python3", task.folder + "/run_export.py", task.options.name, task.file, task.rows,
               task.answers},
              task.folder);
}

}  // namespace softwood
