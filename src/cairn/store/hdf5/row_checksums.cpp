#include "cairn/store/hdf5/row_checksums.hpp"

#include <algorithm>
#include <cstddef>

namespace cairn::hdf5 {

Index rows_of_checksum(Index row_bytes) {
  constexpr Index bytes = Index{1} << 20;
  return std::max<Index>(1, bytes / std::max<Index>(1, row_bytes));
}

Index checksums_of(Index rows, Index row_bytes) {
  if (row_bytes == 0) return 0;
  const Index chunk = rows_of_checksum(row_bytes);
  return rows / chunk + (rows % chunk > 0 ? 1 : 0);
}

void RowChecksums::add(Range rows, Index row_bytes, const void* values) {
  const auto* from = static_cast<const std::byte*>(values);
  for (Index first = rows.begin; first < rows.end && row_bytes > 0;) {
    const Index last = std::min(rows.end, (first / chunk_rows_ + 1) * chunk_rows_);
    const bool follows = !pieces_.empty() && first == end_ && first % chunk_rows_ != 0;
    if (!follows) pieces_.push_back({first, 0, 0});
    Piece& piece = pieces_.back();
    const Index bytes = (last - first) * row_bytes;
    piece.sum = crc32(from + (first - rows.begin) * row_bytes, bytes, piece.sum);
    piece.bytes += bytes;
    first = end_ = last;
  }
}

std::vector<std::uint32_t> RowChecksums::gather(const Communicator& communicator, Index count) const {
  std::vector<std::vector<Piece>> send(communicator.size());
  send.front() = pieces_;
  std::vector<Piece> all;
  for (const auto& pieces : communicator.exchange(send)) all.insert(all.end(), pieces.begin(), pieces.end());
  if (!communicator.is_root()) return {};
  std::ranges::sort(all, {}, &Piece::first);
  std::vector<std::uint32_t> sums(count, 0);
  for (const Piece& piece : all) {
    std::uint32_t& sum = sums.at(static_cast<std::size_t>(piece.first / chunk_rows_));
    sum = crc32_of_both(sum, piece.sum, piece.bytes);
  }
  return sums;
}

}  // namespace cairn::hdf5
