// Small files beside the data: landmarks, rows, positions, targets; and bytes that may be compressed.
#include <algorithm>
#include <string>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/base/schedule/tile_ledger.hpp"
#include "cairn/data/graph/point_list.hpp"
#include "cairn/data/graph/positions.hpp"
#include "cairn/data/io/byte_stream.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/data/pair_list.hpp"
#include "cairn/data/points/column_reader.hpp"
#include "cairn/data/row_list.hpp"
#include "cairn/store/files/landmark_file.hpp"
#include "readers.hpp"
#include "scratch_file.hpp"

namespace cairn::fuzz {

namespace {

constexpr Index rows = 100;

void read_landmark_list(const std::string& path) {
  Phases phases;
  MemoryLedger ledger;
  const Execution execution{alone(), phases, ledger};
  const NumberedObjects objects(RowPartition(rows, 1), 0);
  const auto landmarks = read_landmarks<double>(execution, objects, path, 0);
  for (const Index landmark : landmarks.indices) require(landmark >= 0 && landmark < rows, "a landmark out of range");
}

// Two at a time: a file is read piece by piece.
void read_pairs(const std::string& path, bool numbers) {
  PairList list(path, numbers);
  Index line = 0;
  for (auto pairs = list.next(2); !pairs.empty(); pairs = list.next(2)) {
    for (const PairList::Pair& pair : pairs) {
      require(!pair.first.empty() && !pair.second.empty() && pair.line > line, "a pair without two fields or a line");
      line = pair.line;
    }
  }
}

}  // namespace

void read_lists(std::string_view input) {
  const char choice = take_choice(input);
  const std::string& path = file_of(input);
  const RowPartition partition(rows, 1);
  if (choice == 'l') return read_landmark_list(path);
  if (choice == 'r') {
    const std::vector<Index> list = read_row_list(alone(), path, partition);
    require(std::ranges::is_sorted(list) && list.front() >= 0 && list.back() < rows, "rows out of range or order");
  }
  if (choice == 's') require(read_split(alone(), path, RowPartition(3, 1)).size() == 3, "another number of rows");
  if (choice == 'g') require(read_row_texts(alone(), path, RowPartition(3, 1)).size() == 3, "another number of rows");
  if (choice == 'n' || choice == 't') read_pairs(path, choice == 'n');
  if (choice == 'x') {
    (void)lists_points(path, false);
    const PointList list = read_point_list(path);
    require(!list.points.empty() && list.points.size() == list.lines.size(), "points without lines");
  }
  if (choice == 'p') (void)read_positions(alone(), path, RowPartition(3, 1), {.first = 1});
  if (choice == 'o') (void)read_positions(alone(), path, RowPartition(3, 1), {0, true, {2, 5, 7}});
}

void read_compressed(std::string_view input) {
  const std::string& path = file_of(input);
  const auto stream = ByteStream::open(path);
  std::vector<char> piece(1000);
  Index total = 0;
  for (std::size_t got = piece.size(); got == piece.size(); total += static_cast<Index>(got)) {
    got = stream->read(piece.data(), piece.size());
  }
  require(total == content_size(path), "two ways to read give different sizes");
  require(total <= file_size(path) * stream->largest_expansion(), "more came out than is said to be possible");
}

}  // namespace cairn::fuzz
