// Points in text and binary files.
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "cairn/data/matrix/matrix_file.hpp"
#include "cairn/data/network/dense_network.hpp"
#include "cairn/data/points/column_reader.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "readers.hpp"
#include "scratch_file.hpp"

namespace cairn::fuzz {

namespace {

template <class T>
void check(const PointSet<T>& points) {
  const auto rows = points.coordinates().local();
  require(rows.rows >= 1 && rows.columns >= 1, "a set of no points");
  for (Index k = 0; k < rows.rows * rows.columns; ++k) require(std::isfinite(rows.data[k]), "a number is not finite");
  const auto labels = static_cast<Index>(points.labels().size());
  require(labels == 0 || labels == rows.rows, "not one label a point");
}

template <class T = double>
void read(const PointSource& source) {
  check(read_points<T>(alone(), source));
}

void read_matrix(const std::string& path, const std::string& format) {
  const auto matrix = DenseMatrix::open(path, format, "");
  std::vector<Index> rows(matrix->rows());
  std::vector<Index> columns{0, matrix->columns() / 2, matrix->columns() - 1};
  std::iota(rows.begin(), rows.end(), Index{0});
  std::vector<double> values(rows.size() * columns.size());
  matrix->read(rows, columns, MatrixView<double>(values.data(), matrix->rows(), std::ssize(columns)));
}

}  // namespace

// The first character: a digit, the column of labels; u, one that is called so; c, two columns chosen by name; k, rows
// with missing values are skipped; i, columns are ignored.
void read_csv_points(std::string_view input) {
  const char choice = take_choice(input);
  PointSource source;
  source.path = file_of(input);
  source.format = "csv";
  if (choice >= '1' && choice <= '9') source.label = std::string(1, choice);
  if (choice == 'u') source.label = "label";
  if (choice == 'c') {
    source.columns = {"x", "2"};
    const auto table = read_point_table<double>(alone(), source);
    require(std::ssize(table.report.columns.names) == table.points.dimension(), "not one name a column");
    return check(table.points);
  }
  if (choice == 'k') source.missing = "skip";
  if (choice == 'i') source.ignored = {"1", "3-4"};
  if (choice == 's') return read<float>(source);
  read(source);
}

void read_svm_points(std::string_view input) {
  PointSource source;
  source.path = file_of(input);
  source.format = "svm";
  read(source);
}

void read_network_file(std::string_view input) {
  const char choice = take_choice(input);
  const DenseNetwork network = read_network(alone(), file_of(input), choice == 'o' ? "onnx" : "npz");
  const auto size = [](const std::vector<double>& values) { return static_cast<Index>(values.size()); };
  require(size(network.hidden_weights) == network.hidden * network.inputs &&
              size(network.output_weights) == network.outputs * network.hidden &&
              size(network.hidden_biases) == network.hidden && size(network.output_biases) == network.outputs,
          "the arrays of a network have the sizes that it says");
}

void read_binary_points(std::string_view input) {
  static ScratchFile labels;
  const char choice = take_choice(input);
  PointSource source;
  source.path = file_of(input);
  switch (choice) {
    case 'n':
      source.format = "npy";
      break;
    case 'i':
      source.format = "idx";
      break;
    case 'l':
      source.format = "idx";
      source.label = labels.hold(std::string_view("\0\0\x08\x01\0\0\0\x02\x05\x06", 10));
      break;
    case 'r':
      source.format = "raw32";
      source.dimension = 3;
      break;
    case 'R':
      source.format = "raw64";
      source.dimension = 2;
      break;
    case 'z':
      source.format = "npz";
      break;
    case 'x':
      source.format = "npz";
      source.dataset = "x";
      break;
    case 'c':
      source.format = "npy";
      source.columns = {"2", "1"};
      break;
    case 'm':
      return read_matrix(source.path, "npy");
    case 'Z':
      return read_matrix(source.path, "npz");
    case 'M':
      return read_matrix(source.path, "raw64");
    case 's':
      source.format = "npy";
      return read<float>(source);
    default:
      return;
  }
  read(source);
}

}  // namespace cairn::fuzz
