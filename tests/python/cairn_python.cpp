// What a Python module over <cairn/run/session.hpp> takes: arrays in, factors out, the communicator of mpi4py.
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>

#include "cairn/run/session.hpp"

namespace py = pybind11;

namespace {

using Rows = py::array_t<double, py::array::c_style | py::array::forcecast>;

cairn::GivenValues given(const py::dict& values) {
  cairn::GivenValues list;
  for (const auto& [name, value] : values) {
    const bool flag = py::isinstance<py::bool_>(value);
    list.emplace_back(py::str(name), flag ? (value.cast<bool>() ? "true" : "false") : std::string(py::str(value)));
  }
  return list;
}

Rows array_of(const double* values, cairn::Index rows, cairn::Index columns) {
  Rows array({rows, columns});
  std::copy_n(values, rows * columns, array.mutable_data());
  return array;
}

Rows factor(const cairn::Factor<double>& factor) {
  const auto rows = factor.dense().local();
  return array_of(rows.data, rows.rows, rows.columns);
}

// A function of two arrays of points. Called by the thread that holds Python's lock: the session has one.
cairn::TileFunction<double> tile_function(const py::function& function) {
  return [function](cairn::MatrixView<const double> left, cairn::MatrixView<const double> right,
                    cairn::MatrixView<double> tile) {
    const Rows values(
        function(array_of(left.data, left.rows, left.columns), array_of(right.data, right.rows, right.columns)));
    if (values.ndim() != 2 || values.shape(0) != tile.rows || values.shape(1) != tile.columns) {
      throw cairn::Error(cairn::ErrorKind::usage, "the function did not return one row per left point");
    }
    for (cairn::Index a = 0; a < tile.rows; ++a) std::copy_n(values.data(a, 0), tile.columns, tile.row(a));
  };
}

// Points, their similarity and its approximation.
class Approximation {
 public:
  Approximation(int communicator, const Rows& rows, const py::object& similarity, const py::dict& similarity_values,
                const std::string& method, const py::dict& values)
      : session_(MPI_Comm_f2c(communicator)),
        points_(cairn::distribute_points(
            session_, std::span<const double>(rows.data(), static_cast<std::size_t>(rows.size())), rows.shape(1))),
        matrix_(py::isinstance<py::function>(similarity)
                    ? cairn::similarity(session_, tile_function(similarity), points_)
                    : cairn::similarity(session_, similarity.cast<std::string>(), given(similarity_values), points_)),
        result_(cairn::approximate(session_, matrix_, method, given(values))) {}

  [[nodiscard]] Rows left() const { return factor(result_.approximation().left); }
  [[nodiscard]] Rows right() const { return factor(result_.approximation().right_factor()); }
  [[nodiscard]] Rows core_matrix() const {
    const cairn::Buffer<double> whole = cairn::core_matrix(session_, result_);
    const auto& core_matrix = result_.approximation().core_matrix;
    return array_of(whole.data(), cairn::core_matrix_rows(core_matrix), cairn::core_matrix_columns(core_matrix));
  }
  [[nodiscard]] std::vector<cairn::Index> landmarks() const { return result_.approximation().left_origin->indices; }
  double error(double precision) {
    return cairn::probe_error(session_, result_, matrix_, {.precision = precision}).relative_error;
  }
  void save(const std::string& path) const { cairn::save(session_, path, result_); }

 private:
  cairn::Session session_;
  cairn::Objects<> points_;
  cairn::SimilarityMatrix<> matrix_;
  cairn::Result<> result_;
};

}  // namespace

PYBIND11_MODULE(cairn_python, module) {
  py::class_<Approximation>(module, "Approximation")
      .def(py::init<int, const Rows&, const py::object&, const py::dict&, const std::string&, const py::dict&>())
      .def_property_readonly("left", &Approximation::left)
      .def_property_readonly("joining", &Approximation::core_matrix)
      .def_property_readonly("right", &Approximation::right)
      .def_property_readonly("landmarks", &Approximation::landmarks)
      .def("error", &Approximation::error)
      .def("save", &Approximation::save);
}
