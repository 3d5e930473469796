// Entries of a precomputed matrix.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/similarity/coincidences.hpp"
#include "cairn/similarity/numbered_similarities.hpp"
#include "cairn/similarity/sampled_meaning.hpp"
#include "cairn/similarity/symmetrized_similarity.hpp"

namespace cairn {

namespace {

// Pieces that numbers fall into when neighbours are read together.
Index contiguous_runs(std::span<const Index> ids) {
  Index runs = ids.empty() ? 0 : 1;
  for (std::size_t k = 1; k < ids.size(); ++k) runs += ids[k] != ids[k - 1] + 1 ? 1 : 0;
  return runs;
}

bool is_single(double value) { return static_cast<double>(static_cast<float>(value)) == value; }

template <class T>
class MatrixSimilarity final : public Similarity<T> {
 public:
  MatrixSimilarity(std::shared_ptr<const DenseMatrix> matrix, const MatrixFile& file)
      : Similarity<T>({.name = "matrix", .meaning = file.meaning, .defined_for_unseen = false}),
        matrix_(std::move(matrix)),
        file_(file) {}

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override {
    std::vector<std::pair<std::string, std::string>> all = {
        {"path", file_.path}, {"format", file_.format}, {"dataset", file_.dataset}};
    if (file_.meaning == Meaning::distance) all.emplace_back("meaning", "distance");
    return all;
  }

 protected:
  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override {
    require_seen(rows);
    require_seen(columns);
    const bool by_columns =
        !file_.directed && columns.size() * contiguous_runs(rows.ids) < rows.size() * contiguous_runs(columns.ids);
    const Buffer<double> values = by_columns ? read(columns.ids, rows.ids) : read(rows.ids, columns.ids);
    const auto value = [&](Index a, Index b) {
      return by_columns ? values[b * out.rows + a] : values[a * out.columns + b];
    };
    for (Index a = 0; a < out.rows; ++a) {
      for (Index b = 0; b < out.columns; ++b) out(a, b) = static_cast<T>(value(a, b));
    }
    if (!file_.directed) require_symmetric(rows, columns, by_columns, value);
  }

  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const override {
    require_seen(first);
    require_seen(second);
    for (std::size_t a = 0; a < out.size(); ++a) {
      const Index i = first.ids[a];
      const Index j = second.ids[a];
      const double there = read({&i, 1}, {&j, 1})[0];
      if (!file_.directed && i != j) compare(i, j, there, read({&j, 1}, {&i, 1})[0]);
      out[a] = static_cast<T>(there);
    }
  }

 private:
  [[nodiscard]] Buffer<double> read(std::span<const Index> rows, std::span<const Index> columns) const {
    const auto height = static_cast<Index>(rows.size());
    const auto width = static_cast<Index>(columns.size());
    Buffer<double> values(height * width);
    matrix_->read(rows, columns, MatrixView<double>(values.data(), height, width));
    return values;
  }

  void require_seen(const ObjectBlock& objects) const {
    for (const Index id : objects.ids) {
      if (id < 0 || id >= matrix_->rows()) {
        throw Error(ErrorKind::usage, fmt::format("a matrix is not defined for out-of-sample objects ({} has "
                                                  "{} rows)",
                                                  file_.path, matrix_->rows()));
      }
    }
  }

  // Entries of which the tile holds both directions: objects that are rows and columns.
  template <class Value>
  void require_symmetric(const ObjectBlock& rows, const ObjectBlock& columns, bool transposed,
                         const Value& value) const {
    const auto both = coincidences(rows, columns);
    for (std::size_t p = 0; p < both.size(); ++p) {
      for (std::size_t q = 0; q < p; ++q) {
        const double there = value(both[p].first, both[q].second);
        const double back = value(both[q].first, both[p].second);
        const Index i = columns.ids[static_cast<std::size_t>(both[p].second)];
        const Index j = columns.ids[static_cast<std::size_t>(both[q].second)];
        transposed ? compare(i, j, back, there) : compare(i, j, there, back);
      }
    }
  }

  void compare(Index i, Index j, double there, double back) const {
    const double tolerance = is_single(there) && is_single(back) ? 1e-5 : 1e-8;
    if (std::abs(there - back) <= tolerance * std::max(std::abs(there), std::abs(back))) return;
    throw Error(
        ErrorKind::input,
        fmt::format("{} is not symmetric: entry ({}, {}) is {:.10g} and entry ({}, {}) is {:.10g} (counted from "
                    "0); say symmetrize = true to average both directions",
                    file_.path, i, j, there, j, i, back));
  }

  std::shared_ptr<const DenseMatrix> matrix_;
  MatrixFile file_;
};

}  // namespace

template <class T>
std::unique_ptr<Similarity<T>> make_matrix_similarity(std::shared_ptr<const DenseMatrix> matrix,
                                                      const MatrixFile& file) {
  return std::make_unique<MatrixSimilarity<T>>(std::move(matrix), file);
}

template std::unique_ptr<Similarity<float>> make_matrix_similarity<float>(std::shared_ptr<const DenseMatrix>,
                                                                          const MatrixFile&);
template std::unique_ptr<Similarity<double>> make_matrix_similarity<double>(std::shared_ptr<const DenseMatrix>,
                                                                            const MatrixFile&);

namespace {

template <class T>
std::unique_ptr<Similarity<T>> matrix_of(const SimilarityInput<T>& input) {
  const Values& values = input.choice.values;
  const std::string &path = values.required("path"), &format = values.text("format"), &dataset = values.text("dataset");
  const Index objects = input.objects.size();
  auto opened = collectively(input.execution.communicator, [&] {
    auto matrix = DenseMatrix::open(path, format, dataset, values.keys());
    if (matrix->rows() != matrix->columns()) {
      throw Error(ErrorKind::input, fmt::format("{} is {} x {}: a matrix of similarities must be square", path,
                                                matrix->rows(), matrix->columns()));
    }
    if (matrix->rows() != objects) {
      throw Error(ErrorKind::input, fmt::format("{} is {} x {}, and there are {} objects", path, matrix->rows(),
                                                matrix->columns(), objects));
    }
    return matrix;
  });
  if (!values.given("meaning")) {
    require_meaning_of_matrix(input.execution.communicator, *opened, values);
  }
  const bool symmetrize = values.flag("symmetrize");
  auto matrix = make_matrix_similarity<T>(
      std::move(opened),
      {.path = path, .format = format, .dataset = dataset, .directed = symmetrize, .meaning = meaning_of(values)});
  return symmetrize ? make_symmetrized<T>(std::move(matrix)) : std::move(matrix);
}

}  // namespace

const SimilarityDescriptor& matrix_similarity() {
  using enum ValueType;
  static const SimilarityDescriptor similarity{
      .name = "matrix",
      .summary = "The entries of a square matrix in a file.",
      .parameters = {{.name = "path",
                      .value = "FILE",
                      .type = input_path,
                      .help = "The file; by default data.path if data.kind is matrix."},
                     {.name = "format",
                      .value = "FORMAT",
                      .type = choice,
                      .help = "Its format; known from its name unless given.",
                      .choices = {"npy", "npz", "raw32", "raw64", "hdf5"}},
                     {.name = "dataset",
                      .value = "NAME",
                      .help = "HDF5: the data set; by default the only two-dimensional one; npz: the array; by default "
                              "the only one."},
                     symmetrize_parameter(),
                     meaning_parameter()},
      .objects = {objects::points, objects::documents, objects::mesh_vertices, objects::matrix_rows},
      .default_for = {objects::matrix_rows},
      .traits = {.part = true, .stored = true},
      .refine = refine_stored,
      .make_single = matrix_of<float>,
      .make_double = matrix_of<double>};
  return similarity;
}

}  // namespace cairn
