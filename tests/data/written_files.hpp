// Files that tests of readers write, and points gathered whole to compare with what was written.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <unistd.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "cairn/data/points/point_reader.hpp"
#include "expected_errors.hpp"
#include "test_communicator.hpp"

namespace cairn::test {

/// A folder of this test program's own, seen by all ranks and removed at its end. Collective.
class WrittenFiles {
 public:
  WrittenFiles() {
    auto process = static_cast<Index>(::getpid());
    world().broadcast(std::span(&process, 1), 0);
    path_ = std::filesystem::temp_directory_path() / ("cairn-data-test-" + std::to_string(process));
    if (world().is_root()) std::filesystem::create_directories(path_);
    world().barrier();
  }
  ~WrittenFiles() {
    world().barrier();
    if (world().is_root()) std::filesystem::remove_all(path_);
  }
  WrittenFiles(const WrittenFiles&) = delete;
  WrittenFiles& operator=(const WrittenFiles&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }

  /// Rank 0 writes; the path on every rank. Collective.
  std::string write(const std::string& name, const std::string& bytes) const {
    if (world().is_root()) std::ofstream(path(name), std::ios::binary) << bytes;
    world().barrier();
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string gzipped(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);  // + 16: with gzip's header
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

inline std::string xz_compressed(const std::string& text) {
  std::string packed(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                          reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size());
  packed.resize(size);
  return packed;
}

/// The bytes of numbers as they stand in memory.
template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// A .npy file of version 1. @param dictionary  "'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)"
inline std::string npy(const std::string& dictionary, const std::string& values) {
  std::string header = "{" + dictionary + ", }";
  header.resize((header.size() + 10) / 64 * 64 + 53, ' ');
  header += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += {1, 0, static_cast<char>(header.size() % 256), static_cast<char>(header.size() / 256)};
  return bytes + header + values;
}

/// Points and labels of all ranks, on every rank.
template <class T>
struct WholePoints {
  Index dimension = 0;
  std::vector<T> values;
  std::vector<std::string> labels;

  [[nodiscard]] T operator()(Index i, Index j) const { return values[i * dimension + j]; }
};

template <class T>
WholePoints<T> whole(const PointSet<T>& points) {
  const auto local = points.coordinates().local();
  WholePoints<T> all;
  all.dimension = points.dimension();
  all.values = world().all_gather(std::span<const T>(local.data, static_cast<std::size_t>(local.rows * local.columns)));
  std::string text;
  for (const std::string& label : points.labels()) text += label + '\n';
  std::string label;
  for (const char c : world().all_gather(std::vector<char>(text.begin(), text.end()))) {
    if (c == '\n') all.labels.push_back(std::exchange(label, {}));
    if (c != '\n') label += c;
  }
  return all;
}

template <class T = double>
WholePoints<T> read_whole(const PointSource& source) {
  const PointSet<T> points = read_points<T>(world(), source);
  EXPECT_EQ(points.range(), RowPartition(points.size(), world().size()).range(world().rank()));
  return whole(points);
}

/// expect_error for reading points.
inline void expect_refused(const PointSource& source, std::initializer_list<const char*> parts,
                           ErrorKind kind = ErrorKind::input) {
  expect_error([&] { (void)read_points<double>(world(), source); }, kind, parts);
}

}  // namespace cairn::test
