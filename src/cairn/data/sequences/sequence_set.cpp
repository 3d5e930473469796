#include "cairn/data/sequences/sequence_set.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/ask_owners.hpp"
#include "cairn/data/data_kind.hpp"

namespace cairn {

namespace {

// Packs sequences [begin, end) as bytes: their lengths, then their symbols.
std::vector<std::byte> pack_sequences(const Sequences& sequences, Index begin, Index end) {
  const auto starts = std::span(sequences.starts).subspan(begin, static_cast<std::size_t>(end - begin) + 1);
  std::vector<Index> lengths;
  for (std::size_t a = 0; a + 1 < starts.size(); ++a) lengths.push_back(starts[a + 1] - starts[a]);
  const auto symbols =
      std::as_bytes(std::span(sequences.symbols).subspan(starts.front(), starts.back() - starts.front()));
  const auto sizes = std::as_bytes(std::span(lengths));
  std::vector<std::byte> bytes(sizes.begin(), sizes.end());
  bytes.insert(bytes.end(), symbols.begin(), symbols.end());
  return bytes;
}

// Unpacks `count` sequences from the front of `bytes`, and removes those bytes.
Sequences unpack_sequences(Index count, std::span<const std::byte>& bytes) {
  const auto most = static_cast<Index>(bytes.size() / sizeof(Index));
  if (count > most) throw Error(ErrorKind::internal, "packed sequences are truncated");
  std::vector<Index> lengths(count);
  const std::size_t head = lengths.size() * sizeof(Index);
  if (head > 0) std::memcpy(lengths.data(), bytes.data(), head);
  Sequences sequences;
  for (const Index length : lengths) sequences.starts.push_back(sequences.starts.back() + length);
  sequences.symbols.resize(sequences.starts.back());
  const std::size_t rest = sequences.symbols.size() * sizeof(std::int32_t);
  if (head + rest > bytes.size()) throw Error(ErrorKind::internal, "packed sequences are truncated");
  if (rest > 0) std::memcpy(sequences.symbols.data(), bytes.data() + head, rest);
  bytes = bytes.subspan(head + rest);
  return sequences;
}

std::span<const std::int32_t> sequence_of(const Sequences& sequences, Index a) {
  const auto begin = static_cast<std::size_t>(sequences.starts[a]);
  const auto end = static_cast<std::size_t>(sequences.starts[static_cast<std::size_t>(a) + 1]);
  return std::span(sequences.symbols).subspan(begin, end - begin);
}

}  // namespace

void Sequences::append(std::span<const std::int32_t> sequence) {
  symbols.insert(symbols.end(), sequence.begin(), sequence.end());
  starts.push_back(std::ssize(symbols));
}

SequenceSet::SequenceSet(const RowPartition& partition, int rank, SharedAlphabet alphabet, Sequences sequences,
                         std::vector<std::string> labels, std::vector<std::string> splits)
    : ObjectSet(partition, rank, {.labels = std::move(labels), .splits = std::move(splits)}),
      alphabet_(std::move(alphabet)),
      sequences_(std::move(sequences)) {
  const bool sound = sequences_.size() == range_.size() && sequences_.starts.back() == std::ssize(sequences_.symbols);
  if (!sound) throw Error(ErrorKind::internal, "a set of sequences was given sequences of another number");
}

std::unique_ptr<ObjectBlock> SequenceSet::block(Range rows) const {
  auto block = std::make_unique<SequenceBlock>(identity(), numbers_of(rows));
  block->starts =
      std::span(sequences_.starts).subspan(rows.begin - range_.begin, static_cast<std::size_t>(rows.size()) + 1);
  block->symbols = sequences_.symbols;
  block->alphabet = alphabet_;
  block->of_sequences = derived_;
  block->of_first = rows.begin - range_.begin;
  block->of_total = range_.size();
  return block;
}

std::vector<std::byte> SequenceSet::pack(Range rows) const {
  auto bytes = pack_sequences(sequences_, rows.begin - range_.begin, rows.end - range_.begin);
  derived_.pack(rows.begin - range_.begin, rows.size(), bytes);
  return bytes;
}

std::unique_ptr<ObjectBlock> SequenceSet::unpack(Range rows, std::span<const std::byte> bytes) const {
  auto block = make_sequence_block(numbers_of(rows), unpack_sequences(rows.size(), bytes), alphabet_, identity());
  block->of_sequences.unpack(rows.size(), bytes);
  return block;
}

std::unique_ptr<ObjectBlock> SequenceSet::gather(const Communicator& communicator, std::span<const Index> ids) const {
  const auto received = ask_owners<std::byte>(communicator, partition_, ids, [this](std::span<const Index> asked) {
    Sequences answer;
    for (const Index id : asked) answer.append(sequence_of(sequences_, id - range_.begin));
    return pack_sequences(answer, 0, answer.size());
  });
  return collectively(communicator, [&] {
    std::vector<Index> next(received.size(), 0);
    for (const Index id : ids) ++next[partition_.owner(id)];
    std::vector<Sequences> parts;
    for (std::size_t r = 0; r < received.size(); ++r) {
      std::span<const std::byte> bytes = received[r];
      parts.push_back(unpack_sequences(std::exchange(next[r], 0), bytes));
    }
    Sequences all;
    for (const Index id : ids) {
      const auto owner = static_cast<std::size_t>(partition_.owner(id));
      all.append(sequence_of(parts[owner], next[owner]++));
    }
    return std::unique_ptr<ObjectBlock>(
        make_sequence_block({ids.begin(), ids.end()}, std::move(all), alphabet_, identity()));
  });
}

std::unique_ptr<SequenceBlock> make_sequence_block(std::vector<Index> ids, Sequences sequences, SharedAlphabet alphabet,
                                                   SetIdentity set) {
  if (sequences.size() != std::ssize(ids)) throw Error(ErrorKind::internal, "not one sequence a number");
  auto block = std::make_unique<SequenceBlock>(set, std::move(ids));
  auto owned = std::make_shared<const Sequences>(std::move(sequences));
  block->starts = owned->starts;
  block->symbols = owned->symbols;
  block->alphabet = std::move(alphabet);
  block->owned = std::move(owned);
  block->of_total = block->size();
  return block;
}

// Average bytes of a sequence: symbols, start and split. Every rank holds the names of the symbols.
void SequenceSet::add_sizes(const Communicator& communicator, Index /*value_bytes*/, DataSize& sizes) const {
  constexpr Index split_bytes = 32;  // a short std::string
  const auto sum = [&](std::size_t count) { return communicator.sum(static_cast<Index>(count)); };
  const Index bytes = sum(sequences().symbols.size()) * static_cast<Index>(sizeof(std::int32_t)) +
                      size() * static_cast<Index>(sizeof(Index)) + sum(splits().size()) * split_bytes;
  sizes.document_bytes = (bytes + size() - 1) / size();
}

}  // namespace cairn
