// Tasks on results, predictions of their models, and tables of path lengths: files between, arrays at the end.
#include "cairn/run/tasks.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/graph/graph_data.hpp"
#include "cairn/run/distances/path_table.hpp"
#include "cairn/run/session.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "cairn/store/files/classifier_file.hpp"
#include "cairn/store/files/model_file.hpp"
#include "cairn/store/files/process_file.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "session_handle.hpp"
#include "values.hpp"

namespace cairn::python {

namespace {

using Kind = hdf5::ElementType::Kind;

// Inputs of a task, but for results: its output, points, the method and the precision of these.
struct TaskArguments {
  std::string output;
  Pairs points, method;
  std::string precision;

  [[nodiscard]] TaskOptions options() const {
    TaskOptions all;
    all.output = OutputPath{output};
    all.points = given(points);
    all.method = given(method);
    all.precision = precision;
    return all;
  }
};

// Text and figures. Requires Python's lock.
py::object found_by(const TaskReport& report) { return python::python_of(report.metrics); }

py::array array_of(const std::vector<double>& values, std::vector<Index> shape) {
  return copy_of(values.data(), std::move(shape));
}

py::dict arrays_of(const ModelFile& file) {
  py::list coefficients, intercepts, lambdas;
  const auto targets = std::ssize(file.targets);
  for (const StoredModel& model : file.models) {
    coefficients.append(array_of(model.coefficients, {model.columns, targets}));
    const std::vector<double> none(file.targets.size(), 0.0);
    intercepts.append(array_of(model.intercepts.empty() ? none : model.intercepts, {targets}));
    lambdas.append(model.lambda);
  }
  py::dict arrays;
  arrays["targets"] = file.targets;
  arrays["coefficients"] = coefficients;
  arrays["intercepts"] = intercepts;
  arrays["lambdas"] = lambdas;
  return arrays;
}

py::dict arrays_of(const ProcessFile& file) {
  const auto targets = std::ssize(file.processes);
  py::list names;
  std::vector<double> means, scales, sigmas, noises, lengths;
  for (const StoredProcess& process : file.processes) {
    names.append(process.target);
    means.push_back(process.mean);
    scales.push_back(process.scale);
    sigmas.push_back(process.sigma);
    noises.push_back(process.noise);
    lengths.push_back(process.length);
  }
  py::dict arrays;
  arrays["targets"] = names;
  arrays["rows"] = copy_of(file.rows.data(), {file.training_rows()});
  arrays["features"] = array_of(file.features, {file.training_rows(), file.columns});
  arrays["values"] = array_of(file.values, {file.training_rows(), targets});
  for (const auto& [name, values] : {std::pair("means", &means),
                                     {"scales", &scales},
                                     {"sigmas", &sigmas},
                                     {"noises", &noises},
                                     {"lengths", &lengths}}) {
    arrays[name] = array_of(*values, {targets});
  }
  return arrays;
}

py::dict arrays_of(const ClassifierFile& file) {
  const auto planes = std::ssize(file.intercepts);
  py::dict arrays;
  arrays["classes"] = file.classes;
  arrays["coefficients"] = array_of(file.coefficients, {file.columns, planes});
  arrays["intercepts"] = array_of(file.intercepts, {planes});
  arrays["pairs"] = file.pairs;
  return arrays;
}

// What a model file holds, whole on every rank.
py::dict model_arrays(const SharedSession& self, const std::string& task, const std::string& path) {
  const ModelKind kind = task_named(task).needs.model;
  const auto read = [&](auto reader) {
    return arrays_of(
        self->run({"read_model", path}, [&](const Session& session) { return reader(session.communicator(), path); }));
  };
  if (kind == ModelKind::values) return read(read_model);
  if (kind == ModelKind::distributions) return read(read_process);
  return read(read_classifier);
}

template <class T>
py::array rows_of(const hdf5::InputFile& file, const std::string& name, const hdf5::TableShape& shape, Range rows) {
  std::vector<Index> sizes = {rows.size()};
  if (shape.columns >= 0) sizes.push_back(shape.columns);
  py::array_t<T> array(sizes);
  T* const out = array.mutable_data();
  const py::gil_scoped_release unlocked;
  file.read_rows(name, shape, rows, out);
  return array;
}

// The tables of numbers of a file that a task wrote: this rank's rows of those with `rows` rows, others whole.
py::dict table_arrays(const SharedSession& self, const std::string& path, Index rows) {
  struct Table {
    std::string name;
    hdf5::TableShape shape;
  };
  const std::vector<Table> tables = self->run({"read_tables", path}, [&](const Session& session) {
    return collectively(session.communicator(), [&] {
      const hdf5::InputFile file(path);
      std::vector<Table> found;
      for (const std::string& name : file.data_sets()) {
        if (name.find('/') != std::string::npos && name.find('/') != 0) continue;  // provenance, figures
        if (const hdf5::TableShape shape = file.table(name); shape.type.kind != Kind::text)
          found.push_back({name, shape});
      }
      return found;
    });
  });
  const hdf5::InputFile file(path);
  const Range own = own_rows(self->session(), rows);
  py::dict arrays;
  for (const auto& [name, shape] : tables) {
    const Range wanted = shape.rows == rows ? own : Range{0, shape.rows};
    const std::string title = name.starts_with('/') ? name.substr(1) : name;
    switch (shape.type.kind) {
      case Kind::float32:
        arrays[title.c_str()] = rows_of<float>(file, name, shape, wanted);
        break;
      case Kind::float64:
        arrays[title.c_str()] = rows_of<double>(file, name, shape, wanted);
        break;
      case Kind::int64:
        arrays[title.c_str()] = rows_of<Index>(file, name, shape, wanted);
        break;
      default:
        break;
    }
  }
  return arrays;
}

template <class T>
void define(py::module_& module) {
  module.def("run_task_on_matrix",
             [](const MatrixHandle<T>& matrix, const std::string& task, const std::vector<std::string>& results,
                const Pairs& values, const std::string& output) {
               return found_by(matrix.session()->run(words<T>("run_task", matrix), [&](const Session& session) {
                 require_unchanged(session, matrix.content().objects());
                 return run_task(session, task, results, matrix.content(), given(values),
                                 TaskArguments{output, {}, {}, "double"}.options());
               }));
             });
}

PathLengthSource path_lengths(const Session& session, const std::string& path, const Pairs& graph,
                              const std::string& search) {
  const Execution& execution = session.execution();
  if (is_result(session.communicator(), path)) {
    collectively(session.communicator(), [&] {
      if (graph.empty() && search.empty()) return;
      throw Error(ErrorKind::usage, path + " is a result, and no graph is read: parameters of a graph have no effect");
    });
    return read_path_lengths_of_result(execution, path);
  }
  GivenValues of_graph = given(graph), of_search;
  of_graph.emplace_back("path", path);
  if (!search.empty()) of_search.emplace_back("search", search);
  return read_path_lengths_of_graph(execution, values_of(graph_data().parameters, of_graph),
                                    values_of(path_length_similarity().parameters, of_search));
}

}  // namespace

void define_tasks(py::module_& module) {
  define<float>(module);
  define<double>(module);
  module.def("run_task", [](const SharedSession& self, const std::string& task, const std::vector<std::string>& results,
                            const Pairs& values, const std::string& output, const Pairs& points, const Pairs& method,
                            const std::string& precision) {
    const TaskArguments arguments{output, points, method, precision};
    return found_by(self->run({"run_task"}, [&](const Session& session) {
      return run_task(session, task, results, given(values), arguments.options());
    }));
  });
  // "" for a task that writes no file, "table" or "model".
  module.def("output_of_task", [](const std::string& task) {
    const TaskNeeds& needs = task_named(task).needs;
    return needs.model != ModelKind::none ? "model" : needs.file.empty() ? "" : "table";
  });
  // 1 if the task may take K itself.
  module.def("takes_matrix", [](const std::string& task) { return task_named(task).needs.matrix; });
  module.def("model_arrays", &model_arrays);
  module.def("table_arrays", &table_arrays);
  module.def("task_of_model", [](const SharedSession& self, const std::string& path) {
    return self->run({"read_model", path},
                     [&](const Session& session) { return read_model_task(session.communicator(), path); });
  });
  module.def("predict", [](const SharedSession& self, const std::string& model, const std::string& output,
                           const std::vector<std::string>& results, const Pairs& points) {
    return found_by(self->run({"predict"}, [&](const Session& session) {
      return predict(session, model, OutputPath{output}, {.results = results, .points = given(points)});
    }));
  });
  module.def("distances", [](const SharedSession& self, const std::string& path, const Pairs& options,
                             const Pairs& graph, const std::string& search) {
    return found_by(self->run({"distances", path, search}, [&](const Session& session) {
      const Values values = values_of(path_table_options(), given(options));
      session.require_same_call("distances", words_of(given(options), words_of(given(graph))));
      check_path_table(values);
      const PathLengthSource source = path_lengths(session, path, graph, search);
      return write_path_table(session.execution(), source, values, session.memory(), [](const ReportText&) {});
    }));
  });
}

}  // namespace cairn::python
