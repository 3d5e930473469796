// Entries of a precomputed matrix.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/matrix/square_matrix.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/similarity/coincidences.hpp"
#include "cairn/similarity/mirror_images.hpp"
#include "cairn/similarity/numbered_similarities.hpp"
#include "cairn/similarity/sampled_meaning.hpp"
#include "cairn/similarity/symmetrized_similarity.hpp"

namespace cairn {

namespace {

// Number of contiguous pieces when neighboring ids are read together.
Index contiguous_runs(std::span<const Index> ids) {
  Index runs = ids.empty() ? 0 : 1;
  for (std::size_t k = 1; k < ids.size(); ++k) runs += ids[k] != ids[k - 1] + 1 ? 1 : 0;
  return runs;
}

bool fits_single(double value) { return static_cast<double>(static_cast<float>(value)) == value; }
bool is_integer(double value) { return std::trunc(value) == value; }

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
    if (!file_.triangle.empty()) all.emplace_back("triangle", file_.triangle);
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
    if (!file_.directed && !file_.mirrored) require_symmetric(rows, columns, by_columns, value);
  }

  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const override {
    require_seen(first);
    require_seen(second);
    for (std::size_t a = 0; a < out.size(); ++a) {
      const Index i = first.ids[a];
      const Index j = second.ids[a];
      const double there = read({&i, 1}, {&j, 1})[0];
      if (!file_.directed && !file_.mirrored && i != j) compare(i, j, there, read({&j, 1}, {&i, 1})[0]);
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

  // Compares entries of which the tile holds both directions: objects that are both rows and columns.
  template <class Value>
  void require_symmetric(const ObjectBlock& rows, const ObjectBlock& columns, bool transposed,
                         const Value& value) const {
    const auto both = coincidences(rows, columns);
    for (std::size_t p = 0; p < both.size(); ++p) {
      for (std::size_t q = 0; q < p; ++q) {
        const double there = value(both[p].first, both[q].second);
        const double back = value(both[q].first, both[p].second);
        const Index i = columns.ids[both[p].second];
        const Index j = columns.ids[both[q].second];
        transposed ? compare(i, j, back, there) : compare(i, j, there, back);
      }
    }
  }

  void compare(Index i, Index j, double there, double back) const {
    constexpr double roundings = 10;
    const double largest = std::max({file_.largest, std::abs(there), std::abs(back)});
    // True if both values look rounded to single precision. Integers do not count: they fit both precisions.
    const bool single = fits_single(there) && fits_single(back) && !(is_integer(there) && is_integer(back));
    if (MirrorRule(single, largest, roundings).allows(there, back)) return;
    throw Error(
        ErrorKind::input,
        fmt::format("{} is not symmetric: entry ({}, {}) is {:.10g} and entry ({}, {}) is {:.10g} (counted from "
                    "0); {} = true averages both directions, {} = upper or lower takes one of them for both",
                    file_.path, i, j, there, j, i, back, this->keys()("symmetrize"), this->keys()("triangle")));
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

// @throws Error(input) if the file holds one triangle only, and the other one or both are to be read.
void require_triangle(const MatrixSample& sample, const std::string& path, const Values& values) {
  const Triangle only = sample.only_triangle();
  if (only == Triangle::both || only == triangle_of(values)) return;
  const bool upper = only == Triangle::upper;
  const char* what = triangle_of(values) != Triangle::both ? "and is not in the triangle that is read"
                     : values.flag("symmetrize")           ? "so that the mean of both directions would halve it"
                                                           : "and is not symmetric";
  throw Error(ErrorKind::input, fmt::format("{} holds only one triangle, {}: all {} sampled entries {} the diagonal "
                                            "are 0; set {} = {} to read the other triangle and mirror it",
                                            path, what, grouped(sample.pairs), upper ? "below" : "above",
                                            values.keys()("triangle"), upper ? "upper" : "lower"));
}

// Largest magnitude of a few entries, which rank 0 reads. @throws as require_triangle. Collective.
double checked_magnitude(const Communicator& communicator, const SquareMatrix& square, const Values& values) {
  double largest = 0;
  collectively(communicator, [&] {
    if (!communicator.is_root() || square.condensed) return;
    const std::string& path = values.text("path");
    const MatrixSample sample = sample_of(*square.matrix);
    largest = sample.largest;
    if (!square.mirrored) {
      require_triangle(sample, path, values);
    } else if (sample.above == 0) {  // the nonzeros may all be in the other triangle
      const auto whole =
          open_square_matrix(path, values.text("format"), values.text("dataset"), Triangle::both, values.keys());
      require_triangle(sample_of(*whole.matrix), path, values);
    }
  });
  communicator.broadcast(std::span(&largest, 1), 0);
  return largest;
}

template <class T>
std::unique_ptr<Similarity<T>> matrix_of(const SimilarityInput<T>& input) {
  const Values& values = input.choice.values;
  const std::string &path = values.required("path"), &format = values.text("format"), &dataset = values.text("dataset");
  const Index objects = input.objects.size();
  const Communicator& communicator = input.execution.communicator;
  auto opened = collectively(communicator, [&] {
    SquareMatrix square = open_square_matrix(path, format, dataset, triangle_of(values), values.keys());
    const auto& matrix = square.matrix;
    if (square.condensed && meaning_of(values) != Meaning::distance) {
      throw Error(ErrorKind::input,
                  fmt::format("{} is {}: as many numbers as a condensed matrix of the distances between {} objects has "
                              "(SciPy's pdist); it is read as one if {} = distance",
                              path, square.shape, grouped(matrix->rows()), values.keys()("meaning")));
    }
    if (matrix->rows() != matrix->columns()) {
      throw Error(ErrorKind::input, fmt::format("{} is {} x {}: a matrix of similarities must be square", path,
                                                matrix->rows(), matrix->columns()));
    }
    if (matrix->rows() != objects) {
      throw Error(ErrorKind::input, fmt::format("{} is {} x {}, and there are {} objects", path, matrix->rows(),
                                                matrix->columns(), objects));
    }
    return square;
  });
  if (!values.given("meaning")) require_meaning_of_matrix(communicator, *opened.matrix, values);
  const double largest = checked_magnitude(communicator, opened, values);
  const bool symmetrize = values.flag("symmetrize");
  auto matrix = make_matrix_similarity<T>(std::move(opened.matrix), {.path = path,
                                                                     .format = format,
                                                                     .dataset = dataset,
                                                                     .triangle = values.text("triangle"),
                                                                     .directed = symmetrize,
                                                                     .mirrored = opened.mirrored,
                                                                     .largest = largest,
                                                                     .meaning = meaning_of(values)});
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
                     triangle_parameter(),
                     symmetrize_parameter(),
                     meaning_parameter()},
      .objects = {objects::points, objects::documents, objects::mesh_vertices, objects::matrix_rows},
      .default_for = {objects::matrix_rows},
      .traits = {.part = true, .stored = true},
      .refine = refine_stored,
      .check =
          [](const SimilarityChoice& choice) {
            if (triangle_of(choice.values) == Triangle::both || !choice.values.flag("symmetrize")) return;
            choice.values.refuse("symmetrize", "has no effect on a triangle, which is taken for both");
          },
      .make_single = matrix_of<float>,
      .make_double = matrix_of<double>};
  return similarity;
}

}  // namespace cairn
