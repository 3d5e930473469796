#include "cairn/data/io/dealt_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_reading.hpp"

namespace cairn {

namespace {

// Neighbouring records on their way to their owner: `count` from row `first` on.
struct Run {
  Index first = 0;
  Index count = 0;
};

struct Outgoing {
  std::vector<std::vector<Run>> runs;
  std::vector<std::vector<Index>> lengths;
  std::vector<std::vector<char>> bytes;
  explicit Outgoing(std::size_t ranks) : runs(ranks), lengths(ranks), bytes(ranks) {}
};

Outgoing sort_by_owner(const ParsedBytes& parsed, const std::vector<Index>& first, const RowPartition& partition) {
  Outgoing out(static_cast<std::size_t>(partition.ranks()));
  std::size_t record = 0;
  const char* bytes = parsed.bytes.data();
  for (std::size_t b = 0; b < first.size(); ++b) {
    for (Index row = first[b]; row < first[b] + parsed.blocks[b].rows;) {
      const int rank = partition.owner(row);
      const auto owner = static_cast<std::size_t>(rank);
      const Index end = std::min(first[b] + parsed.blocks[b].rows, partition.range(rank).end);
      out.runs[owner].push_back({row, end - row});
      Index size = 0;
      for (; row < end; ++row, ++record) {
        out.lengths[owner].push_back(parsed.lengths[record]);
        size += parsed.lengths[record];
      }
      out.bytes[owner].insert(out.bytes[owner].end(), bytes, bytes + size);
      bytes += size;
    }
  }
  return out;
}

}  // namespace

DealtBytes deal_bytes(const Communicator& communicator, const std::string& path, const std::string& what,
                      ParsedBytes parsed) {
  Index total = 0;
  const std::vector<Index> first = first_rows(communicator, parsed.blocks, total);
  if (total == 0) throw Error(ErrorKind::input, fmt::format("{}: has no {}", path, what));
  DealtBytes dealt;
  dealt.partition = RowPartition(total, communicator.size());
  Outgoing out = read_collectively(communicator, path, [&] { return sort_by_owner(parsed, first, dealt.partition); });
  parsed = {};
  const auto runs = communicator.exchange(out.runs);
  const auto lengths = communicator.exchange(out.lengths);
  const auto bytes = communicator.exchange(out.bytes);
  out.bytes = {};
  read_collectively(communicator, path, [&] {
    const Range own = dealt.partition.range(communicator.rank());
    dealt.starts.assign(static_cast<std::size_t>(own.size()) + 1, 0);
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const Index* source = lengths[r].data();
      for (const Run& run : runs[r]) {
        std::copy_n(source, run.count, dealt.starts.begin() + (run.first - own.begin) + 1);
        source += run.count;
      }
    }
    for (std::size_t k = 1; k < dealt.starts.size(); ++k) dealt.starts[k] += dealt.starts[k - 1];
    dealt.bytes.resize(static_cast<std::size_t>(dealt.starts.back()));
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const char* source = bytes[r].data();
      for (const Run& run : runs[r]) {
        const auto at = static_cast<std::size_t>(run.first - own.begin);
        const Index begin = dealt.starts[at], size = dealt.starts[at + static_cast<std::size_t>(run.count)] - begin;
        std::copy_n(source, size, dealt.bytes.begin() + begin);
        source += size;
      }
    }
  });
  return dealt;
}

}  // namespace cairn
