#include "cairn/store/checkpoint/checkpoint_manifest.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/store/atomic_file.hpp"

namespace cairn {

namespace {

namespace fs = std::filesystem;

constexpr const char* first_line = "cairn checkpoint 1";
constexpr std::size_t most_bytes = std::size_t{16} << 20;
constexpr Index most_segments = Index{1} << 20;  // over all runs: each becomes a file name

std::string hash_text(const std::string& text) {
  return fmt::format("{:016x}", hash_bytes(std::as_bytes(std::span(text)), 2));
}

// Lines "NAME = VALUE", then the checksum of all lines before it.
std::string text_of(const CheckpointManifest& manifest) {
  std::string text = fmt::format("{}\nid = {}\n", first_line, manifest.id);
  for (const auto& [name, value] : manifest.identity) text += fmt::format("of {} = {}\n", name, value);
  for (const int ranks : manifest.ranks) text += fmt::format("run of ranks = {}\n", ranks);
  return text + fmt::format("checksum = {}\n", hash_text(text));
}

// Nothing if the text is not a manifest, or is damaged.
std::optional<CheckpointManifest> parse(const std::string& text) {
  const std::size_t end = text.rfind("checksum = ");
  if (!text.starts_with(std::string(first_line) + "\n") || end == std::string::npos) return std::nullopt;
  if (text.substr(end) != fmt::format("checksum = {}\n", hash_text(text.substr(0, end)))) return std::nullopt;
  CheckpointManifest manifest;
  std::istringstream lines(text.substr(0, end));
  std::string line;
  Index segments = 0;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const std::size_t equals = line.find(" = ");
    if (equals == std::string::npos) return std::nullopt;
    const std::string name = line.substr(0, equals), value = line.substr(equals + 3);
    if (name == "id") {
      manifest.id = value;
    } else if (name == "run of ranks") {
      int ranks = 0;
      const auto read = std::from_chars(value.data(), value.data() + value.size(), ranks);
      segments += ranks;
      if (read.ec != std::errc() || ranks < 1 || segments > most_segments) return std::nullopt;
      manifest.ranks.push_back(ranks);
    } else if (name.starts_with("of ")) {
      manifest.identity[name.substr(3)] = value;
    }
  }
  const bool has_id = !manifest.id.empty() && manifest.id.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!has_id) return std::nullopt;
  return manifest;
}

// Result of reading a manifest file, if it exists.
struct Read {
  bool there = false;
  std::optional<CheckpointManifest> manifest = {};
};

Read read(const std::string& path) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return {};
  const auto bytes = fs::file_size(path, failed);
  if (failed || bytes > most_bytes) return {.there = true};
  std::ifstream file(path, std::ios::binary);
  std::string text(bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(file.gcount());
  if (file.bad()) return {.there = true};  // unreadable counts as damaged
  return {true, parse(text)};
}

// Adds runs that the manifest does not list, as far as their segments exist. The segment of rank 0 may be missing.
void add_runs_of_segments(const std::string& path, CheckpointManifest& manifest) {
  const fs::path folder = fs::path(path).parent_path();
  const std::string prefix = fs::path(path).filename().string() + ".segment-";
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.empty() ? "." : folder, failed)) {
    const std::string name = entry.path().filename().string();
    Index run = -1;
    int rank = -1;
    if (!name.starts_with(prefix) || !name.ends_with("." + manifest.id)) continue;
    const char* const end = name.data() + name.size() - manifest.id.size() - 1;
    const auto [dash, none] = std::from_chars(name.data() + prefix.size(), end, run);
    if (none != std::errc() || dash == end || *dash != '-') continue;
    const auto [last, bad] = std::from_chars(dash + 1, end, rank);
    if (bad != std::errc() || last != end || rank < 0 || run < 0 || run >= most_segments || rank >= most_segments)
      continue;
    const auto known = static_cast<Index>(manifest.ranks.size());
    if (run >= known) manifest.ranks.resize(static_cast<std::size_t>(run) + 1, 1);
    auto& ranks = manifest.ranks[run];
    ranks = std::max(ranks, rank + 1);
  }
}

}  // namespace

std::string previous_manifest(const std::string& path) { return path + ".previous"; }

std::string segment_path(const std::string& path, const std::string& id, Index run, int rank) {
  return fmt::format("{}.segment-{}-{}.{}", path, run, rank, id);
}

std::string new_checkpoint_id() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

std::vector<std::string> CheckpointManifest::segments(const std::string& path) const {
  std::vector<std::string> names;
  for (std::size_t run = 0; run < ranks.size(); ++run) {
    for (int rank = 0; rank < ranks[run]; ++rank)
      names.push_back(segment_path(path, id, static_cast<Index>(run), rank));
  }
  return names;
}

std::optional<CheckpointManifest> read_manifest(const std::string& path) {
  Read last = read(path);
  if (last.manifest) return std::move(last.manifest);
  const std::string before = previous_manifest(path);
  Read previous = read(before);
  if (!last.there && !previous.there) return std::nullopt;
  if (!previous.manifest)
    throw Error(ErrorKind::input,
                fmt::format("{}: is no checkpoint, or damaged, and there is no sound {} beside it", path, before));
  CheckpointManifest manifest = std::move(*previous.manifest);
  manifest.notes.push_back(fmt::format("{} is {}; {} is taken", path, last.there ? "damaged" : "not there", before));
  add_runs_of_segments(path, manifest);
  return manifest;
}

bool begins_as_manifest(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  return std::getline(file, line) && line == first_line;
}

void write_manifest(const Communicator& communicator, const OutputPath& path, const CheckpointManifest& manifest) {
  AtomicFile file(communicator, path);
  collectively(communicator, [&] {
    if (!communicator.is_root()) return;
    std::ofstream out(file.partial_path(), std::ios::binary | std::ios::trunc);
    out << text_of(manifest);
    out.close();
    if (!out) throw Error(ErrorKind::resource, fmt::format("cannot write {}; free some space", file.partial_path()));
    std::error_code failed;
    const std::string before = previous_manifest(path.file);
    if (!read(path.file).manifest) return;  // the sound previous manifest stays
    fs::remove(before, failed);
    fs::create_hard_link(path.file, before, failed);
    if (failed) fs::copy_file(path.file, before, failed);  // a file system without links
  });
  file.commit();
}

}  // namespace cairn
