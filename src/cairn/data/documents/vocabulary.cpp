#include "cairn/data/documents/vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/documents/document_formats.hpp"
#include "cairn/data/documents/word_messages.hpp"
#include "cairn/data/word_vectors/vector_formats.hpp"

namespace cairn {

namespace {

constexpr Index nowhere = -1;
constexpr Index behind_the_file = Index{1} << 62;  // places of words of a result that are not in the file
constexpr const char* blank = " ";                 // never a word of a text

// A word that this rank owns.
struct Owned {
  Index count = 0;
  Index known = nowhere;   // number in DocumentSource::known
  Index place = nowhere;   // position in the file of vectors
  std::size_t vector = 0;  // row in the list of values
  std::int32_t number = SharedWords::without_vector;
};

class WordSharing {
 public:
  WordSharing(const Communicator& communicator, const DocumentSource& source)
      : communicator_(communicator), source_(source), format_(word_vector_format(source.vectors)) {}

  template <class HasEmpty>
  SharedWords share(const Vocabulary& vocabulary, const HasEmpty& has_empty) {
    const auto sent_to = count(vocabulary);
    add_known();
    read();
    SharedWords shared;
    const Index words = number();
    shared.numbers = answer(vocabulary, sent_to);
    Index different = 0, missing = 0;
    for (const auto& [word, owned] : words_) {
      different += owned.count > 0 ? 1 : 0;
      missing += owned.count > 0 && in_use(owned) && owned.number == SharedWords::without_vector ? 1 : 0;
    }
    shared.different = communicator_.sum(different);
    shared.different_without_vector = communicator_.sum(missing);
    shared.repeated_vectors = communicator_.sum(repeated_);
    const auto is_known = [](std::int32_t n) { return n >= 0; };
    const Index kept = std::ranges::any_of(shared.numbers, is_known) ? 1 : 0;
    const bool keeps_empty = source_.empty == "keep";
    // New documents may be few, and none of them may have a known word.
    if (communicator_.maximum(kept) == 0 && !(keeps_empty && source_.known)) report_no_overlap(shared);
    if (keeps_empty && communicator_.maximum(has_empty(shared.numbers) ? 1 : 0) == 1) {
      shared.blank = number_blank(words);
    }
    shared.vectors = vectors();
    return shared;
  }

 private:
  // Sends the words of all ranks to their owners; returns the owner of each word of this rank.
  std::vector<std::size_t> count(const Vocabulary& vocabulary) {
    WordMessage message(communicator_.size());
    std::vector<std::size_t> sent_to;
    for (Index k = 0; k < vocabulary.size(); ++k)
      sent_to.push_back(message.add(vocabulary.word(k), vocabulary.count(k)));
    message.exchange(communicator_);
    for (std::size_t r = 0; r < message.ranks(); ++r) asked_.emplace_back(message.size(r));
    message.for_each([&](std::size_t r, std::size_t k, std::string_view word, Index times) {
      Owned& owned = find_or_add(word);
      owned.count += times;
      asked_[r][k] = &owned;
    });
    return sent_to;
  }

  Owned& find_or_add(std::string_view word) {
    const auto found = words_.find(word);
    return found != words_.end() ? found->second : words_.emplace(std::string(word), Owned{}).first->second;
  }

  void add_known() {
    if (!source_.known) return;
    for (Index w = 0; w < source_.known->size(); ++w) {
      const std::string_view word = source_.known->word(w);
      if (owner_of_word(word, communicator_.size()) == communicator_.rank()) find_or_add(word).known = w;
    }
  }

  [[nodiscard]] bool in_use(const Owned& owned) const {
    return owned.known >= 0 || owned.count >= source_.minimum_count;
  }

  // Reads the vectors of words that share a hash with a word in use. Their owners select the words themselves.
  void read() {
    std::vector<std::uint64_t> hashes;
    for (const auto& [word, owned] : words_) {
      if (in_use(owned)) hashes.push_back(hash_of_word(word));
    }
    hashes = communicator_.all_gather(hashes);
    std::ranges::sort(hashes);
    const auto wanted = [&](std::string_view word) { return std::ranges::binary_search(hashes, hash_of_word(word)); };
    const FoundVectors found = format_ == "text" ? read_text_vectors(communicator_, source_.vectors, wanted)
                               : format_ == "word2vec"
                                   ? read_word2vec(communicator_, source_.vectors, wanted)
                                   : read_row_vectors(communicator_, source_.vectors, format_, wanted);
    hashes = {};
    dimension_ = found.dimension;
    words_in_file_ = found.words_in_file;
    if (source_.vectors.dimension > 0 && source_.vectors.dimension != dimension_) {
      throw Error(ErrorKind::input,
                  fmt::format("{}: its vectors have {} values, and {} says {}", source_.vectors.path, dimension_,
                              source_.vectors.keys("dimension"), source_.vectors.dimension));
    }
    if (source_.known && source_.known->dimension() != dimension_) {
      throw Error(ErrorKind::input, fmt::format("{}: its vectors have {} values, those of the result have {}",
                                                source_.vectors.path, dimension_, source_.known->dimension()));
    }
    take(found);
  }

  void take(const FoundVectors& found) {
    const auto width = static_cast<std::size_t>(dimension_);
    WordMessage message(communicator_.size());
    std::vector<std::vector<float>> values(message.ranks());
    for (std::size_t k = 0; k < found.words.size(); ++k) {
      auto& target = values[message.add(found.words[k], found.places[k])];
      const float* vector = found.values.data() + k * width;
      target.insert(target.end(), vector, vector + width);
    }
    message.exchange(communicator_);
    values = communicator_.exchange(values);
    std::optional<PlacedError> twice;
    collectively(communicator_, [&] {
      message.for_each([&](std::size_t r, std::size_t k, std::string_view word, Index place) {
        const auto owned = words_.find(word);
        // another word with the same hash, or a line of the word list that is no word
        if (owned == words_.end() || !in_use(owned->second) || word == blank) return;
        const float* vector = values[r].data() + k * width;
        if (owned->second.place != nowhere) {
          if (!source_.vectors.first_of_repeated) return note_repeated(twice, word, owned->second.place, place);
          ++repeated_;
          if (place < owned->second.place) take_earlier(owned->second, place, vector);
          return;
        }
        owned->second.place = place;
        owned->second.vector = values_.size() / width;
        values_.insert(values_.end(), vector, vector + width);
      });
      for (const auto& [word, owned] : words_) {
        if (owned.known >= 0 && owned.place != nowhere) take_known(word, owned);
      }
    });
    throw_first(communicator_, twice);
  }

  void take_earlier(Owned& owned, Index place, const float* vector) {
    owned.place = place;
    std::copy_n(vector, dimension_, values_.data() + owned.vector * static_cast<std::size_t>(dimension_));
  }

  void note_repeated(std::optional<PlacedError>& twice, std::string_view word, Index one, Index other) const {
    const Index later = std::max(one, other);
    if (twice && twice->place <= later) return;
    twice = PlacedError{
        later, Error(ErrorKind::input,
                     fmt::format("{}: the word '{}' has a vector already ({}); {} = first takes the first of several",
                                 vector_place(source_.vectors, format_, later), word,
                                 vector_place(source_.vectors, format_, std::min(one, other)),
                                 source_.vectors.keys("repeated-words")))};
  }

  // Uses the result's vector of the word. The file's vector must be equal up to rounding.
  void take_known(std::string_view word, const Owned& owned) {
    const float* known = source_.known->vectors().row(owned.known);
    float* vector = values_.data() + owned.vector * static_cast<std::size_t>(dimension_);
    double difference = 0, norm = 0;
    for (Index j = 0; j < dimension_; ++j) {
      difference += std::abs(static_cast<double>(known[j]) - static_cast<double>(vector[j]));
      norm += std::abs(static_cast<double>(known[j]));
    }
    constexpr double rounding = 1e-5;
    if (difference > rounding * norm) {
      throw Error(ErrorKind::input,
                  fmt::format("{}: the vector of '{}' is another one than the documents are to be compared with: name "
                              "the vectors that the result was made with",
                              vector_place(source_.vectors, format_, owned.place), word));
    }
    std::copy_n(known, dimension_, vector);
  }

  // Numbers the words with a vector by their places; returns their count.
  Index number() {
    const auto width = static_cast<std::size_t>(dimension_);
    std::vector<Index> places;
    for (auto& [word, owned] : words_) {
      if (owned.place == nowhere && owned.known >= 0) {
        owned.place = behind_the_file + owned.known;
        owned.vector = values_.size() / width;
        const float* known = source_.known->vectors().row(owned.known);
        values_.insert(values_.end(), known, known + width);
      }
      if (owned.place != nowhere) places.push_back(owned.place);
    }
    places = communicator_.all_gather(places);
    std::ranges::sort(places);
    if (std::ssize(places) > std::numeric_limits<std::int32_t>::max()) {
      throw Error(ErrorKind::resource, "the documents use more than 2^31 different words");
    }
    for (auto& [word, owned] : words_) {
      if (owned.place == nowhere) continue;
      owned.number = static_cast<std::int32_t>(std::ranges::lower_bound(places, owned.place) - places.begin());
    }
    return std::ssize(places);
  }

  // The number of the blank: the next free one, unless it is already known.
  std::int32_t number_blank(Index words) {
    std::int32_t number = SharedWords::without_vector;
    if (owner_of_word(blank, communicator_.size()) == communicator_.rank()) {
      Owned& owned = find_or_add(blank);
      if (owned.number == SharedWords::without_vector) {
        owned.number = static_cast<std::int32_t>(words);
        owned.vector = values_.size() / static_cast<std::size_t>(dimension_);
        values_.resize(values_.size() + static_cast<std::size_t>(dimension_), 0.0F);
      }
      number = owned.number;
    }
    return communicator_.maximum(number);
  }

  // Each owner gives its vectors to all nodes; null if no word has one.
  std::shared_ptr<const WordVectors> vectors() {
    const auto width = static_cast<std::size_t>(dimension_);
    WordVectors::Part part;
    for (const auto& [word, owned] : words_) {
      if (owned.number == SharedWords::without_vector) continue;
      part.numbers.push_back(owned.number);
      part.words.push_back(word);
      const float* vector = values_.data() + owned.vector * width;
      part.values.insert(part.values.end(), vector, vector + width);
    }
    values_ = {};
    if (communicator_.maximum(part.numbers.empty() ? 0 : 1) == 0) return nullptr;
    return std::make_shared<const WordVectors>(communicator_, dimension_, part);
  }

  // Sends every rank the numbers of the words it sent, in their order.
  std::vector<std::int32_t> answer(const Vocabulary& vocabulary, const std::vector<std::size_t>& sent_to) const {
    std::vector<std::vector<std::int32_t>> answers(asked_.size());
    for (std::size_t r = 0; r < asked_.size(); ++r) {
      for (const Owned* owned : asked_[r]) {
        answers[r].push_back(in_use(*owned) ? owned->number : SharedWords::rare);
      }
    }
    answers = communicator_.exchange(answers);
    std::vector<std::size_t> next(answers.size(), 0);
    std::vector<std::int32_t> numbers;
    for (Index k = 0; k < vocabulary.size(); ++k) {
      const std::size_t owner = sent_to[k];
      numbers.push_back(answers[owner][next[owner]++]);
    }
    return numbers;
  }

  [[noreturn]] void report_no_overlap(const SharedWords& shared) const {
    if (shared.different == 0) throw Error(ErrorKind::input, source_.path + ": holds no words");
    if (shared.different_without_vector == 0) {
      throw Error(ErrorKind::input,
                  fmt::format("{}: none of its {} words comes {} times or more ({})", source_.path, shared.different,
                              source_.minimum_count, source_.keys("minimum-count")));
    }
    throw Error(ErrorKind::input,
                fmt::format("{}: none of the {} words of {} is among its {} words{}", source_.vectors.path,
                            shared.different_without_vector, source_.path, words_in_file_,
                            source_.tokenization.lower_case
                                ? fmt::format("; if those have capitals, give {} = false", source_.keys("lower-case"))
                                : ""));
  }

  const Communicator& communicator_;
  const DocumentSource& source_;
  std::string format_;
  TextMap<Owned> words_;                    // words owned by this rank
  std::vector<std::vector<Owned*>> asked_;  // per rank: the words whose numbers it requests
  std::vector<float> values_;               // vectors of the owned words
  Index dimension_ = 0;
  Index words_in_file_ = 0;
  Index repeated_ = 0;  // vectors of owned words that were left out
};

}  // namespace

std::int32_t Vocabulary::add(std::string_view word, Index times) {
  auto found = numbers_.find(word);
  if (found == numbers_.end()) {
    if (size() == std::numeric_limits<std::int32_t>::max()) {
      throw Error(ErrorKind::resource, "the documents hold more than 2^31 different words");
    }
    found = numbers_.emplace(std::string(word), static_cast<std::int32_t>(size())).first;
    words_.push_back(&found->first);
    counts_.push_back(0);
  }
  counts_[found->second] += times;
  return found->second;
}

SharedWords share_words(const Communicator& communicator, const Vocabulary& vocabulary, const DocumentSource& source,
                        const std::function<bool(std::span<const std::int32_t>)>& has_empty) {
  return WordSharing(communicator, source).share(vocabulary, has_empty);
}

}  // namespace cairn
