// Values between Python and Cairn: parameters, arrays, findings.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cairn/parameters/given.hpp"
#include "cairn/run/session.hpp"
#include "session_handle.hpp"

namespace cairn::python {

using Pairs = std::vector<std::pair<std::string, std::string>>;
using Numbers = py::array_t<Index, py::array::c_style>;
template <class T>
using Rows = py::array_t<T, py::array::c_style>;
using SharedSession = std::shared_ptr<SessionHandle>;
template <class T>
using ObjectsHandle = Handle<Objects<T>>;
template <class T>
using MatrixHandle = Handle<SimilarityMatrix<T>>;
template <class T>
using ResultHandle = Handle<Result<T>>;

inline GivenValues given(const Pairs& pairs) {
  GivenValues values;
  for (const auto& [name, value] : pairs) values.emplace_back(name, value);
  return values;
}

template <class T>
const char* digits_of() {
  return sizeof(T) == 4 ? "single precision" : "double precision";
}

// Words of a call that must be the same on all ranks: its name, the precision, the numbers of what it takes.
template <class T, class... Handles>
std::vector<std::string> words(const char* name, const Handles&... handles) {
  return {name, digits_of<T>(), ("object " + std::to_string(handles.number()))...};
}

template <class T>
std::span<const T> span_of(const py::array_t<T, py::array::c_style>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

// An array over memory that `owner` keeps alive.
template <class T, class Owner>
py::array view(const T* values, std::vector<Index> shape, Owner owner, bool writable = false) {
  const py::capsule base(new Owner(std::move(owner)), [](void* kept) { delete static_cast<Owner*>(kept); });
  py::array_t<T> array(std::move(shape), values, base);
  if (!writable) array.attr("setflags")(py::arg("write") = false);
  return array;
}

template <class T>
py::array copy_of(const T* values, std::vector<Index> shape) {
  return py::array_t<T>(std::move(shape), values);
}

/// The findings of a task. Require Python's lock.
py::object python_of(const Metric& metric);
py::dict python_of(const Metric::Record& record);

/// Something of Python that any thread may release, without its lock.
std::shared_ptr<const py::object> shared(py::object kept);

/// Define what is called, for both number types: Session.transport; similarities by functions; tasks, predictions and
/// tables of path lengths; the pages of help.
void define_transport(py::module_& module);
void define_functions(py::module_& module);
void define_tasks(py::module_& module);
void define_help(py::module_& module);

}  // namespace cairn::python
