// Documents that a program passes as texts.
#include <fmt/format.h>

#include <utility>

#include "cairn/data/documents/document_formats.hpp"

namespace cairn {

namespace {

class TextsOfProgram final : public DocumentFile {
 public:
  explicit TextsOfProgram(std::shared_ptr<const GivenTexts> given) : given_(std::move(given)) {}

  [[nodiscard]] std::string place(Index line) const override { return fmt::format("text {}, from 0", line); }
  [[nodiscard]] std::string text_source() const override { return "texts of the program"; }

 private:
  // The texts of a rank are the block of its number.
  void read_each(const Communicator& communicator, const UseDocument& use, const EndBlock& end) const override {
    const Index own = std::ssize(given_->texts);
    Index first = 0;
    const std::vector<Index> counts = communicator.all_gather_one(own);
    for (int r = 0; r < communicator.rank(); ++r) first += counts[r];
    std::optional<PlacedError> found;
    for (Index k = 0; k < own && !found; ++k) {
      try {
        use({.text = given_->texts[k],
             .label = given_->labels.empty() ? std::string_view() : std::string_view(given_->labels[k])},
            k);
      } catch (const Error& error) {
        found = PlacedError{first + k, Error(error.kind(), fmt::format("{}: {}", place(first + k), error.what()))};
      }
    }
    end(communicator.rank(), own);
    throw_first(communicator, found);
  }

  std::shared_ptr<const GivenTexts> given_;
};

}  // namespace

std::unique_ptr<DocumentFile> open_given_texts(const DocumentSource& source) {
  return std::make_unique<TextsOfProgram>(source.given);
}

}  // namespace cairn
