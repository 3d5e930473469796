// Code shared by all document formats: checks texts, and orders the errors of ranks.
#include <limits>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/documents/document_formats.hpp"
#include "cairn/data/io/encoding.hpp"

namespace cairn {

void DocumentFile::for_each(const Communicator& communicator, const UseDocument& use, const EndBlock& end) const {
  const UseDocument checked = [&](const DocumentText& document, Index line) {
    refuse_zero(document.text);
    use(document, line);
  };
  read_each(communicator, checked, end);
}

void throw_first(const Communicator& communicator, const std::optional<PlacedError>& mine) {
  constexpr Index none = std::numeric_limits<Index>::max();
  const Index first = communicator.minimum(mine ? mine->place : none);
  if (first == none) return;
  collectively(communicator, [&] {
    if (mine && mine->place == first) throw mine->error;
  });
}

}  // namespace cairn
