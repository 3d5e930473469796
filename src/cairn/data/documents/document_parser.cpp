#include "cairn/data/documents/document_parser.hpp"

#include <algorithm>
#include <string_view>

#include "cairn/base/error.hpp"
#include "cairn/data/io/text_table.hpp"

namespace cairn {

namespace {

// The next text including its byte 0; empty if there is none.
std::string_view take(std::string_view& texts) {
  if (texts.empty()) return {};
  const std::string_view taken = texts.substr(0, texts.find('\0') + 1);
  texts.remove_prefix(taken.size());
  return taken;
}

std::string_view text_of(const DocumentBags& bags, Index k) {
  if (bags.text_starts.empty()) return {};
  const Index begin = bags.text_starts[k];
  const Index end = bags.text_starts[static_cast<std::size_t>(k) + 1];
  return {bags.characters.data() + begin, static_cast<std::size_t>(end - begin)};
}

// An empty piece with capacity for as many entries as `bags` has.
DocumentBags bags_like(const DocumentBags& bags) {
  DocumentBags empty;
  empty.starts.reserve(bags.starts.size());
  empty.words.reserve(bags.words.size());
  empty.counts.reserve(bags.counts.size());
  empty.characters.reserve(bags.characters.size());
  if (!bags.text_starts.empty()) empty.text_starts = {0};
  return empty;
}

// The first words of a text, separated by single blanks, truncated if long.
std::string beginning(std::string_view text) {
  constexpr std::size_t longest = 60, looked_at = 1000;
  bool changed = false;
  std::string words = as_utf8(utf8_prefix(text, looked_at), changed);
  const auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7F'; };
  std::ranges::replace_if(words, is_blank, ' ');
  words.erase(std::unique(words.begin(), words.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
              words.end());
  words = std::string(trimmed(words));
  if (words.size() <= longest) return words;
  const std::string_view shown = utf8_prefix(words, longest);
  const std::size_t blank = shown.rfind(' ');
  return std::string(shown.substr(0, blank)) + " ...";
}

}  // namespace

DocumentParser::DocumentParser(const DocumentSource& source, const DocumentTraits& traits, bool words)
    : classes_(source.classes), traits_(traits), words_(words), tokenizer_(source.tokenization, source.keys) {
  report_.of_class.assign(classes_.size(), 0);
  start_piece();
}

void DocumentParser::start_piece() {
  piece_ = {};
  if (traits_.texts) piece_.bags.text_starts = {0};
}

void DocumentParser::add(const DocumentText& document, Index line) {
  ++report_.read;
  if (document.no_text) ++report_.without_text;
  const Index offset = in_block_++;
  if (!classes_.empty()) {
    const auto its = std::find(classes_.begin(), classes_.end(), document.label);
    if (its == classes_.end()) {
      ++report_.other_classes;
      return;
    }
    ++report_.of_class[its - classes_.begin()];
  }
  if (first_words_.words.empty()) first_words_.words = beginning(document.text);
  check_label(document.label);
  check_label(document.split);
  check_label(document.group);
  check_label(document.identifier);
  const bool sound_text = !traits_.texts || add_text(document.text);
  const bool sound_words = !words_ || add_words(document.text);
  if (!sound_text || !sound_words) {
    ++report_.not_utf8;
    first_not_utf8_.meet(line);
  }
  piece_.bags.starts.push_back(std::ssize(piece_.bags.words));
  piece_.lines.push_back(static_cast<std::int32_t>(line));
  piece_.offsets.push_back(static_cast<std::int32_t>(offset));
  if (traits_.labels) piece_.labels.append(document.label).push_back('\0');
  if (traits_.splits) piece_.splits.append(split_.empty() ? document.split : split_).push_back('\0');
  if (traits_.groups) piece_.groups.append(document.group).push_back('\0');
  if (traits_.identifiers) piece_.identifiers.append(document.identifier).push_back('\0');
}

void DocumentParser::end_block(Index block) {
  piece_.block = block;
  first_not_utf8_.end_block(block);
  piece_.bags.words.shrink_to_fit();
  piece_.bags.counts.shrink_to_fit();
  piece_.bags.characters.shrink_to_fit();
  if (!began_with_words_) first_words_.block = block;
  began_with_words_ = !first_words_.words.empty();
  blocks_.push_back({block, std::exchange(in_block_, 0)});
  if (piece_.bags.size() > 0) pieces_.push_back(std::move(piece_));
  start_piece();
}

DocumentReport DocumentParser::report() const {
  DocumentReport report = report_;
  report.stop_words = tokenizer_.stop_words_met();
  return report;
}

bool DocumentParser::add_text(std::string_view text) {
  bool changed = false;
  const std::string kept = as_utf8(text, changed);
  piece_.bags.characters.insert(piece_.bags.characters.end(), kept.begin(), kept.end());
  piece_.bags.text_starts.push_back(std::ssize(piece_.bags.characters));
  return !changed;
}

bool DocumentParser::add_words(std::string_view text) {
  numbers_.clear();
  const bool sound = tokenizer_.cut(text, [&](std::string_view word) { numbers_.push_back(vocabulary_.add(word)); });
  report_.words += std::ssize(numbers_);
  std::sort(numbers_.begin(), numbers_.end());
  for (auto begin = numbers_.begin(); begin != numbers_.end();) {
    const auto end = std::upper_bound(begin, numbers_.end(), *begin);
    piece_.bags.words.push_back(*begin);
    piece_.bags.counts.push_back(static_cast<float>(end - begin));
    begin = end;
  }
  return sound;
}

bool has_empty(const DocumentBags& bags, std::span<const std::int32_t> numbers) {
  for (std::size_t k = 0; k + 1 < bags.starts.size(); ++k) {
    const auto words = std::span(bags.words).subspan(bags.starts[k], bags.starts[k + 1] - bags.starts[k]);
    const auto known = [&](std::int32_t word) { return numbers[word] >= 0; };
    if (std::ranges::none_of(words, known)) return true;
  }
  return false;
}

void Translation::apply(DocumentPiece& piece) {
  const DocumentPiece old = std::exchange(piece, {});
  piece.block = old.block;
  piece.first_number = old.first_number;
  piece.bags = bags_like(old.bags);
  std::string_view labels = old.labels, splits = old.splits, groups = old.groups, identifiers = old.identifiers;
  for (Index k = 0; k < old.bags.size(); ++k) {
    const std::string_view label = take(labels), split = take(splits), group = take(groups),
                           identifier = take(identifiers), text = text_of(old.bags, k);
    const std::int32_t line = old.lines[k];
    const std::int32_t offset = old.offsets[k];
    const bool keeps = words_ ? add_words(old.bags, k, piece.bags) : has_content(text);
    if (!keeps) {
      ++report_.empty;
      if (places_.size() < most_places) places_.push_back({old.block, line});
      if (!report_.keeps_empty) continue;
      if (words_) {
        piece.bags.words.push_back(shared_.blank);
        piece.bags.counts.push_back(1.0F);
      }
    }
    piece.bags.starts.push_back(std::ssize(piece.bags.words));
    piece.lines.push_back(line);
    piece.offsets.push_back(offset);
    piece.labels += label;
    piece.splits += split;
    piece.groups += group;
    piece.identifiers += identifier;
    if (old.bags.text_starts.empty()) continue;
    piece.bags.characters.insert(piece.bags.characters.end(), text.begin(), text.end());
    piece.bags.text_starts.push_back(std::ssize(piece.bags.characters));
  }
}

// Adds the words of document k of `old` that have a number; false if none has.
bool Translation::add_words(const DocumentBags& old, Index k, DocumentBags& bags) {
  entries_.clear();
  for (Index e = old.starts[k]; e < old.starts[static_cast<std::size_t>(k) + 1]; ++e) {
    const auto word = static_cast<std::size_t>(old.words[e]);
    const std::int32_t number = shared_.numbers[word];
    const float count = old.counts[e];
    Index& times = number >= 0                   ? report_.kept_words
                   : number == SharedWords::rare ? report_.rare_words
                                                 : report_.words_without_vector;
    times += static_cast<Index>(count);
    if (number >= 0) entries_.emplace_back(number, count);
  }
  std::sort(entries_.begin(), entries_.end());
  for (const auto& [number, count] : entries_) {
    bags.words.push_back(number);
    bags.counts.push_back(count);
  }
  return !entries_.empty();
}

}  // namespace cairn
