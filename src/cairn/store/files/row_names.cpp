#include "cairn/store/files/row_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/small_letters.hpp"
#include "cairn/parameters/suggestion.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/files/csv_file.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/hdf5/result_layout.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

namespace {

// Lower case (ASCII), and numbers without leading zeros: 'Sport/017.txt' becomes 'sport/17.txt'.
std::string plain_spelling(std::string_view name) {
  const std::string text = in_small_letters(name);
  std::string plain;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t k = 0; k < text.size(); ++k) {
    const bool in_number = !plain.empty() && is_digit(plain.back());
    const bool goes_on = k + 1 < text.size() && is_digit(text[k + 1]);
    if (text[k] == '0' && goes_on && !in_number) continue;
    plain += text[k];
  }
  return plain;
}

// True if `path` ends with the path `tail`.
bool is_tail(std::string_view tail, std::string_view path) {
  return tail.size() < path.size() && path.ends_with(tail) && path[path.size() - tail.size() - 1] == '/';
}

// True if `stem` is `name` without its extension.
bool is_stem(std::string_view stem, std::string_view name) {
  return stem.size() < name.size() && name.starts_with(stem) && name[stem.size()] == '.';
}

// Edits between two spellings: 0 if one is the end of the other, as paths, or lacks its extension; more than `most` are
// not counted.
int edits_between(std::string_view first, std::string_view second, int most) {
  if (is_tail(first, second) || is_tail(second, first) || is_stem(first, second) || is_stem(second, first)) return 0;
  const std::size_t lengths = std::max(first.size(), second.size()) - std::min(first.size(), second.size());
  return lengths > static_cast<std::size_t>(most) ? most + 1 : edit_distance(first, second);
}

}  // namespace

std::string RowName::behind() const {
  return (label.empty() ? "" : " " + label) + (number.empty() ? "" : " " + number);
}

std::string RowName::in_brackets() const {
  if (label.empty() && number.empty()) return {};
  return fmt::format(" ({}{}{})", label, label.empty() || number.empty() ? "" : ", ", number);
}

RowNames::RowNames(const Communicator& communicator, const RowPartition& partition, std::vector<std::string> labels,
                   std::vector<Index> numbers, std::vector<std::string> texts, std::string what)
    : communicator_(communicator),
      partition_(partition),
      rows_(partition.range(communicator.rank())),
      labels_(std::move(labels)),
      numbers_(std::move(numbers)),
      texts_(std::move(texts)),
      what_(std::move(what)),
      labelled_(communicator.maximum(labels_.empty() ? 0 : 1) > 0),
      numbered_(communicator.maximum(numbers_.empty() ? 0 : 1) > 0),
      said_(communicator.maximum(texts_.empty() ? 0 : 1) > 0) {}

std::string RowNames::heading() const { return std::string(any() ? ",label" : "") + (both() ? ",number" : ""); }

RowName RowNames::own(Index row) const {
  const auto at = static_cast<std::size_t>(row - rows_.begin);
  RowName name;
  if (labelled_) name.label = labels_[at];
  if (numbered_) (labelled_ ? name.number : name.label) = std::to_string(numbers_[at]);
  if (said_) name.text = texts_[at];
  return name;
}

std::string RowNames::csv_fields(Index row) const {
  if (!any()) return {};
  const RowName name = own(row);
  std::string fields = next_csv_field(name.label);
  if (both()) fields.append(",").append(name.number);
  return fields;
}

std::vector<RowName> RowNames::of(const std::vector<Index>& rows) const {
  std::vector<RowName> names(rows.size());
  if (!any() && !said_) return names;
  std::string mine;
  for (const Index row : rows) {
    if (!rows_.contains(row)) continue;
    const RowName name = own(row);
    mine.append(name.label).push_back('\0');
    mine.append(name.number).push_back('\0');
    mine.append(name.text).push_back('\0');
  }
  const std::vector<char> all = communicator_.all_gather(std::span<const char>(mine));
  std::vector<std::size_t> order(rows.size());  // rows of rank 0, then of rank 1, ..., each as in `rows`
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return partition_.owner(rows[k]); });
  const char* next = all.data();
  for (const std::size_t k : order) {
    names[k].label = next;
    next += names[k].label.size() + 1;
    names[k].number = next;
    next += names[k].number.size() + 1;
    names[k].text = next;
    next += names[k].text.size() + 1;
  }
  return names;
}

std::string RowNames::text_of(Index row, By by) const {
  const auto at = static_cast<std::size_t>(row - rows_.begin);
  if (by == By::text) return texts_[at];
  return by == By::number || !labelled_ ? std::to_string(numbers_[at]) : labels_[at];
}

// Texts of one kind that are spelled most like `text`; if none is near, `like.edits` is unchanged. Collective.
void RowNames::find_like(By by, const std::string& text, Like& like) const {
  constexpr std::size_t most = 3;
  struct Near {
    int edits;
    Index row;
  };
  const std::string plain = plain_spelling(text);
  int least = like.edits;
  std::vector<Near> near;  // first rows of this rank with distinct texts and the fewest edits so far
  for (Index row = rows_.begin; row < rows_.end; ++row) {
    const int edits = edits_between(plain, plain_spelling(text_of(row, by)), least);
    if (edits > least || edits >= like.edits) continue;
    if (edits < least) near.clear();
    least = edits;
    const auto same = [&](const Near& other) { return text_of(other.row, by) == text_of(row, by); };
    if (near.size() < most && std::ranges::none_of(near, same)) near.push_back({edits, row});
  }
  near = communicator_.all_gather(near);
  std::ranges::sort(near, {}, [](const Near& one) { return std::pair(one.edits, one.row); });
  if (near.empty()) return;
  like = {near.front().edits, {}};
  for (const Near& one : near) {
    if (one.edits > like.edits || like.texts.size() == most) break;
    const RowName name = of(one.row);
    const std::string& its = by == By::text ? name.text : name.label;
    if (std::ranges::find(like.texts, its) == like.texts.end()) like.texts.push_back(its);
  }
}

// "; did you mean 'a' or 'b'?", or nothing if no text of these kinds is near. Collective.
std::string RowNames::like(const std::vector<By>& kinds, const std::string& text) const {
  constexpr int most_edits = 3;
  Like like{std::min(most_edits, static_cast<int>(text.size()) / 2) + 1, {}};
  for (const By by : kinds) find_like(by, text, like);
  if (like.texts.empty()) return "";
  std::string all;
  for (std::size_t k = 0; k < like.texts.size(); ++k) {
    const char* before = k == 0 ? "" : k + 1 == like.texts.size() ? " or " : ", ";
    all += fmt::format("{}'{}'", before, like.texts[k]);
  }
  return fmt::format("; did you mean {}?", all);
}

std::vector<RowNames::Found> RowNames::find(By by, const std::vector<std::string>& texts) const {
  std::unordered_map<std::string, std::size_t> places;  // position of each text in the two lists below
  for (const std::string& text : texts) places.try_emplace(text, places.size());
  std::vector<Index> counts(places.size(), 0), first(places.size(), std::numeric_limits<Index>::max());
  for (Index row = rows_.begin; row < rows_.end; ++row) {
    const auto found = places.find(text_of(row, by));
    if (found == places.end()) continue;
    ++counts[found->second];
    first[found->second] = std::min(first[found->second], row);
  }
  communicator_.sum(std::span<Index>(counts));
  communicator_.minimum(std::span<Index>(first));
  std::vector<Found> all;
  for (const std::string& text : texts) {
    const std::size_t place = places.at(text);
    all.push_back({counts[place], first[place]});
  }
  return all;
}

std::string RowNames::complaint(By by, const std::string& text, const Found& found) const {
  const char* what = by == By::number ? "number" : by == By::text ? "name" : "label";
  if (found.rows == 0) {
    const std::vector<By> kinds =
        by == By::number || (by == By::label && !labelled_) ? std::vector<By>() : std::vector{by};
    return fmt::format("no {} has the {} '{}'{}", what_, what, text, like(kinds, text));
  }
  return fmt::format("{} {}s have the {} '{}', the first of them is {} {}; name one by its {} number",
                     grouped(found.rows), what_, what, text, what_, found.first, what_);
}

std::vector<Index> RowNames::look_up(By by, const std::vector<std::string>& texts, const std::string& where) const {
  const std::vector<Found> found = find(by, texts);
  std::vector<Index> rows;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    if (found[k].rows != 1) {
      throw Error(ErrorKind::usage, fmt::format("{}: {}", where, complaint(by, texts[k], found[k])));
    }
    rows.push_back(found[k].first);
  }
  return rows;
}

std::vector<Index> RowNames::look_up_words(const std::vector<std::string>& texts, const std::string& where) const {
  if (!said_) return look_up(By::label, texts, where);
  if (!labelled_) return look_up(By::text, texts, where);
  const std::vector<Found> said = find(By::text, texts), labelled = find(By::label, texts);
  std::vector<Index> rows;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    const Found& found = said[k].rows > 0 ? said[k] : labelled[k];
    if (found.rows == 0) {
      throw Error(ErrorKind::usage, fmt::format("{}: no {} has the name or the label '{}'{}", where, what_, texts[k],
                                                like({By::text, By::label}, texts[k])));
    }
    if (found.rows > 1) {
      const By by = said[k].rows > 0 ? By::text : By::label;
      const std::string own = by == By::text ? "" : fmt::format(", or by its own name, as '{}'", of(found.first).text);
      throw Error(ErrorKind::usage, fmt::format("{}: {}{}", where, complaint(by, texts[k], found), own));
    }
    rows.push_back(found.first);
  }
  return rows;
}

RowNames read_row_names(const Communicator& communicator, const std::string& path, const ResultShape& shape) {
  const RowPartition partition(shape.rows, communicator.size());
  std::vector<std::string> labels;
  std::vector<Index> numbers;
  collectively(communicator, [&] {
    const hdf5::InputFile file(path);
    const Range own = partition.range(communicator.rank());
    if (shape.has_labels) labels = file.row_texts(layout::labels, own);
    if (!shape.has_numbers) return;
    numbers.resize(own.size());
    file.read_rows(layout::numbers, file.table(layout::numbers), own, numbers.data());
  });
  return {communicator, partition, std::move(labels), std::move(numbers)};
}

}  // namespace cairn
