#include "cairn/data/trees/tree_records.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/data/ask_owners.hpp"
#include "cairn/data/io/text_table.hpp"

namespace cairn {

namespace {

template <class T>
void append_bytes(std::vector<std::byte>& bytes, std::span<const T> values) {
  const auto source = std::as_bytes(values);
  bytes.insert(bytes.end(), source.begin(), source.end());
}

template <class T>
std::vector<T> take(std::span<const std::byte>& bytes, Index count) {
  const auto size = static_cast<std::size_t>(count) * sizeof(T);
  if (count < 0 || size > bytes.size()) throw Error(ErrorKind::internal, "packed trees are truncated");
  std::vector<T> values(count);
  if (size > 0) std::memcpy(values.data(), bytes.data(), size);
  bytes = bytes.subspan(size);
  return values;
}

// Packs the lengths of the lists defined by `starts`, then their values.
template <class T>
void pack_lists(std::vector<std::byte>& bytes, std::span<const Index> starts, std::span<const T> values) {
  std::vector<Index> lengths;
  for (std::size_t a = 0; a + 1 < starts.size(); ++a) lengths.push_back(starts[a + 1] - starts[a]);
  append_bytes<Index>(bytes, lengths);
  append_bytes(bytes, values.subspan(starts.front(), starts.back() - starts.front()));
}

template <class T>
void take_lists(std::span<const std::byte>& bytes, Index count, std::vector<Index>& starts, std::vector<T>& values) {
  starts = take<Index>(bytes, count);
  Index sum = 0;
  for (Index& start : starts) sum += std::exchange(start, sum);
  starts.push_back(sum);
  values = take<T>(bytes, sum);
}

template <class T>
void append_lists(std::vector<Index>& starts, std::vector<T>& values, std::span<const Index> from_starts,
                  std::span<const T> from) {
  const Index shift = std::ssize(values) - from_starts.front();
  values.insert(values.end(), from.begin() + from_starts.front(), from.begin() + from_starts.back());
  for (const Index start : from_starts.subspan(1)) starts.push_back(start + shift);
}

std::span<const Index> part(const std::vector<Index>& starts, Index begin, Index end) {
  return std::span(starts).subspan(begin, static_cast<std::size_t>(end - begin) + 1);
}

void append_objects(TreeRecords& to, const TreeRecords& from, Index begin, Index end) {
  for (std::size_t k = 0; k < to.forests.size(); ++k) {
    append_lists<TreeNode>(to.forests[k].starts, to.forests[k].nodes, part(from.forests[k].starts, begin, end),
                           from.forests[k].nodes);
  }
  for (std::size_t k = 0; k < to.texts.size(); ++k) {
    append_lists<char>(to.texts[k].starts, to.texts[k].characters, part(from.texts[k].starts, begin, end),
                       from.texts[k].characters);
  }
  to.numbers.insert(to.numbers.end(), from.numbers.begin() + begin * to.width, from.numbers.begin() + end * to.width);
  to.count += end - begin;
}

// Consecutive objects sent to one owner; precedes their bytes.
struct Run {
  Index first = 0;
  Index count = 0;
};

}  // namespace

void TreeRecords::append(const TreeRecords& from, Index a) { append_objects(*this, from, a, a + 1); }

void TreeRecords::append(const TreeRecords& from) { append_objects(*this, from, 0, from.count); }

std::vector<std::byte> TreeRecords::pack(Index begin, Index end) const {
  std::vector<std::byte> bytes;
  for (const Forest& forest : forests) pack_lists<TreeNode>(bytes, part(forest.starts, begin, end), forest.nodes);
  for (const TextList& list : texts) pack_lists<char>(bytes, part(list.starts, begin, end), list.characters);
  append_bytes(bytes, std::span(numbers).subspan(begin * width, (end - begin) * width));
  return bytes;
}

TreeRecords TreeRecords::unpack(Index objects, std::span<const std::byte>& bytes) const {
  TreeRecords records = empty();
  for (Forest& forest : records.forests) take_lists(bytes, objects, forest.starts, forest.nodes);
  for (TextList& list : records.texts) take_lists(bytes, objects, list.starts, list.characters);
  records.numbers = take<double>(bytes, objects * width);
  records.count = objects;
  return records;
}

bool TreeRecords::is_whole() const {
  const auto whole = [&](const auto& lists) {
    return std::ranges::all_of(lists, [&](const auto& list) { return list.size() == count; });
  };
  return whole(forests) && whole(texts) && std::ssize(numbers) == count * width;
}

TreeRecords gather_records(const Communicator& communicator, const RowPartition& partition, const TreeRecords& own,
                           std::span<const Index> ids) {
  const Index begin = partition.range(communicator.rank()).begin;
  const auto received = ask_owners<std::byte>(communicator, partition, ids, [&](std::span<const Index> asked) {
    TreeRecords answer = own.empty();
    for (const Index id : asked) answer.append(own, id - begin);
    return answer.pack(0, answer.size());
  });
  return collectively(communicator, [&] {
    std::vector<Index> next(received.size(), 0);
    for (const Index id : ids) ++next[partition.owner(id)];
    std::vector<TreeRecords> parts;
    for (std::size_t r = 0; r < received.size(); ++r) {
      std::span<const std::byte> bytes = received[r];
      parts.push_back(own.unpack(std::exchange(next[r], 0), bytes));
    }
    TreeRecords records = own.empty();
    for (const Index id : ids) {
      const auto owner = static_cast<std::size_t>(partition.owner(id));
      records.append(parts[owner], next[owner]++);
    }
    return records;
  });
}

OwnedRecords send_records(const Communicator& communicator, const std::string& path, const TreeRecords& form,
                          std::vector<ParsedRecords> parsed) {
  std::vector<ParsedBlock> blocks;
  for (const ParsedRecords& piece : parsed) blocks.push_back({piece.block, piece.records.size()});
  Index total = 0;
  const std::vector<Index> first = first_rows(communicator, blocks, total);
  if (total == 0) throw Error(ErrorKind::input, path + ": has no objects");
  OwnedRecords owned{RowPartition(total, communicator.size()), form.empty()};
  std::vector<std::vector<std::byte>> messages(communicator.size());
  read_collectively(communicator, path, [&] {
    for (std::size_t k = 0; k < parsed.size(); ++k) {
      const TreeRecords records = std::move(parsed[k].records);
      for (Index begin = 0; begin < records.size();) {
        const int owner = owned.partition.owner(first[k] + begin);
        const Index end = std::min(records.size(), owned.partition.range(owner).end - first[k]);
        auto& message = messages[owner];
        const Run run{first[k] + begin, end - begin};
        append_bytes(message, std::span(&run, 1));
        append_bytes<std::byte>(message, records.pack(begin, end));
        begin = end;
      }
    }
  });
  const auto received = communicator.exchange(messages);
  messages = {};
  read_collectively(communicator, path, [&] {
    std::vector<std::pair<Index, TreeRecords>> runs;
    for (const auto& message : received) {
      for (std::span<const std::byte> bytes = message; !bytes.empty();) {
        const Run run = take<Run>(bytes, 1).front();
        runs.emplace_back(run.first, form.unpack(run.count, bytes));
      }
    }
    std::ranges::sort(runs, {}, &std::pair<Index, TreeRecords>::first);
    for (auto& [number, records] : runs) {
      owned.records.append(records);
      records = {};
    }
  });
  return owned;
}

}  // namespace cairn
