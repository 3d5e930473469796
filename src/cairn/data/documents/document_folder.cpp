// A folder of documents, one per file.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/joined.hpp"
#include "cairn/base/joined_texts.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/documents/document_formats.hpp"
#include "cairn/data/io/byte_stream.hpp"
#include "cairn/data/io/encoding.hpp"
#include "cairn/data/io/folder_walk.hpp"

namespace cairn {

namespace {

constexpr Index block_files = 64;
constexpr std::size_t longest_file = std::size_t{1} << 30;

// Broadcasts the root rank's texts. Collective.
std::vector<std::string> from_root(const Communicator& communicator, const std::vector<std::string>& texts) {
  std::vector<char> joined;
  for (const std::string& text : texts) join_text(joined, text);
  communicator.broadcast(joined, 0);
  return separate_texts(joined);
}

// The first sub-folder, which is the label; empty for a file outside of all sub-folders.
std::string_view folder_of(std::string_view file) {
  const std::size_t slash = file.find('/');
  return slash == std::string_view::npos ? std::string_view() : file.substr(0, slash);
}

// Files beside sub-folders that hold files. They have no label.
std::vector<std::string> files_beside(const std::vector<std::string>& files) {
  std::vector<std::string> beside;
  std::ranges::copy_if(files, std::back_inserter(beside), [](const auto& file) { return folder_of(file).empty(); });
  if (beside.size() == files.size()) beside.clear();
  return beside;
}

void require_labels(const std::string& folder, const std::vector<std::string>& beside) {
  if (beside.empty()) return;
  throw Error(ErrorKind::input, fmt::format("{}/{}: is in no sub-folder and has no label; labels of the other files "
                                            "are the names of their sub-folders. Move it into a sub-folder, or away",
                                            folder, beside.front()));
}

class Folder final : public DocumentFile {
 public:
  /// @param loops   links that were not followed because they lead back to a folder above
  /// @param beside  files that were left out
  Folder(std::string path, std::vector<std::string> files, std::vector<std::string> loops,
         std::vector<std::string> beside)
      : path_(std::move(path)), files_(std::move(files)), loops_(std::move(loops)), beside_(std::move(beside)) {}

  void read_each(const Communicator& communicator, const UseDocument& use, const EndBlock& end) const override {
    std::optional<PlacedError> found;
    read_collectively(communicator, path_, [&] {
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
            const std::string& file = files_[k];
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
  [[nodiscard]] std::string place(Index line) const override { return fmt::format("{}/{}", path_, files_[line]); }
  [[nodiscard]] std::string text_source() const override { return "a file each"; }
  [[nodiscard]] bool has_identifiers() const override { return true; }
  [[nodiscard]] bool has_labels() const override { return !folder_of(files_.front()).empty(); }
  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> all;
    if (!loops_.empty()) {
      all.push_back(fmt::format(
          "{} not followed: {}",
          loops_.size() == 1 ? "a link to a folder that contains it was" : "links to folders that contain them were",
          named(loops_)));
    }
    if (!beside_.empty()) {
      all.push_back(fmt::format("{} beside the sub-folders that hold the texts left out: {}",
                                beside_.size() == 1 ? "a file was" : "files were", named(beside_)));
    }
    return all;
  }

 private:
  // The first few of some paths relative to the folder.
  [[nodiscard]] std::string named(const std::vector<std::string>& paths) const {
    constexpr std::size_t most = 3;
    std::vector<std::string> first;
    for (std::size_t k = 0; k < std::min(most, paths.size()); ++k)
      first.push_back(fmt::format("{}/{}", path_, paths[k]));
    if (paths.size() > most) first.push_back(fmt::format("and {} more", paths.size() - most));
    return joined(first, ", ");
  }

  static void read(const std::string& path, std::string& text) {
    const auto stream = ByteStream::open(path);
    constexpr std::size_t step = std::size_t{1} << 16;
    text.clear();
    for (std::size_t size = 0;;) {
      text.resize(size + step);
      const std::size_t got = stream->read(text.data() + size, step);
      size += got;
      text.resize(size);
      if (got < step) break;
      if (size > longest_file) throw Error(ErrorKind::input, path + ": is longer than 1 GiB");
    }
    refuse_no_text(path, text);
  }

  std::string path_;
  std::vector<std::string> files_, loops_, beside_;
};

}  // namespace

std::unique_ptr<DocumentFile> open_folder(const Communicator& communicator, const std::string& path, bool labelled) {
  std::vector<std::string> files, loops, beside;
  collectively(communicator, [&] {
    if (!communicator.is_root()) return;
    const FolderWalk walk(path);
    files = walk.files();
    beside = files_beside(files);
    if (labelled) require_labels(path, beside);
    std::erase_if(files, [&](const std::string& file) { return std::ranges::binary_search(beside, file); });
    loops = walk.loops();
  });
  files = from_root(communicator, files);
  loops = from_root(communicator, loops);
  beside = from_root(communicator, beside);
  std::string folder = path;
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return std::make_unique<Folder>(std::move(folder), std::move(files), std::move(loops), std::move(beside));
}

}  // namespace cairn
