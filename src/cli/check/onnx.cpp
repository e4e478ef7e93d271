#include "cli/check/python_driver.h"

namespace softwood {

void check_onnx(const CheckTask& task) {
  run_python_driver(task, {"numpy", "onnxruntime"}, R"python(
import numpy
import onnxruntime

session = onnxruntime.InferenceSession(export_path, providers=["CPUExecutionProvider"])
columns = read_rows(rows_path)
feeds = {}
for column, tensor in zip(columns, session.get_inputs(), strict=True):
    if tensor.type == "tensor(string)":
        cells = numpy.array([cell or "" for cell in column], dtype=object)
    else:
        cells = numpy.array([numpy.nan if cell is None else cell for cell in column], dtype=float)
    feeds[tensor.name] = cells.reshape(-1, 1)

# Results in the order of the outputs: for classes label and probabilities. In batches, so that
# large trees need less memory.
BATCH = 1000
labels, numbers = [], []
for begin in range(0, len(columns[0]), BATCH):
    results = session.run(None, {name: cells[begin:begin + BATCH] for name, cells in feeds.items()})
    labels.extend(results[0])
    numbers.extend(results[-1])
classes = [class_names.index(label) for label in labels] if class_names else None
write_answers(answers_path, classes, numbers)
)python");
}

}  // namespace softwood
