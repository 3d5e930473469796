#include "cairn/data/trees/tree_labels.hpp"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <limits>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/digest.hpp"

namespace cairn {

namespace {

constexpr std::size_t most_labels = std::numeric_limits<std::int32_t>::max();

// The labels of all ranks. Collective.
std::vector<std::string> all_names(const Communicator& communicator, const LabelNumbers& own) {
  std::string mine;
  for (Index k = 0; k < own.size(); ++k) mine.append(own.name(k)).push_back('\0');
  const std::vector<char> all = communicator.all_gather(std::span<const char>(mine));
  return collectively(communicator, [&] {
    std::vector<std::string> names;
    for (std::size_t begin = 0; begin < all.size();) {
      names.emplace_back(all.data() + begin);
      begin += names.back().size() + 1;
    }
    return names;
  });
}

}  // namespace

TreeLabels::TreeLabels(std::span<const std::string> ascending) {
  for (std::size_t k = 0; k < ascending.size(); ++k) {
    if (k > 0 && ascending[k] <= ascending[k - 1]) throw Error(ErrorKind::internal, "labels are not in their order");
    characters_ += ascending[k];
    starts_.push_back(std::ssize(characters_));
  }
}

std::int32_t TreeLabels::find(std::string_view name) const {
  std::int32_t low = 0, high = static_cast<std::int32_t>(size());
  while (low < high) {
    const std::int32_t middle = low + (high - low) / 2;
    if (this->name(middle) < name) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < size() && this->name(low) == name ? low : none;
}

void TreeLabels::use_vectors(std::shared_ptr<const WordVectors> vectors) {
  vectors_ = std::move(vectors);
  std::unordered_map<std::string_view, std::int32_t> rows;
  for (Index w = 0; w < vectors_->size(); ++w) rows.emplace(vectors_->word(w), static_cast<std::int32_t>(w));
  rows_.clear();
  for (std::int32_t k = 0; k < size(); ++k) {
    const auto found = rows.find(lexical_label(name(k)).word);
    rows_.push_back(found != rows.end() ? found->second : none);
  }
}

LexicalLabel lexical_label(std::string_view label) {
  constexpr std::string_view mark = "LEX##";
  if (!label.starts_with(mark)) return {};
  label.remove_prefix(mark.size());
  const std::size_t end = label.rfind("::");
  if (end == std::string_view::npos || end == 0) return {};
  return {label.substr(0, end), label.substr(end + 2)};
}

std::int32_t LabelNumbers::number(std::string_view label) {
  const auto found = numbers_.find(label);
  if (found != numbers_.end()) return found->second;
  require_utf8(label, "a label");
  if (names_.size() == most_labels) throw Error(ErrorKind::resource, "trees have more than 2^31 different labels");
  const auto added = numbers_.emplace(std::string(label), static_cast<std::int32_t>(names_.size())).first;
  names_.push_back(&added->first);
  return added->second;
}

SharedLabels share_labels(const Communicator& communicator, const LabelNumbers& own, const TreeLabels* more) {
  std::vector<std::string> names = all_names(communicator, own);
  return collectively(communicator, [&] {
    if (more != nullptr) {
      for (std::int32_t k = 0; k < more->size(); ++k) names.emplace_back(more->name(k));
    }
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    if (names.size() > most_labels) throw Error(ErrorKind::resource, "trees have more than 2^31 different labels");
    SharedLabels shared{std::make_shared<TreeLabels>(names), {}};
    for (Index k = 0; k < own.size(); ++k) shared.numbers.push_back(shared.labels->find(own.name(k)));
    return shared;
  });
}

std::uint64_t labels_digest(const TreeLabels& labels) {
  std::uint64_t state = 7;
  for (std::int32_t k = 0; k < labels.size(); ++k) state = hash_text(labels.name(k), state);
  const WordVectors* vectors = labels.vectors().get();
  for (Index w = 0; vectors != nullptr && w < vectors->size(); ++w) {
    const std::span<const float> vector(vectors->vectors().row(w), static_cast<std::size_t>(vectors->dimension()));
    state = hash_bytes(std::as_bytes(vector), hash_text(vectors->word(w), state));
  }
  return state;
}

void require_utf8(std::string_view text, const char* what) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (std::size_t at = 0; at < text.size();) {
    if (bytes[at] != 0 && bytes[at] < 0x80) {
      ++at;
      continue;
    }
    utf8proc_int32_t character = 0;
    const auto count = utf8proc_iterate(bytes + at, static_cast<utf8proc_ssize_t>(text.size() - at), &character);
    if (count <= 0 || character <= 0) {
      throw Error(ErrorKind::input, fmt::format("byte {} of {} ({:#04x}) is not UTF-8", at + 1, what, bytes[at]));
    }
    at += static_cast<std::size_t>(count);
  }
}

}  // namespace cairn
