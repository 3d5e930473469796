#include "cairn/data/matrix/matrix_file.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/reading_budget.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/io/byte_stream.hpp"
#include "cairn/data/matrix/row_major_file.hpp"

namespace cairn {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, reason));
}

bool ends_with(const std::string& name, const char* ending) { return name.ends_with(ending); }

}  // namespace

std::string resolve_format(const std::string& path, const std::string& format, const KeyNames& keys) {
  if (!format.empty()) return format;
  std::string name = path;
  for (const char* compression : {".gz", ".xz"}) {
    if (ends_with(name, compression)) name.resize(name.size() - 3);
  }
  const std::pair<const char*, const char*> endings[] = {
      {".csv", "csv"},   {".tsv", "csv"},     {".txt", "csv"},     {".train", "csv"},   {".test", "csv"},
      {".data", "csv"},  {".svm", "svm"},     {".libsvm", "svm"},  {"-ubyte", "idx"},   {".idx", "idx"},
      {".npy", "npy"},   {".npz", "npz"},     {".f32", "raw32"},   {".raw32", "raw32"}, {".f32le", "raw32"},
      {".f64", "raw64"}, {".raw64", "raw64"}, {".f64le", "raw64"}, {".h5", "hdf5"},     {".hdf5", "hdf5"}};
  for (const auto& [ending, result] : endings) {
    if (ends_with(name, ending)) return result;
  }
  if (std::error_code none; std::filesystem::is_directory(path, none)) {
    fail(path, "it is a folder; name the file in it");
  }
  throw Error(ErrorKind::usage, fmt::format("{}: the name does not tell the format; give {}: csv, svm, "
                                            "idx, npy, npz, raw32, raw64 or hdf5",
                                            path, keys("format")));
}

std::vector<Run> neighboring_runs(std::span<const Index> list) {
  std::vector<Run> runs;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const bool next = !runs.empty() && runs.back().first + runs.back().count == list[k];
    if (next)
      ++runs.back().count;
    else
      runs.push_back({list[k], 1, static_cast<Index>(k)});
  }
  return runs;
}

void require_room_for_rows(const std::string& path, Index rows, Index columns, Index value_bytes) {
  constexpr Index most = std::numeric_limits<Index>::max();
  const Index row_bytes = columns > most / value_bytes ? most : columns * value_bytes;
  const Index bytes = rows > 0 && row_bytes > most / rows ? most : rows * row_bytes;
  ReadingBudget::require(bytes, fmt::format("{}: {} x {} numbers take", path, rows, columns));
}

void require_finite(const std::string& path, std::span<const Index> rows, std::span<const Index> columns,
                    MatrixView<double> out) {
  for (Index a = 0; a < out.rows; ++a) {
    for (Index b = 0; b < out.columns; ++b) {
      if (std::isfinite(out(a, b))) continue;
      fail(path, fmt::format("entry ({}, {}) is {}", rows[a], columns[b], out(a, b)));
    }
  }
}

std::shared_ptr<const DenseMatrix> open_matrix_file(const std::string& path, const std::string& format,
                                                    const std::string& dataset, Index columns, const KeyNames& keys) {
  (void)file_size(path);
  const std::string resolved = resolve_format(path, format, keys);
  if (resolved == "hdf5") return open_hdf5_matrix(path, dataset, keys);
  if (resolved == "npy") return open_npy(path);
  if (resolved == "npz") return open_npz(path, dataset, keys);
  if (resolved == "raw32") return open_raw(path, NumberType::f32, columns, keys);
  if (resolved == "raw64") return open_raw(path, NumberType::f64, columns, keys);
  throw Error(
      ErrorKind::usage,
      fmt::format("{}: '{}' is no format of a matrix; there are npy, npz, raw32, raw64 and hdf5", path, resolved));
}

std::shared_ptr<const DenseMatrix> DenseMatrix::open(const std::string& path, const std::string& format,
                                                     const std::string& dataset, const KeyNames& keys) {
  const std::string resolved = resolve_format(path, format, keys);
  const bool compressed =
      resolved == "npz" ? npz_is_deflated(path, dataset, keys) : ByteStream::open(path)->compressed();
  if (compressed || resolved == "csv") {
    fail(path, "text and compressed matrices cannot be read by piece; `cairn convert` makes HDF5 of them");
  }
  return open_matrix_file(path, resolved, dataset, 0, keys);
}

std::uint64_t data_digest(const Communicator& communicator, const DenseMatrix& matrix) {
  constexpr std::uint64_t entries = 1000;
  const auto ranks = static_cast<std::uint64_t>(communicator.size());
  const std::uint64_t mine = collectively(communicator, [&] {
    std::uint64_t sum = 0;
    for (auto k = static_cast<std::uint64_t>(communicator.rank()); k < entries; k += ranks) {
      const auto row = static_cast<Index>(mix_bits(2 * k + 1) % static_cast<std::uint64_t>(matrix.rows()));
      const auto column = static_cast<Index>(mix_bits(2 * k + 2) % static_cast<std::uint64_t>(matrix.columns()));
      double value = 0;
      matrix.read(std::span(&row, 1), std::span(&column, 1), MatrixView<double>(&value, 1, 1));
      sum += mix_bits(mix_bits(k + 1) ^ std::bit_cast<std::uint64_t>(value));
    }
    return sum;
  });
  return mix_bits(communicator.sum(mine) + static_cast<std::uint64_t>(matrix.rows()));
}

}  // namespace cairn
