#include "cairn/store/files/landmark_file.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/io/hdf5_checksum.hpp"
#include "cairn/data/io/hdf5_open.hpp"
#include "cairn/data/pair_list.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

using hdf5::Handle;

constexpr const char* dataset_name = "/landmarks/indices";

// An index and its position in its file: "line 3" or "entry 3".
struct Entry {
  Index index = 0;
  Index position = 0;
};

Error unreadable(const std::string& path, const std::string& reason) {
  return {ErrorKind::input, fmt::format("{}: landmarks cannot be read: {}", path, reason)};
}

bool has_hdf5_signature(std::ifstream& file) {
  constexpr std::array<char, 8> signature{'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  std::array<char, 8> head{};
  file.read(head.data(), head.size());
  const bool found = file.gcount() == std::streamsize{8} && head == signature;
  file.clear();
  file.seekg(0);
  return found;
}

std::string_view trimmed(std::string_view text) {
  constexpr const char* blanks = " \t\r";
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::vector<Entry> read_text(std::ifstream& file, const std::string& path) {
  std::vector<Entry> entries;
  std::string line;
  for (Index number = 1; std::getline(file, line); ++number) {
    const std::string_view text = trimmed(std::string_view(line).substr(0, line.find('#')));
    if (text.empty()) continue;
    Index index = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (failure != std::errc{} || end != text.data() + text.size()) {
      throw Error(ErrorKind::input, fmt::format("{}:{}: \"{}\" is no row number; a landmark file holds one integer "
                                                "from 0 a line{}",
                                                path, number, text.substr(0, 40), if_heading(number, true)));
    }
    entries.push_back({index, number});
  }
  if (file.bad()) throw unreadable(path, std::strerror(errno));
  return entries;
}

std::vector<Entry> read_result(const std::string& path) {
  hdf5::keep_quiet();
  const Handle file = hdf5::open_to_read(path);
  if (!file) throw unreadable(path, hdf5::failure_reason());
  const Handle dataset(H5Dopen2(file.id(), dataset_name, H5P_DEFAULT), H5Dclose);
  if (!dataset) throw unreadable(path, fmt::format("it is an HDF5 file without a data set {}", dataset_name));
  const Handle type(H5Dget_type(dataset.id()), H5Tclose);
  const Handle space(H5Dget_space(dataset.id()), H5Sclose);
  if (!type || !space || H5Tget_class(type.id()) != H5T_INTEGER || H5Sget_simple_extent_ndims(space.id()) != 1) {
    throw unreadable(path, fmt::format("{} is not a list of integers", dataset_name));
  }
  hdf5::require_held(path, dataset_name, dataset.id());
  hsize_t size = 0;
  H5Sget_simple_extent_dims(space.id(), &size, nullptr);
  std::vector<Index> indices(size);
  if (size > 0 && H5Dread(dataset.id(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, indices.data()) < 0) {
    throw unreadable(path, hdf5::failure_reason());
  }
  if (H5Lexists(file.id(), hdf5::checksum_name, H5P_DEFAULT) > 0 && !hdf5::holds_checksum(dataset.id())) {
    throw unreadable(path, fmt::format("{} is damaged: its checksum does not match", dataset_name));
  }
  std::vector<Entry> entries;
  for (const Index index : indices) entries.push_back({index, static_cast<Index>(entries.size())});
  return entries;
}

// Returns the first `count` indices (0: all) after checking that they are below `objects` and distinct.
// @param place  names a position for messages @param source  names all of them
template <class Place>
std::vector<Index> checked(const std::vector<Entry>& entries, const Place& place, const std::string& source,
                           Index objects, Index count, const KeyNames& keys) {
  std::unordered_map<Index, Index> position_of;
  std::vector<Index> indices;
  for (const auto& [index, position] : entries) {
    if (index < 0 || index >= objects) {
      throw Error(ErrorKind::input, fmt::format("{}: landmark {} is out of range; rows count from 0 to {}",
                                                place(position), index, objects - 1));
    }
    const auto [first, is_new] = position_of.emplace(index, position);
    if (!is_new) {
      throw Error(ErrorKind::input, fmt::format("{}: landmark {} is there already, at {}; remove one of them",
                                                place(position), index, place(first->second)));
    }
    indices.push_back(index);
  }
  const auto held = static_cast<Index>(indices.size());
  if (count > held) {
    throw Error(ErrorKind::input,
                fmt::format("{}: it holds {} landmarks, but {} is {}", source, held, keys("count"), count));
  }
  if (count > 0) indices.resize(count);
  return indices;
}

std::vector<Index> read_indices(const std::string& path, Index objects, Index count, const KeyNames& keys) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw unreadable(path, std::strerror(errno));
  if (file.peek() == std::ifstream::traits_type::eof()) throw unreadable(path, "it is empty, or no file");
  const bool text = !has_hdf5_signature(file);
  const std::vector<Entry> entries = text ? read_text(file, path) : read_result(path);
  if (entries.empty()) throw unreadable(path, "it holds no row number");
  const auto place = [&](Index position) {
    return text ? fmt::format("{}:{}", path, position) : fmt::format("{}: {}[{}]", path, dataset_name, position);
  };
  return checked(entries, place, path, objects, count, keys);
}

// Row numbers separated by commas. @param where  names the value for messages
std::vector<Entry> parse_list(const std::string& list, const std::string& where) {
  std::vector<Entry> entries;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string_view field = trimmed(std::string_view(list).substr(begin, end - begin));
    const auto index = parse_integer(std::string(field));
    if (!index) {
      throw Error(ErrorKind::usage,
                  fmt::format("{}: \"{}\" is no row number; row numbers from 0 are separated by commas", where,
                              field.substr(0, 40)));
    }
    entries.push_back({*index, std::ssize(entries) + 1});
    begin = end + 1;
  }
  return entries;
}

}  // namespace

template <class T>
Landmarks<T> listed_landmarks(const Execution& execution, const ObjectSet& objects, const std::string& list,
                              Index count, const KeyNames& keys, bool takes_objects) {
  const auto phase = execution.phases.enter("landmarks");
  const std::string where = keys("list");
  const auto place = [&](Index position) { return fmt::format("{}, number {}", where, position); };
  Landmarks<T> landmarks;
  landmarks.indices = collectively(execution.communicator, [&] {
    return checked(parse_list(list, where), place, where, objects.size(), count, keys);
  });
  if (takes_objects) landmarks.objects = objects.gather(execution.communicator, landmarks.indices);
  return landmarks;
}

template <class T>
Landmarks<T> read_landmarks(const Execution& execution, const ObjectSet& objects, const std::string& path, Index count,
                            const KeyNames& keys, bool takes_objects) {
  if (count < 0) {
    throw Error(ErrorKind::usage, fmt::format("{} is {}; it cannot be negative", keys("count"), count));
  }
  const Communicator& communicator = execution.communicator;
  const auto phase = execution.phases.enter("landmarks");
  Landmarks<T> landmarks;
  landmarks.indices = collectively(communicator, [&] {
    return communicator.is_root() ? read_indices(path, objects.size(), count, keys) : std::vector<Index>{};
  });
  communicator.broadcast(landmarks.indices, 0);
  if (takes_objects) landmarks.objects = objects.gather(communicator, landmarks.indices);
  return landmarks;
}

#define CAIRN_INSTANTIATE(T)                                                                                           \
  template Landmarks<T> read_landmarks(const Execution&, const ObjectSet&, const std::string&, Index, const KeyNames&, \
                                       bool);                                                                          \
  template Landmarks<T> listed_landmarks(const Execution&, const ObjectSet&, const std::string&, Index,                \
                                         const KeyNames&, bool);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
