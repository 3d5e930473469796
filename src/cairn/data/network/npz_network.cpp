// A network in four NumPy arrays.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/data/io/zip_archive.hpp"
#include "cairn/data/matrix/matrix_file.hpp"
#include "cairn/data/network/network_formats.hpp"

namespace cairn {

namespace {

struct Array {
  Index rows = 0, columns = 0;
  std::vector<double> values;

  [[nodiscard]] std::string shape() const { return fmt::format("{} x {}", rows, columns); }
};

Array read_array(const std::string& path, const char* name) {
  const auto matrix = open_matrix_file(path, "npz", name, 0, {});
  Array array{matrix->rows(), matrix->columns(), {}};
  std::vector<Index> rows(array.rows), columns(static_cast<std::size_t>(array.columns));
  std::iota(rows.begin(), rows.end(), Index{0});
  std::iota(columns.begin(), columns.end(), Index{0});
  array.values.resize(rows.size() * columns.size());
  matrix->read(rows, columns, MatrixView<double>(array.values.data(), array.rows, array.columns));
  return array;
}

bool has_array(const std::string& path, const std::string& name) {
  const std::vector<ZipMember> members = zip_members(path);
  return std::ranges::find(members, name + ".npy", &ZipMember::name) != members.end();
}

// One number for each row of the weights: a list, or a matrix with one row or column.
std::vector<double> read_biases(const std::string& path, const char* name, const char* weights, const Array& of) {
  Array array = read_array(path, name);
  if (std::min(array.rows, array.columns) == 1 && std::ssize(array.values) == of.rows) return std::move(array.values);
  throw Error(ErrorKind::input, fmt::format("{}: shapes do not chain: {} is {}, {} is {}; it needs a number for each "
                                            "row of {}",
                                            path, weights, of.shape(), name, array.shape(), weights));
}

}  // namespace

DenseNetwork read_npz_network(const std::string& path) {
  Array hidden = read_array(path, "W1");
  DenseNetwork network;
  if (has_array(path, "b1")) {
    network.hidden_biases = read_biases(path, "b1", "W1", hidden);
  } else {
    network.hidden_biases.assign(hidden.rows, 0.0);
    network.notes.push_back(fmt::format("{} holds no array 'b1': the hidden layer has no biases, b1 = 0", path));
  }
  Array outputs = read_array(path, "W2");
  network.output_biases = read_biases(path, "b2", "W2", outputs);
  if (outputs.columns != hidden.rows) {
    throw Error(ErrorKind::input, fmt::format("{}: shapes do not chain: W1 is {}, W2 is {}; W2 needs a column for each "
                                              "row of W1",
                                              path, hidden.shape(), outputs.shape()));
  }
  network.inputs = hidden.columns;
  network.hidden = hidden.rows;
  network.outputs = outputs.rows;
  network.layers = {fmt::format("W1 {}", hidden.shape()), fmt::format("W2 {}", outputs.shape())};
  network.hidden_weights = std::move(hidden.values);
  network.output_weights = std::move(outputs.values);
  return network;
}

}  // namespace cairn
