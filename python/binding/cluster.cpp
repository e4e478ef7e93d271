#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "binding.h"

namespace softwood::python {
namespace {

// Python's bytes never change, and the caller holds them.
PartView view_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }
nb::bytes bytes_of(const PartBytes& text) { return nb::bytes(text.data(), text.size()); }

std::vector<PartView> views_of(const nb::list& list) {
  std::vector<PartView> views;
  views.reserve(list.size());
  for (const nb::handle item : list) views.push_back(view_of(nb::cast<nb::bytes>(item)));
  return views;
}

nb::list list_of(const std::vector<PartBytes>& texts) {
  nb::list list;
  for (const PartBytes& text : texts) list.append(bytes_of(text));
  return list;
}

// Runs `work` without the interpreter lock.
template <class Work>
auto unlocked(const Work& work) {
  const nb::gil_scoped_release released;
  return work();
}

template <class Keyed>
nb::list pairs_of(const Keyed& keyed) {
  nb::list pairs;
  for (const auto& [key, text] : keyed) pairs.append(nb::make_tuple(key, bytes_of(text)));
  return pairs;
}

// Rows that are counted where they are: Python's bytes are kept until then.
class HeldRows {
 public:
  explicit HeldRows(const nb::bytes& request) : rows_(view_of(request)) {}
  void add(const nb::bytes& rows) {
    bytes_.append(rows);
    unlocked([&, view = view_of(rows)] { rows_.add(view); });
    if (!rows_.holds_rows()) bytes_ = nb::list();
  }
  nb::list answer() {
    return list_of(unlocked([&] { return rows_.answer(); }));
  }

 private:
  GrowingRows rows_;
  nb::list bytes_;
};

void bind_parts(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<RawRows>(module, "RawRows", "Raw rows of a part, which answer a request.")
      .def("__init__",
           [](RawRows* self, const nb::bytes& request) { new (self) RawRows(view_of(request)); })
      .def_prop_ro("columns", &RawRows::columns)
      .def("add",
           [](RawRows& self, const DataColumns& columns) { unlocked([&] { self.add(columns); }); })
      .def("answer",
           [](RawRows& self) { return list_of(unlocked([&] { return self.answer(); })); });
  nb::class_<PieceMerger>(module, "PieceMerger", "Merges the same pieces of all parts.")
      .def(nb::init<>())
      .def("add",
           [](PieceMerger& self, const nb::bytes& piece) {
             const PartView view = view_of(piece);
             unlocked([&] { self.add(view); });
           })
      .def("take",
           [](const PieceMerger& self) { return bytes_of(unlocked([&] { return self.take(); })); });
  module.def("content_keys", [](const DataColumns& columns, const std::string& weights) {
    std::vector<uint64_t> keys = unlocked([&] { return content_keys(columns, weights); });
    const size_t rows = keys.size();
    return numpy_array(std::move(keys), {rows});
  });
  module.def("merged_answers", [](const nb::bytes& one, const nb::bytes& other) {
    const PartView a = view_of(one), b = view_of(other);
    return bytes_of(unlocked([&] { return merged_answers(a, b); }));
  });
  module.def("coded_rows", [](const nb::bytes& request, const DataColumns& columns) {
    const PartView view = view_of(request);
    const auto [facts, rows] = unlocked([&] { return coded_rows(view, columns); });
    return nb::make_tuple(bytes_of(facts), bytes_of(rows));
  });
  module.def("counted_rows", [](const nb::bytes& request, const nb::list& rows) {
    const PartView view = view_of(request);
    const std::vector<PartView> all = views_of(rows);
    return list_of(unlocked([&] { return counted_rows(view, all); }));
  });
  nb::class_<HeldRows>(module, "GrowingRows", "Coded rows of a part, which count for growing.")
      .def(nb::init<const nb::bytes&>())
      .def("add", &HeldRows::add)
      .def("answer", &HeldRows::answer);
  module.def("decided",
             [](const nb::bytes& request, const nb::bytes& kept, const nb::list& pieces) {
               const PartView view = view_of(request), before = view_of(kept);
               const std::vector<PartView> all = views_of(pieces);
               const auto [after, answer] = unlocked([&] { return decided(view, before, all); });
               return nb::make_tuple(bytes_of(after), bytes_of(answer));
             });
  module.def("coded_answer", [](const nb::bytes& request, const nb::list& rows, uint32_t part) {
    const PartView view = view_of(request);
    const std::vector<PartView> all = views_of(rows);
    return bytes_of(unlocked([&] { return coded_answer(view, all, part); }));
  });
  module.def("exchanged_rows", [](const nb::bytes& request, const nb::list& rows) {
    return pairs_of(exchanged_rows(view_of(request), views_of(rows)));
  });
  module.def("gathered_rows", [](const nb::bytes& request, const nb::list& rows) {
    return bytes_of(gathered_rows(view_of(request), views_of(rows)));
  });
  module.def("dealt_rows", [](const nb::bytes& request, const nb::bytes& rows, uint32_t part) {
    return bytes_of(dealt_rows(view_of(request), view_of(rows), part));
  });
  module.def("rows_by_node",
             [](const nb::bytes& request, const nb::list& rows, size_t tree) -> nb::object {
               const PartView view = view_of(request);
               const std::vector<PartView> all = views_of(rows);
               const auto found = unlocked([&] { return rows_by_node(view, all, tree); });
               if (!found) return nb::none();
               return pairs_of(*found);
             });
  nb::class_<NodeFinisher>(module, "NodeFinisher", "Grows what is below nodes from their rows.")
      .def("__init__", [](NodeFinisher* self,
                          const nb::bytes& request) { new (self) NodeFinisher(view_of(request)); })
      .def("finish", [](const NodeFinisher& self, uint64_t node, const nb::list& rows) {
        const std::vector<PartView> all = views_of(rows);
        return bytes_of(unlocked([&] { return self.finish(node, all); }));
      });
}

}  // namespace

void bind_cluster(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<ClusterTraining>(module, "ClusterTraining",
                              "A training on rows that are spread over many processes.")
      .def(
          "__init__",
          [](ClusterTraining* self, const TrainSettings& settings, const DataSettings& data,
             size_t parts, size_t small_rows, bool validation, size_t most_merged) {
            new (self)
                ClusterTraining(settings, data, {parts, small_rows, most_merged, validation});
          },
          "settings"_a, "data"_a, "parts"_a, "small_rows"_a = 0, "validation"_a = false,
          "most_merged"_a = 200000)
      .def("next",
           [](ClusterTraining& self) -> nb::object {
             const auto pass = self.next();
             if (!pass) return nb::none();
             return nb::make_tuple(pass->kind, bytes_of(pass->request));
           })
      .def("take",
           [](ClusterTraining& self, const nb::list& answers) {
             std::vector<PartBytes> texts;
             for (const PartView view : views_of(answers)) texts.emplace_back(view);
             run_interruptibly(nb::none(), [self, texts](const Controls& controls) mutable {
               self.take({texts.begin(), texts.end()}, controls);
             });
           })
      .def_prop_ro("pieces", &ClusterTraining::pieces)
      .def("result", [](ClusterTraining& self) { return result_tuple(self.result()); })
      .def_prop_ro("growing_passes", &ClusterTraining::growing_passes);
  module.def("is_for_parts", &is_for_parts, "Whether a recipe can be trained on rows in parts.");
  bind_parts(module);
}

}  // namespace softwood::python
