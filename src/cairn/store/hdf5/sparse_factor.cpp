#include "cairn/store/hdf5/sparse_factor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/store/hdf5/result_layout.hpp"

namespace cairn {

using hdf5::ElementType;
using hdf5::Handle;
using hdf5::InputFile;

namespace {

constexpr Index piece_entries = Index{1} << 20;

bool fits_int32(Index value) { return value <= std::numeric_limits<std::int32_t>::max(); }

// Writes the numbers of several ranges one after another, from row `first` of the table on, each mapped by `convert`.
template <class To, class From, class Convert>
void write_ranges(const Handle& table, Index first, std::span<const From> numbers, std::span<const Range> ranges,
                  Convert convert, hdf5::RowChecksums& sums) {
  std::vector<To> piece;
  const auto write_piece = [&] {
    const Index end = first + static_cast<Index>(piece.size());
    hdf5::write_rows(table, hdf5::element_type<To>(), {first, end}, piece.data(), &sums);
    first = end;
    piece.clear();
  };
  for (const Range& range : ranges) {
    for (Index begin = range.begin; begin < range.end;) {
      const Index end = std::min(range.end, begin + piece_entries - static_cast<Index>(piece.size()));
      for (Index k = begin; k < end; ++k) piece.push_back(convert(numbers[k]));
      if (static_cast<Index>(piece.size()) == piece_entries) write_piece();
      begin = end;
    }
  }
  write_piece();
}

void write_integers(const Handle& file, const std::string& name, ElementType type, Index first,
                    std::span<const Index> numbers, std::span<const Range> ranges, Index offset,
                    hdf5::RowChecksums& sums) {
  const Handle table = hdf5::open_table(file, name);
  if (type.kind == ElementType::Kind::int32) {
    const auto convert = [offset](Index number) { return static_cast<std::int32_t>(number + offset); };
    write_ranges<std::int32_t>(table, first, numbers, ranges, convert, sums);
  } else {
    write_ranges<Index>(
        table, first, numbers, ranges, [offset](Index number) { return number + offset; }, sums);
  }
}

template <class T>
void write_values(const Handle& table, Index first, std::span<const T> values, std::span<const Range> ranges,
                  hdf5::RowChecksums& sums) {
  if (ranges.size() == 1) {  // avoids a copy
    const auto [begin, end] = ranges.front();
    hdf5::write_rows(table, hdf5::element_type<T>(), {first, first + end - begin}, values.data() + begin, &sums);
  } else {
    write_ranges<T>(
        table, first, values, ranges, [](T value) { return value; }, sums);
  }
}

template <class Integer>
std::vector<Index> read_integers(const InputFile& file, const std::string& name, Index size, Range range) {
  const hdf5::TableShape shape{size, -1, hdf5::element_type<Integer>()};
  std::vector<Index> numbers(range.size());
  std::vector<Integer> piece;
  for (Index begin = range.begin; begin < range.end; begin += piece_entries) {
    const Index end = std::min(begin + piece_entries, range.end);
    piece.resize(end - begin);
    file.read_rows(name, shape, {begin, end}, piece.data());
    std::copy(piece.begin(), piece.end(), numbers.begin() + (begin - range.begin));
  }
  return numbers;
}

std::vector<Index> read_integers(const InputFile& file, const std::string& name, ElementType type, Index size,
                                 Range range) {
  return type.kind == ElementType::Kind::int32 ? read_integers<std::int32_t>(file, name, size, range)
                                               : read_integers<Index>(file, name, size, range);
}

// Shape of a list of `rows` elements; negative: any number.
hdf5::TableShape list_shape(const InputFile& file, const std::string& name, Index rows) {
  const hdf5::TableShape shape = file.table(name);
  if (shape.columns >= 0) file.refuse(fmt::format("/{} is not a list", name));
  if (rows >= 0 && shape.rows != rows) {
    file.refuse(fmt::format("/{} has {} elements instead of {}", name, shape.rows, rows));
  }
  return shape;
}

// Starts of this rank's rows, from 0, and the range of its entries.
std::pair<std::vector<Index>, Range> read_starts(const InputFile& file, const std::string& name,
                                                 const SparseShape& shape, Range rows) {
  const std::string indptr = layout::in(name, layout::indptr);
  const auto read = [&](Range range) { return read_integers(file, indptr, shape.index, shape.rows + 1, range); };
  const Index first = read({0, 1}).front();
  const Index last = read({shape.rows, shape.rows + 1}).front();
  if (first != 0 || last != shape.entries) {
    file.refuse(fmt::format("/{} goes from {} to {}, but there are {} entries", indptr, first, last, shape.entries));
  }
  if (rows.empty()) return {{0}, {0, 0}};
  std::vector<Index> starts = read({rows.begin, rows.end + 1});
  const auto descent = std::adjacent_find(starts.begin(), starts.end(), std::greater<>());
  if (descent != starts.end() || starts.front() < 0 || starts.back() > shape.entries) {
    const Index row = descent != starts.end() ? rows.begin + (descent - starts.begin()) : rows.begin;
    file.refuse(fmt::format("the positions in /{} do not ascend from 0 to {} (row {})", indptr, shape.entries, row));
  }
  const Range entries{starts.front(), starts.back()};
  for (Index& start : starts) start -= entries.begin;
  return {std::move(starts), entries};
}

void check_columns(const InputFile& file, const std::string& name, const SparseShape& shape, Index first_row,
                   std::span<const Index> starts, std::span<const Index> indices) {
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    Index before = -1;
    for (Index k = starts[i]; k < starts[i + 1]; ++k) {
      const Index column = indices[k];
      if (column <= before || column >= shape.columns) {
        file.refuse(fmt::format("/{} holds the column {} after {} in row {} of a matrix of {} columns",
                                layout::in(name, layout::indices), column, before, first_row + static_cast<Index>(i),
                                shape.columns));
      }
      before = column;
    }
  }
}

}  // namespace

void create_sparse_group(const Handle& file, const std::string& name, Index rows, Index columns) {
  const std::array<Index, 2> shape{rows, columns};
  hdf5::write_attribute(hdf5::create_group(file, name), "shape", std::span<const Index>(shape));
}

namespace {

// This rank's rows: `first` is the first of `rows` rows.
template <class T>
struct OwnRows {
  Index first, rows, columns;
  std::span<const Index> starts;   // from 0
  std::span<const Range> entries;  // ranges of the rows within indices and values, one after another
  std::span<const Index> indices;
  std::span<const T> values;
  std::shared_ptr<const void> keep;  // owner of starts and entries, if nobody else keeps them
};

template <class T>
std::vector<SharedTable> tables_of(const Communicator& communicator, const std::string& name, const OwnRows<T>& own) {
  const Index own_entries = own.starts.back();
  const std::vector<Index> counts = communicator.all_gather_one(own_entries);
  Index entries = 0;
  Index before = 0;
  for (int r = 0; r < communicator.size(); ++r) {
    if (r == communicator.rank()) before = entries;
    entries += counts[r];
  }
  const ElementType index =
      fits_int32(entries) && fits_int32(own.columns) ? hdf5::element_type<std::int32_t>() : hdf5::element_type<Index>();
  const std::string data = layout::in(name, layout::data);
  const std::string indices = layout::in(name, layout::indices);
  const std::string indptr = layout::in(name, layout::indptr);
  const auto write_data = [&communicator, data, before, own, own_entries](const Handle& file,
                                                                          hdf5::RowChecksums& sums) {
    collectively(communicator, [&] {
      if (own_entries > 0) write_values(hdf5::open_table(file, data), before, own.values, own.entries, sums);
    });
  };
  const auto write_indices = [&communicator, indices, index, before, own, own_entries](const Handle& file,
                                                                                       hdf5::RowChecksums& sums) {
    collectively(communicator, [&] {
      if (own_entries > 0) write_integers(file, indices, index, before, own.indices, own.entries, 0, sums);
    });
  };
  // A rank writes the ends of its rows; the leading 0 is written by rank 0.
  const auto write_indptr = [&communicator, indptr, index, before, own](const Handle& file, hdf5::RowChecksums& sums) {
    collectively(communicator, [&] {
      const Index skipped = communicator.is_root() ? 0 : 1;
      const Range written{skipped, static_cast<Index>(own.starts.size())};
      if (written.empty()) return;
      write_integers(file, indptr, index, own.first + skipped, own.starts, std::span(&written, 1), before, sums);
    });
  };
  return {{data, hdf5::element_type<T>(), entries, -1, write_data},
          {indices, index, entries, -1, write_indices},
          {indptr, index, own.rows + 1, -1, write_indptr}};
}

}  // namespace

template <class T>
std::vector<SharedTable> sparse_factor_tables(const Communicator& communicator, const std::string& name,
                                              const SparseRows<T>& factor) {
  const auto all = std::make_shared<const Range>(Range{0, factor.own_entries()});
  return tables_of<T>(communicator, name,
                      {factor.range().begin, factor.rows(), factor.columns(), factor.starts(), std::span(all.get(), 1),
                       factor.indices(), factor.values(), all});
}

template <class T>
std::vector<SharedTable> sparse_factor_tables(const Communicator& communicator, const std::string& name,
                                              RowsWithin<T> rows) {
  struct Kept {
    std::vector<Range> entries;
    std::vector<Index> starts{0};
  };
  const auto kept = collectively(communicator, [&] {
    auto made = std::make_shared<Kept>(Kept{std::move(rows.entries)});
    for (const Range& row : made->entries) made->starts.push_back(made->starts.back() + row.size());
    return made;
  });
  Index first = 0, all = 0;
  const std::vector<Index> counts = communicator.all_gather_one(static_cast<Index>(kept->entries.size()));
  for (int r = 0; r < communicator.size(); ++r) {
    if (r == communicator.rank()) first = all;
    all += counts[r];
  }
  return tables_of<T>(communicator, name,
                      {first, all, rows.columns, kept->starts, kept->entries, rows.indices, rows.values, kept});
}

SparseShape sparse_factor_shape(const InputFile& file, const std::string& name) {
  const std::vector<Index> stated = file.index_list_attribute(name, "shape");
  if (stated.size() != 2 || stated[0] < 0 || stated[1] < 0) {
    file.refuse(fmt::format("the attribute shape of /{} is not two sizes", name));
  }
  SparseShape shape{stated[0], stated[1], 0, {}, {}};
  const hdf5::TableShape data = list_shape(file, layout::in(name, layout::data), -1);
  const hdf5::TableShape indices = list_shape(file, layout::in(name, layout::indices), data.rows);
  // Not shape.rows + 1: it may still be any number.
  const hdf5::TableShape indptr = list_shape(file, layout::in(name, layout::indptr), -1);
  if (indptr.rows - 1 != shape.rows) {
    file.refuse(
        fmt::format("/{} has {} positions for {} rows", layout::in(name, layout::indptr), indptr.rows, shape.rows));
  }
  if (!data.type.is_float())
    file.refuse(fmt::format("/{} holds no float32 or float64", layout::in(name, layout::data)));
  const bool integers = indices.type == hdf5::element_type<std::int32_t>() ||  //
                        indices.type == hdf5::element_type<Index>();
  if (!integers || indptr.type != indices.type) {
    file.refuse(fmt::format("indices and indptr of /{} are not both int32 or both int64", name));
  }
  shape.entries = data.rows;
  shape.number = data.type;
  shape.index = indices.type;
  return shape;
}

template <class T>
SparseRows<T> read_sparse_factor(const Communicator& communicator, const InputFile& file, const std::string& name) {
  return collectively(communicator, [&] {
    const SparseShape shape = sparse_factor_shape(file, name);
    if (shape.number != hdf5::element_type<T>()) {
      throw Error(ErrorKind::internal, fmt::format("/{} is read in another precision than it has", name));
    }
    const RowPartition partition(shape.rows, communicator.size());
    const Range rows = partition.range(communicator.rank());
    auto [starts, entries] = read_starts(file, name, shape, rows);
    std::vector<Index> indices =
        read_integers(file, layout::in(name, layout::indices), shape.index, shape.entries, entries);
    check_columns(file, name, shape, rows.begin, starts, indices);
    std::vector<T> values(indices.size());
    file.read_rows(layout::in(name, layout::data), {shape.entries, -1, shape.number}, entries, values.data());
    const auto bad = std::find_if(values.begin(), values.end(), [](T value) { return !std::isfinite(value); });
    if (bad != values.end()) {
      const Index entry = bad - values.begin();
      const Index row = std::upper_bound(starts.begin(), starts.end(), entry) - starts.begin() - 1;
      file.refuse(fmt::format("/{} holds {} in row {}, column {}", name, *bad, rows.begin + row, indices[entry]));
    }
    return SparseRows<T>(partition, communicator.rank(), shape.columns, std::move(starts), std::move(indices),
                         std::move(values));
  });
}

template std::vector<SharedTable> sparse_factor_tables(const Communicator&, const std::string&,
                                                       const SparseRows<float>&);
template std::vector<SharedTable> sparse_factor_tables(const Communicator&, const std::string&,
                                                       const SparseRows<double>&);
template std::vector<SharedTable> sparse_factor_tables(const Communicator&, const std::string&, RowsWithin<float>);
template std::vector<SharedTable> sparse_factor_tables(const Communicator&, const std::string&, RowsWithin<double>);
template SparseRows<float> read_sparse_factor(const Communicator&, const InputFile&, const std::string&);
template SparseRows<double> read_sparse_factor(const Communicator&, const InputFile&, const std::string&);

}  // namespace cairn
