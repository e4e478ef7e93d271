#include "cli/check/python_driver.h"

namespace softwood {

void check_pmml(const CheckTask& task) {
  require_programs({"java"});
  run_python_driver(task, {"pypmml"}, R"python(
import pypmml

model = pypmml.Model.load(export_path)
names = [field.name for field in model.inputFields]
outputs = [field.name for field in model.outputFields]
rows = [list(row) for row in zip(*read_rows(rows_path))]
# Given as lists, cells are in the order of the inputs, and answers in that of the outputs.
answers = [model.predict(row) for row in rows]
classes = None
if class_names:
    classes = [class_names.index(answer[0]) for answer in answers]
    answers = [answer[1:] for answer in answers]
write_answers(answers_path, classes, answers)
pypmml.PMMLContext.shutdown()
)python");
}

}  // namespace softwood
