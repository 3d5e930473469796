// Makers of the similarities that know objects by their numbers alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cairn/data/matrix/dense_matrix.hpp"
#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// Where a precomputed matrix stands and how it is read.
struct MatrixFile {
  std::string path;
  std::string format;
  std::string dataset;
  std::string triangle{};                 ///< that is read for both: upper, lower, or empty
  bool directed = false;                  ///< entries (i, j) and (j, i) may differ
  bool mirrored = false;                  ///< they cannot: both are read at one place
  double largest = 0;                     ///< magnitude of some entries: beside it small ones are noise
  Meaning meaning = Meaning::similarity;  ///< what it holds
};

/// Entries of a square matrix in a file. Unless it is directed the matrix must be symmetric: pairs() compares both
/// directions always, tile() where both are in the tile, and Error(input) names i, j and both values where they differ
/// by more than MirrorRule allows (values with fractions that are all single precision: that of single precision), with
/// 10 roundings of `largest`.
///
/// Because K is then symmetric a tile may be read as K[rows, columns] or K[columns, rows]: it is read in the direction
/// that takes fewer contiguous pieces of the file. A few columns of all rows are thus read as long runs of rows.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_matrix_similarity(std::shared_ptr<const DenseMatrix> matrix,
                                                                    const MatrixFile& file);

/// Entry (i, j) is N(mean, sigma^2), N(mean, sigma_diagonal^2) if i = j, drawn at (seed, Stream::noise, min(i, j),
/// max(i, j)).
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_noise(std::uint64_t seed, double sigma, double sigma_diagonal,
                                                        double mean = 0.0);

[[nodiscard]] const SimilarityDescriptor& matrix_similarity();
[[nodiscard]] const SimilarityDescriptor& noise_similarity();

}  // namespace cairn
