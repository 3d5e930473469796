// Similarities by name, perhaps with parts, and by functions: of Python, which hold its lock, and compiled ones, which
// do not.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "session_handle.hpp"
#include "values.hpp"

namespace cairn::python {

namespace {

template <class T>
py::array array_of(MatrixView<const T> view) {
  py::array_t<T> array({view.rows, view.columns});
  for (Index i = 0; i < view.rows; ++i) std::copy_n(view.row(i), view.columns, array.mutable_data(i, 0));
  return array;
}

// Calls a function of Python on blocks, with its lock, and takes the values that it returns.
template <class T, class Left, class Right>
void fill_tile(Pending& pending, const py::object& function, const Left& left, const Right& right, MatrixView<T> tile) {
  const py::gil_scoped_acquire locked;
  const ScopedFlag within(SessionHandle::within_call);
  try {
    const py::array any(function(left(), right()));
    if (std::string("fiub").find(any.dtype().kind()) == std::string::npos || py::hasattr(any, "mask")) {
      throw Error(ErrorKind::usage, "the function returned an array that is not one of numbers, or has a mask");
    }
    py::array_t<T, py::array::c_style | py::array::forcecast> values(any);
    if (values.ndim() == 1 && tile.columns == 1) values = values.reshape({values.shape(0), py::ssize_t{1}});
    if (values.ndim() != 2 || values.shape(0) != tile.rows || values.shape(1) != tile.columns) {
      std::string shape;
      for (py::ssize_t k = 0; k < values.ndim(); ++k) shape += (k == 0 ? "" : ", ") + std::to_string(values.shape(k));
      throw Error(ErrorKind::usage, "the function returned an array of shape (" + shape + ") for a block of " +
                                        std::to_string(tile.rows) + " x " + std::to_string(tile.columns) + " entries");
    }
    for (Index a = 0; a < tile.rows; ++a) std::copy_n(values.data(a, 0), tile.columns, tile.row(a));
  } catch (py::error_already_set& error) {
    const std::string what = error.what();
    const bool mistake = error.matches(PyExc_Exception);  // else the end of the program, as by Ctrl-C
    pending.take(error);
    if (!mistake) throw Error(ErrorKind::interrupted, "interrupted by " + what.substr(0, what.find('\n')));
    throw Error(ErrorKind::usage, "the function raised " + what.substr(0, what.find('\n')));
  }
}

template <class T>
TileFunction<T> tile_function(const SharedSession& session, const py::object& function) {
  if (function.is_none()) return {};
  return [&pending = session->pending(), function = shared(function)](MatrixView<const T> left,
                                                                      MatrixView<const T> right, MatrixView<T> tile) {
    fill_tile(
        pending, *function, [&] { return array_of(left); }, [&] { return array_of(right); }, tile);
  };
}

template <class T>
NumberFunction<T> number_function(const SharedSession& session, const py::object& function) {
  if (function.is_none()) return {};
  return [&pending = session->pending(), function = shared(function)](
             std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> tile) {
    fill_tile(
        pending, *function, [&] { return copy_of(rows.data(), {std::ssize(rows)}); },
        [&] { return copy_of(columns.data(), {std::ssize(columns)}); }, tile);
  };
}

// left and right: rows of points, row-major; tile: a row for each of left, a column for each of right.
template <class T>
using CompiledFunction = void (*)(const T* left, std::int64_t left_points, const T* right, std::int64_t right_points,
                                  std::int64_t dimension, T* tile);

// Rows without gaps: the view itself, or its values in `kept`.
template <class T>
const T* dense_rows(MatrixView<const T> rows, Buffer<T>& kept) {
  if (rows.stride == rows.columns) return rows.data;
  kept = Buffer<T>(rows.rows * rows.columns);
  for (Index i = 0; i < rows.rows; ++i) std::copy_n(rows.row(i), rows.columns, kept.data() + i * rows.columns);
  return kept.data();
}

template <class T>
TileFunction<T> compiled_function(std::uintptr_t address, const py::object& keeper) {
  const auto function = reinterpret_cast<CompiledFunction<T>>(address);
  return [function, kept = shared(keeper)](MatrixView<const T> left, MatrixView<const T> right, MatrixView<T> tile) {
    Buffer<T> of_left, of_right, of_tile;
    const bool gaps = tile.stride != tile.columns;
    if (gaps) of_tile = Buffer<T>(tile.rows * tile.columns);
    function(dense_rows(left, of_left), left.rows, dense_rows(right, of_right), right.rows, left.columns,
             gaps ? of_tile.data() : tile.data);
    for (Index a = 0; gaps && a < tile.rows; ++a) {
      std::copy_n(of_tile.data() + a * tile.columns, tile.columns, tile.row(a));
    }
  };
}

// Name and parameters of a part of a sum or product.
using Part = std::pair<std::string, Pairs>;

SimilarityChoice part_of(const Part& part) {
  const SimilarityDescriptor& chosen = similarity_named(part.first);
  if (chosen.traits.part) return {chosen, values_of(chosen.parameters, given(part.second))};
  throw Error(ErrorKind::usage, "the similarity " + part.first + " cannot be a part of another one");
}

// The words are compared between the ranks where the similarity is made.
SimilarityChoice choice_of(const std::string& kind, const Pairs& values, const std::vector<Part>& parts) {
  const SimilarityDescriptor& chosen = similarity_named(kind);
  SimilarityChoice choice(chosen, values_of(chosen.parameters, given(values)));
  for (const Part& part : parts) choice.parts.push_back(part_of(part));
  return choice;
}

template <class T>
void define(py::module_& module) {
  module.def("similarity", [](const std::string& kind, const Pairs& values, const std::vector<Part>& parts,
                              const ObjectsHandle<T>& objects) {
    return MatrixHandle<T>(objects.session(),
                           objects.session()->run(words<T>("similarity", objects), [&](const Session& session) {
                             if (parts.empty()) return similarity<T>(session, kind, given(values), objects.content());
                             const SimilarityChoice choice =
                                 collectively(session.communicator(), [&] { return choice_of(kind, values, parts); });
                             return similarity<T>(session, choice, objects.content());
                           }));
  });
  module.def("similarity_of_function", [](const py::function& function, const py::object& pairs,
                                          const ObjectsHandle<T>& objects, bool by_number, const std::string& title,
                                          bool distance, bool definite) {
    const FunctionTraits traits{.name = title, .distance = distance, .definite = definite};
    const SharedSession& self = objects.session();
    const TileFunction<T> of_tiles = tile_function<T>(self, function), of_points = tile_function<T>(self, pairs);
    const NumberFunction<T> of_numbers = number_function<T>(self, function), of_pairs = number_function<T>(self, pairs);
    std::vector<std::string> same = words<T>("similarity", objects);
    for (const bool flag : {by_number, distance, definite, !pairs.is_none()})
      same.emplace_back(flag ? "true" : "false");
    return MatrixHandle<T>(self, self->run(same, [&](const Session& session) {
      return by_number ? similarity_by_number<T>(session, of_numbers, objects.content(), traits, of_pairs)
                       : similarity<T>(session, of_tiles, objects.content(), traits, of_points);
    }));
  });
  module.def("similarity_of_compiled",
             [](std::uintptr_t address, const py::object& keeper, const ObjectsHandle<T>& objects,
                const std::string& title, bool distance, bool definite) {
               const FunctionTraits traits{.name = title, .distance = distance, .definite = definite};
               const TileFunction<T> function = compiled_function<T>(address, keeper);
               std::vector<std::string> same = words<T>("similarity", objects);
               for (const bool flag : {distance, definite}) same.emplace_back(flag ? "true" : "false");
               same.emplace_back("compiled");
               return MatrixHandle<T>(objects.session(), objects.session()->run(same, [&](const Session& session) {
                 return similarity<T>(session, function, objects.content(), traits);
               }));
             });
}

}  // namespace

void define_functions(py::module_& module) {
  define<float>(module);
  define<double>(module);
}

}  // namespace cairn::python
