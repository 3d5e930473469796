#include "cairn/similarity/sequences/sequence_objects.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"

namespace cairn {

const SequenceBlock& sequences_of(const ObjectBlock& objects) {
  const auto* sequences = dynamic_cast<const SequenceBlock*>(&objects);
  if (sequences == nullptr) {
    throw Error(ErrorKind::internal, "expected sequences, got other objects");
  }
  return *sequences;
}

void require_same_alphabet(const SequenceBlock& x, const SequenceBlock& y) {
  if (x.alphabet == y.alphabet) return;
  throw Error(ErrorKind::internal, "sequences whose symbols are numbered differently are compared");
}

SequenceLengths lengths_of(const Communicator& communicator, const ObjectSet& objects, const std::string& name) {
  const auto* set = dynamic_cast<const SequenceSet*>(&objects);
  if (set == nullptr) {
    throw Error(ErrorKind::usage,
                fmt::format("the similarity {} compares sequences, and these objects are others", name));
  }
  const Sequences& own = set->sequences();
  Index longest = 0;
  for (std::size_t a = 0; a + 1 < own.starts.size(); ++a)
    longest = std::max(longest, own.starts[a + 1] - own.starts[a]);
  const Index symbols = communicator.sum(std::ssize(own.symbols));
  return {static_cast<double>(symbols) / static_cast<double>(std::max<Index>(set->size(), 1)),
          static_cast<double>(communicator.maximum(longest))};
}

Index entries_in_tile(double nanoseconds) { return std::max<Index>(1, static_cast<Index>(1e10 / nanoseconds)); }

}  // namespace cairn
