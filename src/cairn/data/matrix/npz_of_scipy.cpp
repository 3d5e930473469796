// Sparse matrices as scipy.sparse.save_npz writes them.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/io/zip_archive.hpp"
#include "cairn/data/matrix/npy_header.hpp"
#include "cairn/data/matrix/number_file.hpp"
#include "cairn/data/matrix/sparse_matrix.hpp"

namespace cairn {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, reason));
}

std::optional<ZipMember> find_member(const std::vector<ZipMember>& members, const std::string& name) {
  const auto found = std::ranges::find(members, name + ".npy", &ZipMember::name);
  return found == members.end() ? std::nullopt : std::optional(*found);
}

ZipMember required_member(const std::string& path, const std::string& name) {
  const auto found = find_member(zip_members(path), name);
  if (!found) fail(path, fmt::format("has no array '{}' of a sparse matrix", name));
  return *found;
}

// An array of one dimension, number by number.
class NumberStream {
 public:
  NumberStream(const std::string& path, const std::string& name)
      : place_(fmt::format("{}: {}.npy", path, name)), member_(required_member(path, name)) {
    stream_ = open_zip_member(path, member_);
    header_ = read_npy_header(*stream_, place_);
    if (header_.columns != 1) fail("is not one-dimensional");
    if (header_.rows > (member_.size - header_.offset) / size_of(header_.type)) fail("is truncated");
    left_ = header_.rows;
  }
  [[nodiscard]] Index size() const { return header_.rows; }
  void require_integers() const {
    const bool fractions = header_.type == NumberType::f16 || header_.type == NumberType::f32;
    if (fractions || header_.type == NumberType::f64) fail("holds no integers");
  }
  [[noreturn]] void fail(const std::string& reason) const { cairn::fail(place_, reason); }

  // The next number, which must exist.
  double next() {
    if (at_ == numbers_.size()) fill();
    return numbers_[at_++];
  }
  Index next_index() {
    constexpr double most = 9007199254740992;  // 2^53
    const double number = next();
    if (number < -most || number > most) fail(fmt::format("holds {}", number));
    return static_cast<Index>(number);
  }
  // Reads to the end, so that the stream checks it.
  void finish() {
    while (left_ > 0) fill();
    char more = 0;
    static_cast<void>(stream_->read(&more, 1));
  }

 private:
  void fill() {
    constexpr Index at_once = 8192;
    const Index count = std::min(left_, at_once);
    std::vector<std::byte> bytes(count * size_of(header_.type));
    if (count == 0 || stream_->read(reinterpret_cast<char*>(bytes.data()), bytes.size()) < bytes.size()) {
      fail("is truncated");
    }
    numbers_.resize(count);
    convert_numbers(header_, bytes.data(), count, numbers_.data());
    at_ = 0;
    left_ -= count;
    Watchdog::beat();
  }

  std::string place_;
  ZipMember member_;
  std::unique_ptr<ByteStream> stream_;
  NpyHeader header_;
  std::vector<double> numbers_;  // a converted piece
  std::size_t at_ = 0;           // position of the next number in it
  Index left_ = 0;               // numbers after this piece
};

// The scalar text `format`: csr, csc, coo, ...
std::string format_of(const std::string& path) {
  const auto stream = open_zip_member(path, required_member(path, "format"));
  std::string bytes(1024, '\0');
  bytes.resize(stream->read(bytes.data(), bytes.size()));
  const std::size_t header = bytes.find('\n');
  std::string text = header == std::string::npos ? "" : bytes.substr(header + 1);
  std::erase(text, '\0');
  return text;
}

class CompressedNpz final : public SparseMatrix {
 public:
  CompressedNpz(const std::string& path, bool by_columns) : path_(path), by_columns_(by_columns) {
    NumberStream shape(path, "shape");
    shape.require_integers();
    if (shape.size() != 2) shape.fail("is not two numbers");
    rows_ = shape.next_index();
    columns_ = shape.next_index();
    shape.finish();
    constexpr Index most_columns = Index{1} << 31U;
    if (rows_ < 1 || columns_ < 1 || columns_ > most_columns || rows_ > most_columns) {
      fail(path, fmt::format("its shape is {} x {}", rows_, columns_));
    }
    const NumberStream starts(path, "indptr"), places(path, "indices"), values(path, "data");
    starts.require_integers();
    places.require_integers();
    const Index lines = by_columns ? columns_ : rows_;
    if (starts.size() != lines + 1) {
      starts.fail(fmt::format("has {} entries; the {} x {} matrix has {}", starts.size(), rows_, columns_, lines + 1));
    }
    if (places.size() != values.size()) {
      values.fail(fmt::format("has {} entries, and indices {}", values.size(), places.size()));
    }
    entries_ = values.size();
  }

  [[nodiscard]] Index row_count() const override { return rows_; }
  [[nodiscard]] Index column_count() const override { return columns_; }
  [[nodiscard]] Index entry_count() const override { return entries_; }

  // Reads all three arrays once; only the entries of the own rows are kept.
  void read(EntryCollector& entries) const override {
    NumberStream starts(path_, "indptr"), places(path_, "indices"), values(path_, "data");
    const Index lines = by_columns_ ? columns_ : rows_, across = by_columns_ ? rows_ : columns_;
    Index begin = starts.next_index();
    if (begin != 0) starts.fail(fmt::format("begins with {}; it must go from 0 to {}", begin, entries_));
    for (Index line = 0; line < lines; ++line) {
      const Index end = starts.next_index();
      if (end < begin || end > entries_) {
        starts.fail(fmt::format("entry {} is {}; they must ascend from 0 to the number of entries, {}", line + 1, end,
                                entries_));
      }
      for (; begin < end; ++begin) {
        const Index place = places.next_index();
        const auto value = values.next();
        if (place < 0 || place >= across) {
          places.fail(fmt::format("entry {} is {}, outside 0 to {}", begin, place, across - 1));
        }
        const Index row = by_columns_ ? place : line;
        if (entries.rows().contains(row)) entries.add(row, by_columns_ ? line : place, value);
      }
    }
    if (begin != entries_) starts.fail(fmt::format("ends with {}; there are {} entries", begin, entries_));
    for (NumberStream* stream : {&starts, &places, &values}) stream->finish();
  }

 private:
  std::string path_;
  bool by_columns_;
  Index rows_ = 0, columns_ = 0, entries_ = 0;
};

}  // namespace

bool is_npz_of_scipy(const std::string& path) {
  static_cast<void>(file_size(path));
  const std::vector<ZipMember> members = zip_members(path);
  return find_member(members, "format") && find_member(members, "shape");
}

std::shared_ptr<const SparseMatrix> open_npz_of_scipy(const std::string& path) {
  const std::string format = format_of(path);
  if (format != "csr" && format != "csc") {
    fail(path, fmt::format("holds a sparse matrix of the format '{}'; save_npz(file, matrix.tocsr()) stores compressed "
                           "rows, which are read",
                           format));
  }
  return std::make_shared<const CompressedNpz>(path, format == "csc");
}

}  // namespace cairn
