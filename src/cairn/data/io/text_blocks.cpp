#include "cairn/data/io/text_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <optional>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/single_messages.hpp"
#include "cairn/base/process/reading_budget.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/io/byte_stream.hpp"
#include "cairn/data/io/encoding.hpp"

namespace cairn {

namespace {

constexpr Index block_bytes = Index{1} << 20;
constexpr std::size_t step_bytes = std::size_t{1} << 16;  // read at once to find the end of a line
constexpr const char* taken = ": what is read of it takes";
constexpr std::size_t longest_line = std::size_t{1} << 30;

// The number, from 1, of the line that contains byte `place` of the text of a file.
Index line_at(const std::string& path, Index place) {
  const auto stream = ByteStream::open(path);
  std::string text(static_cast<std::size_t>(block_bytes), '\0');
  Index line = 1;
  for (std::size_t left = static_cast<std::size_t>(place); left > 0;) {
    const std::size_t got = stream->read(text.data(), std::min(left, text.size()));
    if (got == 0) break;
    line += std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(got), '\n');
    left -= got;
  }
  return line;
}

// Reads until `text` has a line end at or after `from`, or the file ends; returns the position after it.
// @param begin  position in the file of the start of `text`
std::size_t read_to_line_end(ByteStream& stream, std::string& text, std::size_t from, const std::string& path,
                             Index begin) {
  const std::size_t first = from;
  for (;;) {
    const std::size_t end = text.find('\n', from);
    if (end != std::string::npos) return end + 1;
    from = text.size();
    if (from - first > longest_line) {
      throw Error(ErrorKind::input, fmt::format("{}:{}: the line is longer than 1 GiB; this is no text file", path,
                                                line_at(path, begin + static_cast<Index>(first))));
    }
    text.resize(from + step_bytes);
    text.resize(from + stream.read(text.data() + from, step_bytes));
    if (text.size() == from) return from;
  }
}

// Lines that begin in bytes [b, b + 1) * block_bytes of a plain file of `size` bytes: a part of `text`.
std::string_view plain_block(const std::string& path, Index size, Index b, std::string& text) {
  const auto stream = ByteStream::open(path);
  const Index before = b > 0 ? 1 : 0;  // the previous byte shows whether a line begins with the block
  const Index begin = b * block_bytes - before;
  stream->skip(begin);
  text.resize(std::min(block_bytes, size - b * block_bytes) + before);
  text.resize(stream->read(text.data(), text.size()));
  const std::size_t first_end = before > 0 ? text.find('\n') : 0;
  if (first_end == std::string::npos) return {};
  const std::size_t last = text.empty() ? 0 : text.size() - 1;  // the last line begins before the block's end
  const std::size_t end = read_to_line_end(*stream, text, last, path, begin);
  return std::string_view(text).substr(first_end + (before > 0 ? 1 : 0), end - first_end - (before > 0 ? 1 : 0));
}

// The blocks of a compressed file, from its start.
class UnpackedBlocks {
 public:
  explicit UnpackedBlocks(std::string path) : path_(std::move(path)), stream_(ByteStream::open(path_)) {}

  // The next block, valid until the next call; empty after the last one.
  [[nodiscard]] std::string_view next() {
    text_.erase(0, used_);
    begin_ += static_cast<Index>(used_);
    const std::size_t kept = text_.size();
    if (kept < static_cast<std::size_t>(block_bytes)) {
      text_.resize(block_bytes);
      text_.resize(kept + stream_->read(text_.data() + kept, text_.size() - kept));
    }
    used_ = text_.empty() ? 0 : read_to_line_end(*stream_, text_, text_.size() - 1, path_, begin_);
    Watchdog::beat();
    return std::string_view(text_).substr(0, used_);
  }

 private:
  std::string path_;
  std::unique_ptr<ByteStream> stream_;
  std::string text_;
  Index begin_ = 0;       // position of the text in the file
  std::size_t used_ = 0;  // bytes of the block that was given last
};

// Calls use(b, text) for the blocks of one rank of a plain file in order, until it returns false.
template <class Use>
void for_each_plain_block(const std::string& path, int rank, int ranks, Use use) {
  const Index size = file_size(path);
  const Index blocks = (size + block_bytes - 1) / block_bytes;
  std::string text;
  for (Index b = rank; b < blocks; b += ranks) {
    if (!use(b, plain_block(path, size, b, text))) return;
    if (std::ssize(text) > 2 * block_bytes) text = std::string();  // after a long line
  }
}

// Calls use(b, text) for all blocks in order, until it returns false. Local.
template <class Use>
void for_each_block(const std::string& path, Use use) {
  if (!ByteStream::open(path)->compressed()) return for_each_plain_block(path, 0, 1, use);
  UnpackedBlocks blocks(path);
  Index b = 0;
  for (std::string_view text = blocks.next(); !text.empty() && use(b, text); text = blocks.next()) ++b;
}

// Deals the blocks of a compressed file to the ranks of a node, of which the first unpacks it.
//
// A block is sent in pieces, of which only the last one is shorter than the others; a block of no bytes ends the file.
// Failures wait for that end, so that no rank waits for another: what a rank cannot keep it receives all the same.
class NodeBlocks {
 public:
  NodeBlocks(const Communicator& communicator, const std::string& path)
      : path_(path),
        watch_(path),
        rank_(communicator.rank()),
        ranks_(communicator.size()),
        node_(communicator.node()),
        members_(node_.all_gather_one(rank_)) {
    collectively(communicator, [&] { piece_.resize(std::size_t{2} << 20); });
  }

  // Calls use(b, text) for the blocks of this rank in order, until it returns false; then throws what failed here.
  // Collective over the node.
  template <class Use>
  void for_each_block(Use use) {
    const auto keep = [&](Index b, std::string_view text) {
      if (wanted_) attempt([&] { wanted_ = use(b, text); });
    };
    if (node_.is_root()) {
      deal(keep);
    } else {
      Index b = rank_;
      for (std::string text; receive(text); b += ranks_) keep(b, text);
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  template <class Work>
  void attempt(Work work) {
    try {
      within_reading_budget(path_ + taken, work);
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
      wanted_ = false;
    }
  }

  template <class Keep>
  void deal(Keep keep) {
    std::optional<UnpackedBlocks> blocks;
    std::string_view text;
    const auto next = [&] {
      text = {};
      attempt([&] {
        if (!blocks) blocks.emplace(path_);
        text = blocks->next();
      });
      return !text.empty();
    };
    for (Index b = 0; next(); ++b) {
      const auto owner = std::ranges::lower_bound(members_, static_cast<int>(b % ranks_));
      if (owner == members_.end() || *owner != b % ranks_) continue;
      const auto to = static_cast<int>(owner - members_.begin());
      if (to == node_.rank()) {
        keep(b, text);
      } else {
        send(text, to);
      }
    }
    for (int r = 1; r < node_.size(); ++r) send({}, r);
  }

  void send(std::string_view text, int to) const {
    for (;;) {
      const std::string_view piece = text.substr(0, piece_.size());
      send_bytes(node_, piece, to);
      if (piece.size() < piece_.size()) return;
      text.remove_prefix(piece.size());
    }
  }

  // False after the last block.
  bool receive(std::string& text) {
    text.clear();
    std::size_t size = 0;
    for (std::size_t got = piece_.size(); got == piece_.size(); size += got) {
      got = receive_bytes(node_, piece_, 0);
      if (wanted_) attempt([&] { text.append(piece_.data(), got); });
      Watchdog::beat();
    }
    if (wanted_) attempt([&] { watch_.look(); });
    return size > 0;
  }

  std::string path_;
  ReadingWatch watch_;
  int rank_, ranks_;
  const Communicator& node_;
  std::vector<int> members_;  // their ranks in the whole, ascending
  std::vector<char> piece_;
  std::exception_ptr failure_;
  bool wanted_ = true;
};

// Position and reason of the first line that could not be used.
struct LineError {
  Index block = 0;
  Index line = 0;
  Error error;
};

std::string_view without_mark(Index block, std::string_view text) {
  if (block == 0 && text.starts_with(utf8_mark)) text.remove_prefix(utf8_mark.size());
  return text;
}

// Error for a line whose parts do not fit into memory. Called inside a HeapCeiling, which the caller ends.
Error too_large(std::string_view line) {
  try {
    ReadingBudget::refuse(fmt::format("what is made of this line of {} bytes takes", line.size()));
  } catch (const Error& error) {
    return error;
  }
}

constexpr std::size_t long_line = std::size_t{1} << 16;

// Splits one block and counts its lines; returns the first error in it, if there is one.
std::optional<LineError> use_lines(Index block, std::string_view text, Index& lines,
                                   const std::function<void(std::string_view, Index)>& line) {
  lines = 0;
  text = without_mark(block, text);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view one = text.substr(0, end);
    if (one.ends_with('\r')) one.remove_suffix(1);
    try {
      line(one, lines);
    } catch (const Error& error) {
      return LineError{block, lines, error};
    } catch (const std::bad_alloc&) {
      if (one.size() < long_line) throw;  // the lines read so far take too much
      return LineError{block, lines, too_large(one)};
    }
    text.remove_prefix(std::min(end + 1, text.size()));
    ++lines;
  }
  return std::nullopt;
}

// Number of lines in the blocks before `block`. They are read again, since only a failing run needs the number.
Index lines_before(const std::string& path, Index block) {
  Index count = 0;
  for_each_block(path, [&](Index b, std::string_view text) {
    if (b >= block) return false;
    count += std::count(text.begin(), text.end(), '\n');
    return true;
  });
  return count;
}

}  // namespace

TextBlocks::TextBlocks(std::string path) : path_(std::move(path)) {
  constexpr std::size_t looked_at = 4096;
  std::string begin(looked_at, '\0');
  begin.resize(ByteStream::open(path_)->read(begin.data(), begin.size()));
  if (begin.empty()) throw Error(ErrorKind::input, path_ + ": is empty");
  refuse_binary(path_, begin);
}

void TextBlocks::for_each_line(const Communicator& communicator,
                               const std::function<void(std::string_view, Index)>& line,
                               const std::function<void(Index, Index)>& end) const {
  std::optional<LineError> found;
  const auto use = [&](Index b, std::string_view text) {
    Index lines = 0;
    found = use_lines(b, text, lines, line);
    if (!found) end(b, lines);
    Watchdog::beat();
    return !found;
  };
  const bool compressed = collectively(communicator, [&] { return ByteStream::open(path_)->compressed(); });
  std::optional<NodeBlocks> dealt;
  if (communicator.maximum(Index{compressed ? 1 : 0}) > 0) dealt.emplace(communicator, path_);
  collectively(communicator, [&] {
    if (dealt) return dealt->for_each_block(use);
    within_reading_budget(path_ + taken,
                          [&] { for_each_plain_block(path_, communicator.rank(), communicator.size(), use); });
  });
  constexpr Index none = std::numeric_limits<Index>::max();
  const Index first = communicator.minimum(found ? found->block : none);
  if (first == none) return;
  collectively(communicator, [&] {
    if (!found || found->block != first) return;
    const Index number = lines_before(path_, found->block) + found->line + 1;
    throw Error(found->error.kind(), fmt::format("{}:{}: {}", path_, number, found->error.what()));
  });
}

std::vector<std::string> TextBlocks::first_lines(std::size_t most) const {
  std::vector<std::string> lines;
  within_reading_budget(path_ + ": its first lines take", [&] {
    for_each_block(path_, [&](Index block, std::string_view text) {
      std::string_view rest = without_mark(block, text);
      while (!rest.empty() && lines.size() < most) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        std::string_view one = rest.substr(0, end);
        if (one.ends_with('\r')) one.remove_suffix(1);
        if (one.find_first_not_of(" \t") != std::string_view::npos) lines.emplace_back(one);
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
      return lines.size() < most;
    });
  });
  return lines;
}

}  // namespace cairn
