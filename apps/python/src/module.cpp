// The module cairn._cairn: sessions, objects, similarities and results, over cairn/run/session.hpp.
#include <mpi4py/mpi4py.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/run/session.hpp"
#include "cairn/store/result/result_file.hpp"
#include "session_handle.hpp"
#include "values.hpp"

namespace cairn::python {

namespace {

SharedSession make_session(const py::object& communicator, int threads, std::uint64_t seed, Index memory,
                           const std::string& scratch, const py::object& progress) {
  MPI_Comm* const ranks = PyMPIComm_Get(communicator.ptr());
  if (ranks == nullptr) throw py::error_already_set();
  SessionOptions options;
  options.threads = threads;
  options.seed = seed;
  options.memory = memory;
  options.scratch_folder = scratch;
  return std::make_shared<SessionHandle>(*ranks, options, progress);
}

// A dense factor as an array: a view, or a copy in T if it is held as integers, whose products would overflow. A sparse
// one as (indptr, indices, data, columns), copies: its rows end with the session.
template <class T>
py::object factor(const Result<T>& result, const Factor<T>& factor) {
  if (!factor.is_sparse()) {
    const TallMatrix<T>& tall = factor.tall();
    if (!tall.is_integral()) {
      const auto rows = tall.numbers().local();
      return view(rows.data, {rows.rows, rows.columns}, result);
    }
    py::array_t<T> numbers({tall.range().size(), tall.columns()});
    for (Index i = tall.range().begin; i < tall.range().end; ++i) {
      tall.copy_row(i, numbers.mutable_data(i - tall.range().begin, 0));
    }
    return numbers;
  }
  const SparseRows<T>& rows = factor.sparse();
  return py::make_tuple(copy_of(rows.starts().data(), {std::ssize(rows.starts())}),
                        copy_of(rows.indices().data(), {std::ssize(rows.indices())}),
                        copy_of(rows.values().data(), {std::ssize(rows.values())}), rows.columns());
}

py::object error_of(const ResultDescription& description) {
  if (!description.error) return py::none();
  const ErrorEstimate& error = *description.error;
  const auto [low, high] = error.interval();
  py::dict facts;
  facts["relative_error"] = error.relative_error;
  facts["interval"] = py::make_tuple(low, high);
  facts["confidence"] = ErrorEstimate::confidence;
  facts["pairs"] = error.pairs + error.diagonal;
  facts["constant_error"] = error.constant_error;
  facts["exact"] = error.stopped_by == StoppedBy::all;
  return facts;
}

template <class T>
py::dict facts_of(const Result<T>& result) {
  const ResultDescription& description = result.description();
  const MethodReport& report = result.report();
  py::dict facts;
  facts["objects"] = result.size();
  facts["method"] = report.method;
  facts["similarity"] = description.similarity;
  facts["similarity_parameters"] = py::cast(description.similarity_parameters);
  facts["landmark_selection"] = description.landmark_selection;
  facts["rank"] = report.rank;
  facts["evaluations"] = description.evaluations;
  facts["negative_eigenvalues"] = report.negative_eigenvalues;
  facts["precision"] = description.precision;
  facts["warnings"] = report.warnings;
  facts["notes"] = report.notes;
  facts["provenance"] = py::cast(description.provenance);
  facts["metrics"] = py::cast(description.metrics);
  facts["growth"] = py::cast(description.growth);
  return facts;
}

template <class T>
const Objects<T>& objects_in(const Objects<T>& objects) {
  return objects;
}
template <class T>
const Objects<T>& objects_in(const SimilarityMatrix<T>& matrix) {
  return matrix.objects();
}

template <class T, class Unseen>
ResultHandle<T> extended(const ResultHandle<T>& result, const Handle<Unseen>& unseen, Index pairs) {
  unseen.require_same_session(*result.session());
  return ResultHandle<T>(result.session(),
                         result.session()->run(words<T>("extend", result, unseen), [&](const Session& session) {
                           require_unchanged(session, objects_in(unseen.content()));
                           return extend(session, result.content(), unseen.content(), {.pairs = pairs});
                         }));
}

// Everything that depends on the number type. @param digits  "32" or "64"
template <class T>
void define(py::module_& module, const std::string& digits) {
  py::class_<ObjectsHandle<T>>(module, ("Objects" + digits).c_str())
      .def_property_readonly("session", &ObjectsHandle<T>::session)
      .def("release", &ObjectsHandle<T>::release)
      .def_property_readonly("is_released", &ObjectsHandle<T>::is_released)
      .def_property_readonly("size", [](const ObjectsHandle<T>& self) { return self.content().size(); })
      .def_property_readonly("dimension", [](const ObjectsHandle<T>& self) { return self.content().dimension(); })
      .def_property_readonly("kind", [](const ObjectsHandle<T>& self) { return self.content().data().kind->name; })
      .def_property_readonly("labels", [](const ObjectsHandle<T>& self) { return self.content().labels(); })
      .def_property_readonly("lent", [](const ObjectsHandle<T>& self) { return self.content().state().lent; })
      .def_property_readonly("range", [](const ObjectsHandle<T>& self) {
        const Range range = self.content().range();
        return py::make_tuple(range.begin, range.end);
      });

  py::class_<MatrixHandle<T>>(module, ("Similarity" + digits).c_str())
      .def_property_readonly("session", &MatrixHandle<T>::session)
      .def("release", &MatrixHandle<T>::release)
      .def_property_readonly("is_released", &MatrixHandle<T>::is_released)
      .def_property_readonly("size", [](const MatrixHandle<T>& self) { return self.content().size(); })
      .def_property_readonly("name", [](const MatrixHandle<T>& self) { return self.content().name(); })
      .def_property_readonly("parameters", [](const MatrixHandle<T>& self) { return self.content().parameters(); })
      .def("entries",
           [](const MatrixHandle<T>& self, const Numbers& rows, const Numbers& columns) {
             const auto values = self.session()->run(words<T>("entries", self), [&](const Session& session) {
               return exact_entries(session, self.content(), span_of(rows), span_of(columns));
             });
             return copy_of(values.data(), {std::ssize(values)});
           })
      .def("block", [](const MatrixHandle<T>& self, const Numbers& rows, const Numbers& columns) {
        const auto values =
            std::make_shared<const Buffer<T>>(self.session()->run(words<T>("block", self), [&](const Session& session) {
              return exact_block(session, self.content(), span_of(rows), span_of(columns));
            }));
        return view(values->data(), {rows.size(), columns.size()}, values, true);
      });

  py::class_<ResultHandle<T>>(module, ("Result" + digits).c_str())
      .def_property_readonly("session", &ResultHandle<T>::session)
      .def("release", &ResultHandle<T>::release)
      .def_property_readonly("is_released", &ResultHandle<T>::is_released)
      .def_property_readonly("size", [](const ResultHandle<T>& self) { return self.content().size(); })
      .def_property_readonly("left",
                             [](const ResultHandle<T>& self) {
                               const Result<T>& result = self.content();
                               return factor(result, result.approximation().left);
                             })
      .def("give_left",
           [](const ResultHandle<T>& self) {
             const Result<T>& result = self.content();
             const auto rows = result.approximation().left.dense().local();
             return view(rows.data, {rows.rows, rows.columns}, result, true);
           })
      .def_property_readonly("right",
                             [](const ResultHandle<T>& self) {
                               const Result<T>& result = self.content();
                               return factor(result, result.approximation().right_factor());
                             })
      .def_property_readonly("range",
                             [](const ResultHandle<T>& self) {
                               const Range range = self.content().range();
                               return py::make_tuple(range.begin, range.end);
                             })
      .def_property_readonly("landmarks",
                             [](const ResultHandle<T>& self) -> py::object {
                               const auto& origin = self.content().approximation().left_origin;
                               if (!origin) return py::none();
                               return copy_of(origin->indices.data(), {std::ssize(origin->indices)});
                             })
      .def_property_readonly("error",
                             [](const ResultHandle<T>& self) { return error_of(self.content().description()); })
      .def_property_readonly("facts", [](const ResultHandle<T>& self) { return facts_of(self.content()); })
      .def("core",
           [](const ResultHandle<T>& self) {
             const Buffer<double> whole = self.session()->run(
                 words<T>("core", self), [&](const Session& session) { return core_matrix(session, self.content()); });
             const auto& core = self.content().approximation().core_matrix;
             return copy_of(whole.data(), {core_matrix_rows(core), core_matrix_columns(core)});
           })
      .def("entries",
           [](const ResultHandle<T>& self, const Numbers& rows, const Numbers& columns) {
             const auto values = self.session()->run(words<T>("entries", self), [&](const Session& session) {
               return entries(session, self.content(), span_of(rows), span_of(columns));
             });
             return copy_of(values.data(), {std::ssize(values)});
           })
      .def("measure_error",
           [](ResultHandle<T>& self, const MatrixHandle<T>& matrix, double precision) {
             matrix.require_same_session(*self.session());
             self.session()->run(words<T>("measure_error", self, matrix), [&](const Session& session) {
               require_unchanged(session, matrix.content().objects());
               static_cast<void>(probe_error(session, self.content(), matrix.content(), {.precision = precision}));
             });
             return error_of(self.content().description());
           })
      .def("keep_near",
           [](ResultHandle<T>& self, const MatrixHandle<T>& matrix, Index near, bool exact) {
             matrix.require_same_session(*self.session());
             self.session()->run(words<T>("keep_near", self, matrix), [&](const Session& session) {
               require_unchanged(session, matrix.content().objects());
               keep_near(session, self.content(), matrix.content(), near, exact);
             });
           })
      .def("extend_objects", &extended<T, Objects<T>>)
      .def("extend_similarity", &extended<T, SimilarityMatrix<T>>)
      .def("extend_file",
           [](const ResultHandle<T>& self, const Pairs& source, Index pairs) {
             return ResultHandle<T>(self.session(),
                                    self.session()->run(words<T>("extend", self), [&](const Session& session) {
                                      return extend(session, self.content(), given(source), {.pairs = pairs});
                                    }));
           })
      .def("save", [](const ResultHandle<T>& self, const std::string& path) {
        self.session()->run(words<T>("save", self),
                            [&](const Session& session) { save(session, path, self.content()); });
      });

  const auto name = [&](const char* function) { return std::string(function) + digits; };
  module.def(name("read").c_str(), [](const SharedSession& self, const std::string& kind, const Pairs& values) {
    return ObjectsHandle<T>(self, self->run(words<T>("read"), [&](const Session& session) {
      return read_objects<T>(session, kind, given(values));
    }));
  });
  module.def(name("points").c_str(), [](const SharedSession& self, const Rows<T>& rows,
                                        const std::vector<std::string>& labels, const std::string& scaling, bool copy) {
    const std::shared_ptr<const void> keeper = copy ? nullptr : shared(rows);
    std::vector<std::string> same = words<T>("points");
    same.emplace_back(copy ? "copied" : "lent");
    return ObjectsHandle<T>(self, self->run(same, [&](const Session& session) {
      return lend_points(session, span_of(rows), static_cast<Index>(rows.shape(1)), keeper, labels, scaling);
    }));
  });
  module.def(name("sparse_points").c_str(),
             [](const SharedSession& self, const Numbers& starts, const Numbers& columns, const Rows<double>& values,
                Index dimension, const std::vector<std::string>& labels, const std::string& scaling) {
               return ObjectsHandle<T>(self, self->run(words<T>("points"), [&](const Session& session) {
                 return distribute_points<T>(session, span_of(starts), span_of(columns), span_of(values), dimension,
                                             labels, scaling);
               }));
             });
  module.def(name("graph").c_str(), [](const SharedSession& self, const Numbers& starts, const Numbers& neighbors,
                                       const Rows<double>& weights, bool largest_component) {
    return ObjectsHandle<T>(self, self->run(words<T>("graph"), [&](const Session& session) {
      return distribute_graph<T>(session, span_of(starts), span_of(neighbors), span_of(weights), largest_component);
    }));
  });
  module.def(name("triangle_mesh").c_str(), [](const SharedSession& self, const Rows<double>& coordinates,
                                               const Numbers& triangles, const Pairs& values) {
    return ObjectsHandle<T>(self, self->run(words<T>("triangle mesh"), [&](const Session& session) {
      return distribute_mesh<T>(session, span_of(coordinates), span_of(triangles), given(values));
    }));
  });
  module.def(name("documents").c_str(), [](const SharedSession& self, const std::vector<std::string>& texts,
                                           const std::vector<std::string>& labels, const Pairs& values) {
    return ObjectsHandle<T>(self, self->run(words<T>("documents"), [&](const Session& session) {
      return distribute_documents<T>(session, texts, labels, given(values));
    }));
  });
  module.def(name("numbered").c_str(), [](const SharedSession& self, Index count) {
    return ObjectsHandle<T>(self, self->run(words<T>("objects"), [&](const Session& session) {
      return numbered_objects<T>(session, count);
    }));
  });
  module.def("approximate", [](const MatrixHandle<T>& matrix, const std::string& method, const Pairs& values) {
    return ResultHandle<T>(matrix.session(),
                           matrix.session()->run(words<T>("approximate", matrix), [&](const Session& session) {
                             require_unchanged(session, matrix.content().objects());
                             return approximate(session, matrix.content(), method, given(values));
                           }));
  });
  module.def("approximate_objects", [](const ObjectsHandle<T>& objects, const Pairs& keys) {
    return ResultHandle<T>(objects.session(),
                           objects.session()->run(words<T>("approximate", objects), [&](const Session& session) {
                             require_unchanged(session, objects.content());
                             return approximate(session, objects.content(), given(keys));
                           }));
  });
  module.def(name("approximate_keys").c_str(), [](const SharedSession& self, const Pairs& keys) {
    return ResultHandle<T>(self, self->run(words<T>("approximate"), [&](const Session& session) {
      return approximate<T>(session, given(keys));
    }));
  });
  module.def(name("load").c_str(), [](const SharedSession& self, const std::string& path) {
    return ResultHandle<T>(self,
                           self->run(words<T>("load"), [&](const Session& session) { return load<T>(session, path); }));
  });
  module.def(name("plan").c_str(),
             [](const SharedSession& self, const Pairs& keys, int ranks, int nodes, bool seconds) {
               const RunForecast forecast = self->run(words<T>("plan"), [&](const Session& session) {
                 return forecast_run<T>(session, given(keys), {.ranks = ranks, .nodes = nodes, .seconds = seconds});
               });
               const Plan& plan = forecast.plan;
               py::dict facts;
               facts["peak_bytes"] = plan.peak_bytes;
               facts["peak_phase"] = plan.peak_phase;
               facts["evaluations"] = plan.evaluations;
               facts["result_bytes"] = plan.result_bytes;
               py::dict items;
               for (const CostItem& item : plan.items) items[py::str(item.name)] = item.bytes;
               facts["items"] = items;
               facts["ranks"] = forecast.places.ranks;
               facts["nodes"] = forecast.places.nodes;
               if (!forecast.phases.empty()) {
                 py::dict phases;
                 double total = 0.0;
                 for (const PlanPhase& phase : forecast.phases) {
                   phases[py::str(phase.name)] = phase.seconds;
                   total += phase.seconds;
                 }
                 phases["total"] = total;
                 facts["seconds"] = phases;
               }
               if (const auto& found = forecast.landmarks) {
                 facts["landmarks"] = py::make_tuple(found->least, found->expected, found->most);
               }
               return facts;
             });
}

}  // namespace

PYBIND11_MODULE(_cairn, module) {
  if (import_mpi4py() < 0) throw py::error_already_set();
  register_errors(module);
  py::class_<SessionHandle, SharedSession>(module, "Session")
      .def(py::init(&make_session))
      .def_property_readonly("rank", [](const SessionHandle& self) { return self.session().communicator().rank(); })
      .def_property_readonly("ranks", [](const SessionHandle& self) { return self.session().communicator().size(); })
      .def_property_readonly("is_open", &SessionHandle::is_open)
      .def_property_readonly("kept", &SessionHandle::kept)
      .def("own_rows",
           [](const SessionHandle& self, Index count) {
             const Range range = own_rows(self.session(), count);
             return py::make_tuple(range.begin, range.end);
           })
      .def("close", &SessionHandle::close);
  define<float>(module, "32");
  define<double>(module, "64");
  define_transport(module);
  define_functions(module);
  define_tasks(module);
  define_help(module);
  module.def("precision_of", [](const SharedSession& self, const std::string& path) {
    return self->run({"load", path},
                     [&](const Session& session) { return read_result_shape(session.communicator(), path).precision; });
  });
}

}  // namespace cairn::python
