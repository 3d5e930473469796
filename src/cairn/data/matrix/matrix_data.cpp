// Similarity matrices as a kind of data: their rows are the objects.
#include <fmt/format.h>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/data/data_parameters.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/matrix/square_matrix.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

SquareMatrix open(const Values& values) {
  return open_square_matrix(values.required("path"), values.text("format"), values.text("dataset"), triangle_of(values),
                            values.keys());
}

template <class T>
Data<T> read(const DataInput& input) {
  const Communicator& communicator = input.execution.communicator;
  const SquareMatrix square = collectively(communicator, [&] { return open(input.values); });
  const auto& matrix = square.matrix;
  Data<T> data;
  if (square.condensed) {
    data.notes.push_back(
        fmt::format("{}, which is {}, is the condensed matrix of the distances between {} objects: the "
                    "diagonal is 0",
                    matrix->path(), square.shape, grouped(matrix->rows())));
  }
  data.objects =
      std::make_unique<NumberedObjects>(RowPartition(matrix->rows(), communicator.size()), communicator.rank());
  data.digest = data_digest(communicator, *matrix);
  return data;
}

}  // namespace

const DataKind& matrix_data() {
  static const DataKind kind = {
      .name = "matrix",
      .summary = "The rows of a matrix of similarities that was computed before.",
      .subject = "matrix is",
      .objects = objects::matrix_rows,
      .parameters = {data_parameters::path("The file with the matrix."),
                     data_parameters::format({"csv", "npy", "npz", "raw32", "raw64", "hdf5"},
                                             "raw32 and raw64 are rows of numbers without a header."),
                     data_parameters::dataset(), triangle_parameter()},
      .of_places = {"path", "format", "dataset", "triangle"},
      .check = [](const Values& values) { static_cast<void>(values.required("path")); },
      .size =
          [](const Values& values) {
            return std::optional(DataSize{open(values).matrix->rows(), 0});
          },
      .read_single = read<float>,
      .read_double = read<double>,
  };
  return kind;
}

}  // namespace cairn
