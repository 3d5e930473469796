#include "cairn/data/corpus/counting_state.hpp"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/log.hpp"
#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

namespace {

constexpr Index most_states = 4096;
constexpr const char* heads = "count states";

std::string places_of(Index state) { return fmt::format("count places {}", state); }
std::string sizes_of(Index state) { return fmt::format("count sizes {}", state); }
std::string rows_of(Index state) { return fmt::format("count rows {}", state); }

template <class T>
std::span<std::byte> bytes_of(T& values) {
  return std::as_writable_bytes(std::span(values));
}

// Of all ranks.
Index pieces_of(const CooccurrenceCounts& counts) {
  const Index rows = counts.partition().rows(), unit = RowPartition::unit(rows);
  return (rows + unit - 1) / unit;
}

// The number of an own piece among those of all ranks.
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
  const auto lengths = numbers.first(static_cast<std::size_t>(rows));
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
  std::vector<std::vector<Index>> pieces(static_cast<std::size_t>(counts.pieces()));
  const bool whole = collectively(communicator, [&] {
    bool found = true;
    execution_.ledger.begin(sizes_of(state).c_str(), pieces_of(counts));
    for (Index k = 0; k < counts.pieces(); ++k) {
      std::array<Index, 1> size{};
      found = found && execution_.ledger.get(number_of(counts, k), bytes_of(size));
      if (found) pieces[static_cast<std::size_t>(k)].resize(static_cast<std::size_t>(size[0]));
    }
    execution_.ledger.begin(rows_of(state).c_str(), pieces_of(counts));
    for (Index k = 0; found && k < counts.pieces(); ++k) {
      found = execution_.ledger.get(number_of(counts, k), bytes_of(pieces[static_cast<std::size_t>(k)]));
    }
    return found;
  });
  if (communicator.maximum(whole ? 0 : 1) > 0) return false;
  collectively(communicator, [&] {
    for (Index k = 0; k < counts.pieces(); ++k) {
      counts.set_piece(k, piece_of(pieces[static_cast<std::size_t>(k)], counts.rows_of_piece(k).size()));
    }
  });
  return true;
}

std::optional<TextPlace> CountingState::restore(CooccurrenceCounts& counts) {
  const Communicator& communicator = execution_.communicator;
  for (Index state = most_states - 1; state > 0; --state) {
    std::array<Index, 1> ranks{};
    collectively(communicator, [&] {
      if (!communicator.is_root()) return;
      execution_.ledger.begin(heads, most_states);
      while (state > 0 && !execution_.ledger.get(state, bytes_of(ranks))) --state;
    });
    communicator.broadcast(std::span(&state, 1), 0);
    communicator.broadcast(std::span<Index>(ranks), 0);
    if (state == 0) break;
    kept_ = std::max(kept_, state);
    if (ranks[0] != communicator.size()) {
      if (communicator.is_root()) {
        log(LogLevel::warning, fmt::format("the counts of the earlier run are of {} ranks; on {} ranks the texts are "
                                           "counted again",
                                           ranks[0], communicator.size()));
      }
      break;
    }
    std::array<Index, 2> place{};
    const bool found = collectively(communicator, [&] {
      execution_.ledger.begin(places_of(state).c_str(), communicator.size());
      return execution_.ledger.get(communicator.rank(), bytes_of(place));
    });
    if (communicator.maximum(found ? 0 : 1) == 0 && restore_rows(state, counts)) return TextPlace{place[0], place[1]};
  }
  return std::nullopt;
}

bool CountingState::due() {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  const bool wanted = kept_ + 1 < most_states && execution_.ledger.due(seconds);
  return execution_.communicator.maximum(wanted ? 1 : 0) > 0;
}

void CountingState::keep(const CooccurrenceCounts& counts, const TextPlace& place) {
  const Communicator& communicator = execution_.communicator;
  const Index state = ++kept_;
  collectively(communicator, [&] {
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
    std::array<Index, 2> own{place.text, place.place};
    ledger.begin(places_of(state).c_str(), communicator.size());
    ledger.keep(communicator.rank(), bytes_of(own));
  });
  collectively(communicator, [&] {
    std::array<Index, 1> ranks{communicator.size()};
    execution_.ledger.begin(heads, most_states);
    if (communicator.is_root()) execution_.ledger.keep(state, bytes_of(ranks));
  });
  collectively(communicator, [&] { execution_.ledger.settle(); });
}

}  // namespace cairn
