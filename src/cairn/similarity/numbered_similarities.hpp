// Makers of similarities that know objects only by their ids.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cairn/data/matrix/dense_matrix.hpp"
#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// Location and format of a precomputed matrix.
struct MatrixFile {
  std::string path;
  std::string format;
  std::string dataset;
  std::string triangle{};                 ///< triangle to read for both: upper, lower, or empty
  bool directed = false;                  ///< entries (i, j) and (j, i) may differ
  bool mirrored = false;                  ///< (i, j) and (j, i) are equal: both are read at one place
  double largest = 0;                     ///< magnitude of some entries, beside which small ones are noise
  Meaning meaning = Meaning::similarity;  ///< meaning of its values
};

/// Entries of a square matrix in a file. Unless it is directed, the matrix must be symmetric: pairs() always compares
/// both directions, tile() does so for pairs that have both in the tile. Error(input) names i, j and both values if
/// they differ by more than MirrorRule allows with 10 roundings of `largest` (with its rule for single precision if all
/// values fit that and have fractions).
///
/// A tile of a symmetric K may be read as K[rows, columns] or K[columns, rows]. It is read in the direction that takes
/// fewer contiguous pieces of the file. A few columns of all rows are thus read as long runs of rows.
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_matrix_similarity(std::shared_ptr<const DenseMatrix> matrix,
                                                                    const MatrixFile& file);

/// Entry (i, j) is N(mean, sigma^2), or N(mean, sigma_diagonal^2) if i = j, drawn at (seed, Stream::noise, min(i, j),
/// max(i, j)).
template <class T>
[[nodiscard]] std::unique_ptr<Similarity<T>> make_noise(std::uint64_t seed, double sigma, double sigma_diagonal,
                                                        double mean = 0.0);

[[nodiscard]] const SimilarityDescriptor& matrix_similarity();
[[nodiscard]] const SimilarityDescriptor& noise_similarity();

}  // namespace cairn
