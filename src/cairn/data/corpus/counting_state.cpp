#include "cairn/data/corpus/counting_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/log.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/digest.hpp"

namespace cairn {

namespace {

constexpr Index most_states = 4096;
constexpr const char* heads = "count states";

std::string places_of(Index state) { return fmt::format("count places with digests {}", state); }
std::string sizes_of(Index state) { return fmt::format("count sizes {}", state); }
std::string rows_of(Index state) { return fmt::format("count rows {}", state); }

template <class T>
std::span<std::byte> bytes_of(T& values) {
  return std::as_writable_bytes(std::span(values));
}

// Number of pieces of all ranks.
Index pieces_of(const CooccurrenceCounts& counts) {
  const Index rows = counts.partition().rows(), unit = RowPartition::unit(rows);
  return (rows + unit - 1) / unit;
}

// Number of a piece of this rank among those of all ranks.
Index number_of(const CooccurrenceCounts& counts, Index piece) {
  return counts.rows_of_piece(piece).begin / RowPartition::unit(counts.partition().rows());
}

// Lengths of the rows, others, counts.
std::vector<Index> numbers_of_piece(const CooccurrenceCounts& counts, Index piece) {
  std::vector<Index> numbers;
  const Range rows = counts.rows_of_piece(piece);
  for (Index i = rows.begin; i < rows.end; ++i) numbers.push_back(std::ssize(counts.row(i).others));
  for (Index i = rows.begin; i < rows.end; ++i) {
    const CountRow row = counts.row(i);
    numbers.insert(numbers.end(), row.others.begin(), row.others.end());
  }
  for (Index i = rows.begin; i < rows.end; ++i) {
    const CountRow row = counts.row(i);
    for (std::size_t k = 0; k < row.others.size(); ++k) numbers.push_back(row.count(k));
  }
  return numbers;
}

CooccurrenceCounts::Piece piece_of(std::span<const Index> numbers, Index rows) {
  CooccurrenceCounts::Piece piece;
  const auto lengths = numbers.first(rows);
  const std::size_t entries = (numbers.size() - lengths.size()) / 2;
  const auto others = numbers.subspan(lengths.size(), entries), sums = numbers.subspan(lengths.size() + entries);
  std::size_t at = 0;
  for (const Index length : lengths) {
    for (Index k = 0; k < length && at < entries; ++k, ++at) {
      piece.append(static_cast<std::int32_t>(others[at]), sums[at]);
    }
    piece.end_row();
  }
  return piece;
}

}  // namespace

bool CountingState::restore_rows(Index state, CooccurrenceCounts& counts) {
  const Communicator& communicator = execution_.communicator;
  std::vector<std::vector<Index>> pieces(counts.pieces());
  const bool whole = collectively(communicator, [&] {
    bool found = true;
    execution_.ledger.begin(sizes_of(state).c_str(), pieces_of(counts));
    for (Index k = 0; k < counts.pieces(); ++k) {
      std::array<Index, 1> size{};
      found = found && execution_.ledger.get(number_of(counts, k), bytes_of(size));
      if (found) pieces[k].resize(size[0]);
    }
    execution_.ledger.begin(rows_of(state).c_str(), pieces_of(counts));
    for (Index k = 0; found && k < counts.pieces(); ++k) {
      found = execution_.ledger.get(number_of(counts, k), bytes_of(pieces[k]));
    }
    return found;
  });
  if (communicator.maximum(whole ? 0 : 1) > 0) return false;
  collectively(communicator, [&] {
    for (Index k = 0; k < counts.pieces(); ++k) {
      counts.set_piece(k, piece_of(pieces[k], counts.rows_of_piece(k).size()));
    }
  });
  return true;
}

void CountingState::digest_texts() {
  constexpr std::uint64_t of_batches = 14;
  if (!digests_.empty()) return;
  for (std::size_t b = 0; b < text_.batches.size(); ++b) {
    const Index end = b + 1 < text_.batches.size() ? text_.batches[b + 1].first : text_.texts();
    std::uint64_t digest = of_batches;
    for (Index a = text_.batches[b].first; a < end; ++a) digest = hash_bytes(std::as_bytes(text_.text(a)), digest);
    digests_.push_back(digest);
  }
}

bool CountingState::restore_places(Index state, std::vector<BatchPlace>& places) {
  const bool whole = collectively(execution_.communicator, [&] {
    bool found = true;
    places.resize(text_.batches.size());
    execution_.ledger.begin(places_of(state).c_str(), text_.all_batches);
    for (std::size_t b = 0; found && b < places.size(); ++b) {
      found = execution_.ledger.get(text_.batches[b].number, std::as_writable_bytes(std::span(&places[b], 1)));
    }
    return found;
  });
  return execution_.communicator.maximum(whole ? 0 : 1) == 0;
}

std::optional<std::vector<BatchPlace>> CountingState::restore(CooccurrenceCounts& counts) {
  const Communicator& communicator = execution_.communicator;
  for (Index state = most_states - 1; state > 0; --state) {
    std::array<Index, 1> batches{};
    collectively(communicator, [&] {
      if (!communicator.is_root()) return;
      execution_.ledger.begin(heads, most_states);
      while (state > 0 && !execution_.ledger.get(state, bytes_of(batches))) --state;
    });
    communicator.broadcast(std::span(&state, 1), 0);
    communicator.broadcast(std::span<Index>(batches), 0);
    if (state == 0) break;
    kept_ = std::max(kept_, state);
    if (batches[0] != text_.all_batches) {  // blocks cut differently by another version of the program
      if (communicator.is_root()) {
        log(LogLevel::warning, fmt::format("the counts of the earlier run cover {} batches of texts, and the data now "
                                           "have {}; the texts are counted again",
                                           batches[0], text_.all_batches));
      }
      break;
    }
    std::vector<BatchPlace> places;
    if (!restore_places(state, places)) continue;
    const bool same = collectively(communicator, [&] {
      digest_texts();
      return std::ranges::equal(places, digests_, {}, &BatchPlace::texts_digest);
    });
    if (communicator.minimum(same ? 1 : 0) == 0) {
      if (communicator.is_root()) {
        log(LogLevel::warning,
            "the counts of the earlier run are of other texts, or of these in another order; the texts are counted "
            "again");
      }
      break;
    }
    if (restore_rows(state, counts)) return places;
  }
  return std::nullopt;
}

bool CountingState::due() {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  const bool wanted = kept_ + 1 < most_states && execution_.ledger.due(seconds);
  return execution_.communicator.maximum(wanted ? 1 : 0) > 0;
}

void CountingState::keep(const CooccurrenceCounts& counts, std::vector<BatchPlace> places) {
  const Communicator& communicator = execution_.communicator;
  const Index state = ++kept_;
  collectively(communicator, [&] {
    digest_texts();
    for (std::size_t b = 0; b < places.size(); ++b) places[b].texts_digest = digests_[b];
    TileLedger& ledger = execution_.ledger;
    std::vector<Index> sizes;
    ledger.begin(rows_of(state).c_str(), pieces_of(counts));
    for (Index k = 0; k < counts.pieces(); ++k) {
      std::vector<Index> numbers = numbers_of_piece(counts, k);
      ledger.keep(number_of(counts, k), bytes_of(numbers));
      sizes.push_back(std::ssize(numbers));
    }
    ledger.begin(sizes_of(state).c_str(), pieces_of(counts));
    for (Index k = 0; k < counts.pieces(); ++k) {
      ledger.keep(number_of(counts, k),
                  bytes_of(sizes).subspan(static_cast<std::size_t>(k) * sizeof(Index), sizeof(Index)));
    }
    ledger.begin(places_of(state).c_str(), text_.all_batches);
    for (std::size_t b = 0; b < places.size(); ++b) {
      ledger.keep(text_.batches[b].number, std::as_bytes(std::span(&places[b], 1)));
    }
  });
  collectively(communicator, [&] {
    std::array<Index, 1> batches{text_.all_batches};
    execution_.ledger.begin(heads, most_states);
    if (communicator.is_root()) execution_.ledger.keep(state, bytes_of(batches));
  });
  collectively(communicator, [&] { execution_.ledger.settle(); });
}

}  // namespace cairn
