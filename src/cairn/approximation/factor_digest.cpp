#include "cairn/approximation/factor_digest.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "cairn/approximation/feature_map.hpp"
#include "cairn/data/digest.hpp"

namespace cairn {

namespace {

template <class T>
std::uint64_t hash_rows(const RowBlock<T>& factor, Range rows, std::uint64_t start) {
  const auto count = static_cast<std::size_t>(rows.size() * factor.columns());
  return hash_bytes(std::as_bytes(std::span(factor.row(rows.begin).data(), count)), start);
}

template <class T>
std::uint64_t hash_rows(const SparseRows<T>& factor, Range rows, std::uint64_t start) {
  std::vector<Index> counts;
  for (Index i = rows.begin; i < rows.end; ++i) counts.push_back(static_cast<Index>(factor.row(i).columns.size()));
  const auto first = static_cast<std::size_t>(factor.starts()[rows.begin - factor.range().begin]);
  const auto entries = static_cast<std::size_t>(factor.starts()[rows.end - factor.range().begin]) - first;
  std::uint64_t state = hash_bytes(std::as_bytes(std::span(counts)), start);
  state = hash_bytes(std::as_bytes(std::span(factor.indices()).subspan(first, entries)), state);
  return hash_bytes(std::as_bytes(std::span(factor.values()).subspan(first, entries)), state);
}

// Hash of landmarks that are not in the data: neither their numbers nor J identify them.
std::uint64_t hash_foreign(const FactorOrigin& origin,
                           std::span<const std::pair<std::string, std::string>> parameters) {
  const bool foreign = std::any_of(origin.indices.begin(), origin.indices.end(), [](Index id) { return id < 0; });
  if (!foreign || origin.objects == nullptr) return 0;
  const std::optional<std::uint64_t> digest = origin.objects->digest();
  if (!digest) return 0;
  std::uint64_t state = *digest;
  for (const auto& [name, value] : parameters) state = hash_text(value, hash_text(name, state));
  return state;
}

// Hash of own entries of a block-cyclic matrix.
std::uint64_t own_entries(const BlockCyclicMatrix& matrix, std::uint64_t start) {
  std::uint64_t sum = 0;
  for (Index j = 0; j < matrix.local_columns(); ++j) {
    for (Index i = 0; i < matrix.local_rows(); ++i) {
      const auto place = static_cast<std::uint64_t>(matrix.global_row(i) * matrix.columns() + matrix.global_column(j));
      sum += mix_bits(mix_bits(place + start) ^ std::bit_cast<std::uint64_t>(matrix.local(i, j)));
    }
  }
  return sum;
}

// This rank's contribution to the digest of J; tiles do not occur with factors that have one.
std::uint64_t own_core(const Communicator& communicator, const CoreMatrix& core_matrix) {
  if (const auto* dense = std::get_if<DenseCore>(&core_matrix)) return own_entries(dense->matrix, 1);
  const auto* diagonal = std::get_if<DiagonalCore>(&core_matrix);
  if (diagonal == nullptr || !communicator.is_root()) return 0;
  return hash_bytes(std::as_bytes(std::span(diagonal->values)), 2);
}

}  // namespace

template <class T>
std::uint64_t factor_digest(const Communicator& communicator, const Factor<T>& factor) {
  const Index unit = RowPartition::unit(factor.rows());
  const Range own = factor.range();
  std::uint64_t sum = 0;
  for (Index begin = own.begin; begin < own.end; begin += unit) {
    const Range rows{begin, std::min(begin + unit, own.end)};
    const auto start = static_cast<std::uint64_t>(begin / unit) + 1;
    sum += factor.is_sparse() ? hash_rows(factor.sparse(), rows, start)
                              : factor.tall().visit([&](const auto& dense) { return hash_rows(dense, rows, start); });
  }
  const std::uint64_t total = mix_bits(communicator.sum(sum) + static_cast<std::uint64_t>(factor.rows()));
  return mix_bits(total + static_cast<std::uint64_t>(factor.columns()));
}

template <class T>
std::uint64_t basis_digest(const Communicator& communicator, const Approximation<T>& approximation,
                           std::span<const std::pair<std::string, std::string>> parameters) {
  const auto& origin = approximation.left_origin;
  if (approximation.left.is_sparse() || !origin) return factor_digest(communicator, approximation.left);
  std::uint64_t sum = own_core(communicator, approximation.core_matrix);
  if (origin->map) sum += own_entries(*origin->map, std::uint64_t{1} << 62);
  const std::uint64_t landmarks = hash_bytes(std::as_bytes(std::span(origin->indices)), 3) +
                                  hash_foreign(*origin, parameters) +
                                  (origin->features ? digest_of(*origin->features) : 0);
  return mix_bits(communicator.sum(sum) + landmarks + static_cast<std::uint64_t>(approximation.left.columns()));
}

#define CAIRN_INSTANTIATE(T)                                                        \
  template std::uint64_t factor_digest(const Communicator&, const Factor<T>&);      \
  template std::uint64_t basis_digest(const Communicator&, const Approximation<T>&, \
                                      std::span<const std::pair<std::string, std::string>>);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
