// Sequences of symbols: words of a sentence, letters of a text or a protein.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cairn/data/derived_values.hpp"
#include "cairn/data/object_arrays.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/data/sequences/alphabet.hpp"

namespace cairn {

namespace objects {
inline constexpr ObjectKind sequences{"sequences"};
}  // namespace objects

/// Several sequences. Sequence a is symbols[starts[a]] up to symbols[starts[a + 1]]. It may be empty.
struct Sequences {
  std::vector<Index> starts{0};
  std::vector<std::int32_t> symbols;  ///< indices into an Alphabet

  [[nodiscard]] Index size() const { return std::ssize(starts) - 1; }
  void append(std::span<const std::int32_t> sequence);
};

/// Sequences held entirely by one rank. Spans point into the set or into `owned`.
struct SequenceBlock final : ObjectBlock {
  using ObjectBlock::ObjectBlock;
  std::span<const Index> starts;  ///< size() + 1; starts[0] need not be 0
  std::span<const std::int32_t> symbols;
  SharedAlphabet alphabet;
  std::shared_ptr<const Sequences> owned;  ///< target of the spans if it is not the set
  DerivedValues of_block;                  ///< derived from this block only
  DerivedValues of_sequences;              ///< derived from all `of_total` sequences; this block holds the sequences
                                           ///< from `of_first` on
  Index of_first = 0, of_total = 0;

  [[nodiscard]] std::span<const std::int32_t> sequence(Index a) const {
    const auto begin = static_cast<std::size_t>(starts[a]);
    return symbols.subspan(begin, static_cast<std::size_t>(starts[static_cast<std::size_t>(a) + 1]) - begin);
  }

  /// The symbols used by the sequences of both blocks, renumbered in their order.
  /// @throws Error(internal) if they have different alphabets
  [[nodiscard]] std::unique_ptr<CommonObjects> common_with(const ObjectBlock* other) const override;
  /// Writes starts and symbols, numbered as in `common`.
  void write(ArrayWriter& arrays, const CommonObjects* common) const override;
  /// The same sequences with the symbol numbers of `others`. @throws Error(internal) for a symbol that `others` lack
  [[nodiscard]] std::unique_ptr<ObjectBlock> matched_to(const ObjectSet& others) const override;
};

/// n sequences, contiguous over ranks, with labels and splits if the data have them.
///
/// Memory of a rank: 4 bytes per symbol of a sequence and 8 per sequence; the alphabet, which every rank has.
class SequenceSet final : public ObjectSet {
 public:
  /// @param sequences  sequences of this rank, as distributed by `partition`
  /// @param labels     one per sequence of this rank, or empty on every rank
  /// @param splits     as `labels`
  /// @throws Error(internal) if the sizes do not match
  SequenceSet(const RowPartition& partition, int rank, SharedAlphabet alphabet, Sequences sequences,
              std::vector<std::string> labels = {}, std::vector<std::string> splits = {});

  [[nodiscard]] const SharedAlphabet& alphabet() const { return alphabet_; }
  [[nodiscard]] const Sequences& sequences() const { return sequences_; }

  void add_sizes(const Communicator& communicator, Index value_bytes, DataSize& sizes) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> block(Range rows) const override;
  [[nodiscard]] std::vector<std::byte> pack(Range rows) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> unpack(Range rows, std::span<const std::byte> bytes) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> gather(const Communicator& communicator,
                                                    std::span<const Index> ids) const override;

 private:
  SharedAlphabet alphabet_;
  Sequences sequences_;
  DerivedValues derived_;
};

/// A block that owns its sequences.
/// @param set  set that they belong to; by default a set of their own
/// @throws Error(internal) if the number of sequences differs from that of `ids`. Local.
[[nodiscard]] std::unique_ptr<SequenceBlock> make_sequence_block(std::vector<Index> ids, Sequences sequences,
                                                                 SharedAlphabet alphabet, SetIdentity set = {});

/// Reads sequences/names, the symbols that the blocks of a file refer to. Every rank reads them.
/// @throws Error(input) for invalid names. Collective.
[[nodiscard]] std::unique_ptr<CommonObjects> read_common_symbols(const Communicator& communicator,
                                                                 const ArrayReader& file, Index dimension);

/// Reads the sequences of a block. @throws Error(input) if the arrays are inconsistent. Local.
[[nodiscard]] std::unique_ptr<ObjectBlock> read_sequence_block(const StoredObjects& stored);

}  // namespace cairn
