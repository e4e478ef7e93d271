#include "binding.h"

NB_MODULE(_core, module) {
  using namespace softwood::python;
  module.doc() = "The library behind the package; use softwood itself.";
  module.attr("__version__") = softwood::version();
  bind_errors(module);
  bind_columns(module);
  bind_data_set(module);
  bind_interruptible(module);
  bind_model(module);
  bind_export(module);
  bind_plot(module);
  bind_report(module);
  bind_matrix(module);
  bind_classes(module);
  bind_train(module);
  bind_cluster(module);
  bind_tables(module);
  bind_program(module);
}
