// Reads and writes sequences as named arrays.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/sequences/sequence_set.hpp"

namespace cairn {

namespace {

constexpr const char* names_path = "sequences/names";  // in the file
constexpr const char* starts_name = "starts";          // in a block
constexpr const char* symbols_name = "symbols";

// A subset of the symbols of an alphabet, renumbered consecutively.
class CommonSymbols final : public CommonObjects {
 public:
  /// @param symbols  indices into `alphabet`, ascending
  CommonSymbols(SharedAlphabet alphabet, std::vector<std::int32_t> symbols)
      : alphabet_(std::move(alphabet)), symbols_(std::move(symbols)) {}

  [[nodiscard]] const SharedAlphabet& alphabet() const { return alphabet_; }
  [[nodiscard]] std::int32_t number(std::int32_t symbol) const {
    return static_cast<std::int32_t>(std::ranges::lower_bound(symbols_, symbol) - symbols_.begin());
  }
  void write(ArrayWriter& arrays) const override {
    std::vector<std::string_view> names;
    for (const std::int32_t symbol : symbols_) names.emplace_back(alphabet_->name(symbol));
    arrays.write_texts(names_path, names);
  }

 private:
  SharedAlphabet alphabet_;
  std::vector<std::int32_t> symbols_;
};

std::span<const std::int32_t> symbols_of(const SequenceBlock& block) {
  const auto begin = static_cast<std::size_t>(block.starts.front());
  return block.symbols.subspan(begin, static_cast<std::size_t>(block.starts.back()) - begin);
}

void check_sequences(const ArrayReader& arrays, const Sequences& sequences, std::size_t count, Index symbols) {
  const auto& starts = sequences.starts;
  const bool sound = starts.size() == count + 1 && starts.front() == 0 &&
                     starts.back() == std::ssize(sequences.symbols) && std::ranges::is_sorted(starts);
  if (!sound) {
    arrays.refuse(fmt::format("{} does not say where {} sequences begin and end", arrays.called(starts_name), count));
  }
  for (const std::int32_t symbol : sequences.symbols) {
    if (symbol >= 0 && symbol < symbols) continue;
    arrays.refuse(fmt::format("{} holds symbol {} of {}", arrays.called(symbols_name), symbol, symbols));
  }
}

}  // namespace

std::unique_ptr<CommonObjects> SequenceBlock::common_with(const ObjectBlock* other) const {
  std::vector<std::int32_t> used;
  for (const SequenceBlock* sequences : {this, dynamic_cast<const SequenceBlock*>(other)}) {
    if (sequences == nullptr) continue;
    if (sequences->alphabet != alphabet) {
      throw Error(ErrorKind::internal, "the landmarks of the factors number different symbols");
    }
    const auto own = symbols_of(*sequences);
    used.insert(used.end(), own.begin(), own.end());
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return std::make_unique<CommonSymbols>(alphabet, std::move(used));
}

void SequenceBlock::write(ArrayWriter& arrays, const CommonObjects* common) const {
  const auto* numbered = dynamic_cast<const CommonSymbols*>(common);
  if (numbered == nullptr) throw Error(ErrorKind::internal, "sequences are written without their symbols");
  std::vector<Index> begins(starts.begin(), starts.end());
  const Index first = begins.front();
  for (Index& begin : begins) begin -= first;
  std::vector<std::int32_t> numbers;
  for (const std::int32_t symbol : symbols_of(*this)) numbers.push_back(numbered->number(symbol));
  arrays.write_list<Index>(starts_name, begins);
  arrays.write_list<std::int32_t>(symbols_name, numbers);
  of_sequences.write(arrays, "", of_first, size());
}

std::unique_ptr<ObjectBlock> SequenceBlock::matched_to(const ObjectSet& others) const {
  const auto* theirs = dynamic_cast<const SequenceSet*>(&others);
  if (theirs == nullptr) return nullptr;
  std::vector<std::int32_t> numbers;
  for (const std::string& name : alphabet->names()) numbers.push_back(theirs->alphabet()->find(name));
  Sequences sequences;
  std::vector<std::int32_t> one;
  for (Index a = 0; a < size(); ++a) {
    one.clear();
    for (const std::int32_t symbol : sequence(a)) {
      one.push_back(numbers[symbol]);
      if (one.back() < 0) throw Error(ErrorKind::internal, "a symbol of a sequence is not among other ones");
    }
    sequences.append(one);
  }
  auto block = make_sequence_block(ids, std::move(sequences), theirs->alphabet(), set);
  block->of_sequences = of_sequences;
  block->of_first = of_first;
  block->of_total = of_total;
  return block;
}

std::unique_ptr<CommonObjects> read_common_symbols(const Communicator& communicator, const ArrayReader& file,
                                                   Index /*dimension*/) {
  return collectively(communicator, [&]() -> std::unique_ptr<CommonObjects> {
    std::vector<std::string> names = file.read_texts(names_path);
    if (std::ssize(names) > std::numeric_limits<std::int32_t>::max() ||
        std::ranges::adjacent_find(names, std::greater_equal<>()) != names.end()) {
      file.refuse(fmt::format("{} are not different symbols in ascending order", file.called(names_path)));
    }
    std::vector<std::int32_t> all(names.size());
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<std::int32_t>(k);
    return std::make_unique<CommonSymbols>(std::make_shared<const Alphabet>(std::move(names)), std::move(all));
  });
}

std::unique_ptr<ObjectBlock> read_sequence_block(const StoredObjects& stored) {
  const ArrayReader& arrays = stored.arrays;
  const auto* common = dynamic_cast<const CommonSymbols*>(stored.common);
  if (common == nullptr) arrays.refuse("the file has no symbols of sequences");
  Sequences sequences{arrays.read_list<Index>(starts_name), arrays.read_list<std::int32_t>(symbols_name)};
  check_sequences(arrays, sequences, stored.indices.size(), common->alphabet()->size());
  auto block = make_sequence_block(stored.indices, std::move(sequences), common->alphabet());
  block->of_sequences.read(arrays, "", block->size());
  return block;
}

}  // namespace cairn
