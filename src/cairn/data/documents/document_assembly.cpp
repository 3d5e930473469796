#include "cairn/data/documents/document_assembly.hpp"

#include <algorithm>
#include <string_view>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/io/text_table.hpp"

namespace cairn {

namespace {

constexpr std::size_t pieces_at_once = 32;  // roughly equal to the MiB of text exchanged at once

// Consecutive documents sent to one owner: `count` documents from number `first` on.
struct Run {
  Index first = 0;
  Index count = 0;
};

// Removes the first `count` texts, each ending with a byte 0, from the front of `texts` and returns them.
std::string_view take_texts(std::string_view& texts, Index count) {
  std::size_t end = 0;
  for (Index k = 0; k < count; ++k) end = texts.find('\0', end) + 1;
  const std::string_view taken = texts.substr(0, end);
  texts.remove_prefix(end);
  return taken;
}

template <class T>
void append(std::vector<T>& target, std::span<const T> values) {
  target.insert(target.end(), values.begin(), values.end());
}

class Assembly {
 public:
  Assembly(const Communicator& communicator, const std::string& path, std::vector<DocumentPiece> pieces,
           const DocumentTraits& traits)
      : communicator_(communicator), pieces_(std::move(pieces)), traits_(traits) {
    std::vector<ParsedBlock> blocks;
    for (const DocumentPiece& piece : pieces_) blocks.push_back({piece.block, piece.bags.size()});
    Index total = 0;
    first_ = first_rows(communicator, blocks, total);
    if (total == 0) throw Error(ErrorKind::input, path + ": has no documents");
    partition_ = RowPartition(total, communicator.size());
    own_ = partition_.range(communicator.rank());
  }

  std::unique_ptr<DocumentSet> assemble(std::shared_ptr<const WordVectors> vectors) {
    exchange_lengths();
    exchange_labels(traits_.labels, &DocumentPiece::labels, own_texts_.labels);
    exchange_labels(traits_.splits, &DocumentPiece::splits, own_texts_.splits);
    exchange_labels(traits_.groups, &DocumentPiece::groups, own_texts_.groups);
    exchange_labels(traits_.identifiers, &DocumentPiece::identifiers, own_texts_.identifiers);
    if (traits_.numbers) exchange_numbers();
    collectively(communicator_, [&] {
      bags_.words.resize(bags_.starts.back());
      bags_.counts.resize(bags_.words.size());
      if (traits_.texts) bags_.characters.resize(bags_.text_starts.back());
    });
    const Index rounds =
        communicator_.maximum(static_cast<Index>((pieces_.size() + pieces_at_once - 1) / pieces_at_once));
    for (Index round = 0; round < rounds; ++round) {
      const std::size_t begin = std::min(pieces_.size(), static_cast<std::size_t>(round) * pieces_at_once);
      const std::size_t end = std::min(pieces_.size(), begin + pieces_at_once);
      exchange_bags(begin, end);
      for (std::size_t k = begin; k < end; ++k) pieces_[k] = {};
      Watchdog::beat();
    }
    return std::make_unique<DocumentSet>(partition_, communicator_.rank(), std::move(vectors), std::move(bags_),
                                         std::move(own_texts_), std::move(numbers_));
  }

 private:
  template <class T>
  using ByRank = std::vector<std::vector<T>>;
  template <class T>
  [[nodiscard]] ByRank<T> for_ranks() const {
    return ByRank<T>(static_cast<std::size_t>(communicator_.size()));
  }

  // Calls use(owner, first, run) for each run of a piece; `first` counts from 0 in the piece.
  template <class Use>
  void for_each_run(std::size_t piece, Use use) const {
    const Index size = pieces_[piece].bags.size();
    for (Index begin = 0; begin < size;) {
      const int owner = partition_.owner(first_[piece] + begin);
      const Index end = std::min(size, partition_.range(owner).end - first_[piece]);
      use(static_cast<std::size_t>(owner), begin, Run{first_[piece] + begin, end - begin});
      begin = end;
    }
  }

  // Appends the lengths of the documents of a run, in words or characters.
  static void append_lengths(std::vector<Index>& lengths, const std::vector<Index>& starts, Index first, Index count) {
    for (Index k = first; k < first + count; ++k) {
      lengths.push_back(starts[static_cast<std::size_t>(k) + 1] - starts[k]);
    }
  }

  void exchange_lengths() {
    auto runs = for_ranks<Run>();
    auto words = for_ranks<Index>(), characters = for_ranks<Index>();
    for (std::size_t piece = 0; piece < pieces_.size(); ++piece) {
      const DocumentBags& bags = pieces_[piece].bags;
      for_each_run(piece, [&](std::size_t owner, Index first, Run run) {
        runs[owner].push_back(run);
        append_lengths(words[owner], bags.starts, first, run.count);
        if (traits_.texts) append_lengths(characters[owner], bags.text_starts, first, run.count);
      });
    }
    runs = communicator_.exchange(runs);
    bags_.starts = starts_of(runs, communicator_.exchange(words));
    if (traits_.texts) bags_.text_starts = starts_of(runs, communicator_.exchange(characters));
  }

  [[nodiscard]] std::vector<Index> starts_of(const ByRank<Run>& runs, const ByRank<Index>& lengths) const {
    std::vector<Index> starts(static_cast<std::size_t>(own_.size()) + 1, 0);
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const Index* source = lengths[r].data();
      for (const Run& run : runs[r]) {
        std::copy_n(source, run.count, starts.begin() + (run.first - own_.begin) + 1);
        source += run.count;
      }
    }
    for (std::size_t k = 1; k < starts.size(); ++k) starts[k] += starts[k - 1];
    return starts;
  }

  void exchange_labels(bool present, std::string DocumentPiece::*member, std::vector<std::string>& labels) {
    if (!present) return;
    auto runs = for_ranks<Run>();
    auto texts = for_ranks<char>();
    for (std::size_t piece = 0; piece < pieces_.size(); ++piece) {
      std::string_view rest = pieces_[piece].*member;
      for_each_run(piece, [&](std::size_t owner, Index /*first*/, Run run) {
        runs[owner].push_back(run);
        append(texts[owner], std::span<const char>(take_texts(rest, run.count)));
      });
      pieces_[piece].*member = {};
    }
    runs = communicator_.exchange(runs);
    texts = communicator_.exchange(texts);
    labels.resize(own_.size());
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const char* text = texts[r].data();
      for (const Run& run : runs[r]) {
        for (Index k = 0; k < run.count; ++k) {
          std::string& label = labels[run.first - own_.begin + k];
          label = text;
          text += label.size() + 1;
        }
      }
    }
  }

  void exchange_numbers() {
    auto runs = for_ranks<Run>();
    auto numbers = for_ranks<Index>();
    for (std::size_t piece = 0; piece < pieces_.size(); ++piece) {
      const DocumentPiece& its = pieces_[piece];
      for_each_run(piece, [&](std::size_t owner, Index first, Run run) {
        runs[owner].push_back(run);
        for (Index k = first; k < first + run.count; ++k) {
          numbers[owner].push_back(its.first_number + its.offsets[k]);
        }
      });
    }
    runs = communicator_.exchange(runs);
    numbers = communicator_.exchange(numbers);
    numbers_.resize(own_.size());
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const Index* source = numbers[r].data();
      for (const Run& run : runs[r]) {
        std::copy_n(source, run.count, numbers_.begin() + (run.first - own_.begin));
        source += run.count;
      }
    }
  }

  void exchange_bags(std::size_t begin, std::size_t end) {
    auto runs = for_ranks<Run>();
    auto words = for_ranks<std::int32_t>();
    auto counts = for_ranks<float>();
    auto characters = for_ranks<char>();
    for (std::size_t piece = begin; piece < end; ++piece) {
      const DocumentBags& bags = pieces_[piece].bags;
      for_each_run(piece, [&](std::size_t owner, Index first, Run run) {
        runs[owner].push_back(run);
        append(words[owner], part(bags.words, bags.starts, first, run.count));
        append(counts[owner], part(bags.counts, bags.starts, first, run.count));
        if (traits_.texts) append(characters[owner], part(bags.characters, bags.text_starts, first, run.count));
      });
    }
    runs = communicator_.exchange(runs);
    place(runs, communicator_.exchange(words), bags_.starts, bags_.words);
    place(runs, communicator_.exchange(counts), bags_.starts, bags_.counts);
    if (traits_.texts) place(runs, communicator_.exchange(characters), bags_.text_starts, bags_.characters);
  }

  template <class T>
  static std::span<const T> part(const std::vector<T>& values, const std::vector<Index>& starts, Index first,
                                 Index count) {
    const auto begin = static_cast<std::size_t>(starts[first]);
    const auto end = static_cast<std::size_t>(starts[first + count]);
    return std::span(values).subspan(begin, end - begin);
  }

  template <class T>
  void place(const ByRank<Run>& runs, const ByRank<T>& received, const std::vector<Index>& starts,
             std::vector<T>& target) const {
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const T* source = received[r].data();
      for (const Run& run : runs[r]) {
        const std::span<const T> budget = part(target, starts, run.first - own_.begin, run.count);
        std::copy_n(source, budget.size(), target.begin() + (budget.data() - target.data()));
        source += budget.size();
      }
    }
  }

  const Communicator& communicator_;
  std::vector<DocumentPiece> pieces_;
  DocumentTraits traits_;
  std::vector<Index> first_;  // number of the first document of each piece
  RowPartition partition_;
  Range own_;
  DocumentBags bags_;
  ObjectTexts own_texts_;
  std::vector<Index> numbers_;
};

}  // namespace

std::unique_ptr<DocumentSet> assemble_documents(const Communicator& communicator, const std::string& path,
                                                std::vector<DocumentPiece> pieces, const DocumentTraits& traits,
                                                std::shared_ptr<const WordVectors> vectors) {
  return Assembly(communicator, path, std::move(pieces), traits).assemble(std::move(vectors));
}

}  // namespace cairn
