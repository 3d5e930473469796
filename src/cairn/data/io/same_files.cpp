#include "cairn/data/io/same_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/same_words.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/io/folder_walk.hpp"

namespace cairn {

namespace {

namespace fs = std::filesystem;

constexpr std::streamoff mebibyte = std::streamoff{1} << 20;

// What a path leads to, as a number: ranks with different numbers differ.
enum class Found : std::uint64_t { nothing, file, folder, stream };

struct Place {
  std::uint64_t found = 0;
  std::uint64_t device = 0, inode = 0, bytes = 0;
  std::int64_t changed = 0;
  bool operator==(const Place&) const = default;
};

Place place_of(const std::string& path) {
  struct stat status {};
  if (path.empty() || ::stat(path.c_str(), &status) != 0) return {};
  const Found found = S_ISREG(status.st_mode) ? Found::file : S_ISDIR(status.st_mode) ? Found::folder : Found::stream;
  return {static_cast<std::uint64_t>(found), static_cast<std::uint64_t>(status.st_dev),
          static_cast<std::uint64_t>(status.st_ino), static_cast<std::uint64_t>(status.st_size),
          static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1000000000 + status.st_mtim.tv_nsec};
}

bool is(const Place& place, Found found) { return place.found == static_cast<std::uint64_t>(found); }

std::uint64_t hash_piece(std::ifstream& file, std::streamoff begin, std::vector<char>& bytes, std::uint64_t digest) {
  file.seekg(begin);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return hash_bytes(std::as_bytes(std::span(bytes)), digest);
}

std::uint64_t hash_file(const std::string& path, std::streamoff size) {
  constexpr std::streamoff whole = 16 * mebibyte, between = 64, small = 16384;
  std::uint64_t digest = file_fingerprint(path);
  std::ifstream file(path, std::ios::binary);
  if (size <= whole) {
    std::vector<char> bytes;
    for (std::streamoff at = 0; at < size; at += mebibyte) {
      bytes.resize(std::min(mebibyte, size - at));
      digest = hash_piece(file, at, bytes, digest);
    }
    return digest;
  }
  std::vector<char> bytes(small);
  for (std::streamoff k = 1; k <= between; ++k) digest = hash_piece(file, size / (between + 1) * k, bytes, digest);
  return digest;
}

// Hashes the names and sizes of all files that are not hidden, and the contents of 64 files chosen by the hash of their
// names.
std::uint64_t hash_folder(const std::string& path) {
  constexpr std::size_t most_read = 64;
  std::uint64_t sum = 0;
  try {
    std::vector<std::pair<std::uint64_t, std::string>> sample;
    const FolderWalk walk(path);
    for (const std::string& name : walk.files()) {
      std::string file = path + "/" + name;
      sample.emplace_back(hash_text(name, 0), file);
      sum = mix_bits(sum ^ mix_bits(sample.back().first ^ place_of(file).bytes));
      Watchdog::beat();
    }
    const auto read = std::min(most_read, sample.size());
    std::ranges::partial_sort(sample, sample.begin() + static_cast<std::ptrdiff_t>(read));
    for (const auto& [name, file] : std::span(sample).first(read)) sum = mix_bits(sum ^ file_fingerprint(file));
  } catch (const Error& error) {  // the reader reports it if all ranks have it
    sum = hash_text(error.what(), 0);
  }
  return sum;
}

std::uint64_t print_of(const std::string& path, const Place& place) {
  if (is(place, Found::file)) return hash_file(path, static_cast<std::streamoff>(place.bytes));
  return is(place, Found::folder) ? hash_folder(path) : place.found;
}

// Fingerprints of all files. Ranks of a node that see the same file read it once; 0 if all ranks see the same file.
std::vector<std::uint64_t> prints_of(const Communicator& communicator, const std::vector<FileRead>& files,
                                     const std::vector<Place>& places) {
  const Communicator& node = communicator.node();
  const std::vector<Place> all = node.all_gather(places);
  const std::size_t count = files.size();
  std::vector<std::uint64_t> own(count);
  std::vector<std::size_t> readers(count);  // rank in the node that reads the file
  for (std::size_t f = 0; f < count; ++f) {
    while (!(all[readers[f] * count + f] == places[f])) ++readers[f];
    bool one_place = node.size() == communicator.size();
    for (std::size_t at = f; at < all.size(); at += count) one_place = one_place && all[at] == places[f];
    if (!one_place && readers[f] == static_cast<std::size_t>(node.rank())) own[f] = print_of(files[f].path, places[f]);
  }
  const std::vector<std::uint64_t> found = node.all_gather(own);
  for (std::size_t f = 0; f < count; ++f) own[f] = found[readers[f] * count + f];
  return own;
}

std::string described(const std::string& path, const Place& place) {
  std::error_code failed;
  const std::string where = fs::absolute(path, failed).lexically_normal().string();
  if (is(place, Found::nothing)) return fmt::format("does not find {}", where);
  return fmt::format("reads {} ({})", where,
                     is(place, Found::file)     ? fmt::format("{} bytes", place.bytes)
                     : is(place, Found::folder) ? "a folder"
                                                : "no file");
}

}  // namespace

std::uint64_t file_fingerprint(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : 0;
  std::vector<char> bytes(std::min(size, mebibyte));
  std::uint64_t digest = static_cast<std::uint64_t>(size);
  for (const std::streamoff begin : {std::streamoff{0}, std::max(size - mebibyte, std::streamoff{0})})
    digest = hash_piece(file, begin, bytes, digest);
  return digest;
}

std::vector<FileRead> files_read(const std::vector<Parameter>& own, const Values& values) {
  std::vector<FileRead> files;
  for (const Parameter& parameter : own) {
    if (parameter.type != ValueType::input_path || !values.given(parameter.name)) continue;
    files.push_back({values.where(parameter.name), values.text(parameter.name)});
  }
  return files;
}

void require_same_files(const Communicator& communicator, const std::vector<FileRead>& files) {
  if (communicator.size() == 1 || files.empty()) return;
  std::vector<Place> places;
  for (const FileRead& file : files) places.push_back(place_of(file.path));
  collectively(communicator, [&] {
    for (std::size_t f = 0; f < files.size(); ++f) {
      if (!is(places[f], Found::stream) || !files[f].sure) continue;
      throw Error(ErrorKind::usage, fmt::format("{}: {} is a pipe or a device, which ranks cannot read together; write "
                                                "it into a file",
                                                files[f].name, files[f].path));
    }
  });
  const std::vector<std::uint64_t> prints = prints_of(communicator, files, places);
  std::vector<std::uint64_t> least = prints, most = prints;
  std::vector<std::int64_t> everywhere;  // 1 if all ranks see a file
  for (const Place& place : places) everywhere.push_back(is(place, Found::file) ? 1 : 0);
  communicator.minimum(std::span(least));
  communicator.maximum(std::span(most));
  communicator.minimum(std::span(everywhere));
  for (std::size_t f = 0; f < files.size(); ++f) {
    if (least[f] == most[f] || (!files[f].sure && everywhere[f] == 0)) continue;
    std::uint64_t first = prints[f];
    communicator.broadcast(std::span(&first, 1), 0);
    std::string of_first = fmt::format("rank 0 on {} {}", host_name(), described(files[f].path, places[f]));
    communicator.broadcast(of_first, 0);
    std::optional<Error> error;
    if (prints[f] != first) {
      error.emplace(
          ErrorKind::input,
          fmt::format("{}: the ranks see different files: rank {} on {} {}, {}; all ranks need the same one, "
                      "on a file system that all nodes share or in copies that are alike",
                      files[f].name, communicator.rank(), host_name(), described(files[f].path, places[f]), of_first));
    }
    agree(communicator, error);
  }
}

}  // namespace cairn
