// Sequences that similarities compare. Private to this folder.
#pragma once

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/sequences/sequence_set.hpp"

namespace cairn {

/// @throws Error(internal) for other objects. Local.
[[nodiscard]] const SequenceBlock& sequences_of(const ObjectBlock& objects);
/// @throws Error(internal) if the symbols of two blocks are numbered differently. Local.
void require_same_alphabet(const SequenceBlock& x, const SequenceBlock& y);

/// Lengths of sequences.
struct SequenceLengths {
  double mean = 0, longest = 0;
};
/// Lengths over all ranks. @param name  of the similarity @throws Error(usage) if they are not sequences. Collective.
[[nodiscard]] SequenceLengths lengths_of(const Communicator& communicator, const ObjectSet& objects,
                                         const std::string& name);

/// Number of entries that take about ten seconds, at `nanoseconds` each; at least one. Local.
[[nodiscard]] Index entries_in_tile(double nanoseconds);

}  // namespace cairn
