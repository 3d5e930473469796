// A folder of documents, one a file, and the order of errors among ranks.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <vector>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/documents/document_formats.hpp"
#include "cairn/data/io/byte_stream.hpp"

namespace cairn {

namespace {

namespace fs = std::filesystem;

constexpr Index block_files = 64;
constexpr std::size_t longest_file = std::size_t{1} << 30;

// Paths of the files in and below `folder`, relative to it, in the order of their bytes. Hidden ones are skipped.
std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  try {
    for (auto entry = fs::recursive_directory_iterator(folder); entry != fs::end(entry); ++entry) {
      if (entry->path().filename().string().starts_with('.')) {
        entry.disable_recursion_pending();
      } else if (entry->is_regular_file()) {
        files.push_back(entry->path().lexically_relative(folder).generic_string());
      }
      Watchdog::beat();
    }
  } catch (const fs::filesystem_error& error) {
    throw Error(ErrorKind::input, fmt::format("{}: cannot be read ({})", folder, error.code().message()));
  }
  if (files.empty()) throw Error(ErrorKind::input, folder + ": the folder holds no files");
  std::sort(files.begin(), files.end());
  return files;
}

// The first sub-folder, which is the label; empty for a file that is in none.
std::string_view folder_of(std::string_view file) {
  const std::size_t slash = file.find('/');
  return slash == std::string_view::npos ? std::string_view() : file.substr(0, slash);
}

void require_labels(const std::string& folder, const std::vector<std::string>& files) {
  const auto unlabelled = [](const std::string& file) { return folder_of(file).empty(); };
  const auto without = std::find_if(files.begin(), files.end(), unlabelled);
  if (without == files.end() || std::all_of(files.begin(), files.end(), unlabelled)) return;
  throw Error(
      ErrorKind::input,
      fmt::format("{}/{}: is in no sub-folder, as other files are, whose labels are their names: move it into one, or "
                  "away",
                  folder, *without));
}

class Folder final : public DocumentFile {
 public:
  Folder(std::string path, std::vector<std::string> files) : path_(std::move(path)), files_(std::move(files)) {}

  void for_each(const Communicator& communicator, const UseDocument& use, const EndBlock& end) const override {
    std::optional<PlacedError> found;
    collectively(communicator, [&] {
      const auto count = std::ssize(files_);
      std::string text;
      for (Index block = communicator.rank(); block * block_files < count && !found; block += communicator.size()) {
        const Index first = block * block_files, last = std::min(count, first + block_files);
        for (Index k = first; k < last && !found; ++k) {
          try {
            read(place(k), text);
          } catch (const Error& error) {
            found = PlacedError{k, error};
            break;
          }
          try {
            const std::string& file = files_[static_cast<std::size_t>(k)];
            use({.text = text, .label = folder_of(file), .identifier = file}, k - first);
          } catch (const Error& error) {
            found = PlacedError{k, Error(error.kind(), fmt::format("{}: {}", place(k), error.what()))};
          }
        }
        if (!found) end(block, last - first);
        Watchdog::beat();
      }
    });
    throw_first(communicator, found);
  }
  [[nodiscard]] std::string place(Index line) const override {
    return fmt::format("{}/{}", path_, files_[static_cast<std::size_t>(line)]);
  }
  [[nodiscard]] std::string text_source() const override { return "a file each"; }
  [[nodiscard]] bool has_identifiers() const override { return true; }
  [[nodiscard]] bool has_labels() const override { return !folder_of(files_.front()).empty(); }

 private:
  static void read(const std::string& path, std::string& text) {
    const auto stream = ByteStream::open(path);
    constexpr std::size_t step = std::size_t{1} << 16;
    text.clear();
    for (std::size_t size = 0;;) {
      text.resize(size + step);
      const std::size_t got = stream->read(text.data() + size, step);
      size += got;
      text.resize(size);
      if (got < step) return;
      if (size > longest_file) throw Error(ErrorKind::input, path + ": is longer than 1 GiB");
    }
  }

  std::string path_;
  std::vector<std::string> files_;
};

}  // namespace

std::unique_ptr<DocumentFile> open_folder(const Communicator& communicator, const std::string& path) {
  std::string joined;
  collectively(communicator, [&] {
    if (!communicator.is_root()) return;
    const std::vector<std::string> files = files_below(path);
    require_labels(path, files);
    for (const std::string& file : files) joined.append(file).push_back('\0');
  });
  communicator.broadcast(joined, 0);
  std::vector<std::string> files;
  for (std::string_view rest = joined; !rest.empty(); rest.remove_prefix(files.back().size() + 1)) {
    files.emplace_back(rest.substr(0, rest.find('\0')));
  }
  std::string folder = path;
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return std::make_unique<Folder>(std::move(folder), std::move(files));
}

void throw_first(const Communicator& communicator, const std::optional<PlacedError>& mine) {
  constexpr Index none = std::numeric_limits<Index>::max();
  const Index first = communicator.minimum(mine ? mine->place : none);
  if (first == none) return;
  collectively(communicator, [&] {
    if (mine && mine->place == first) throw mine->error;
  });
}

}  // namespace cairn
