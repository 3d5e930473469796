#include "cairn/task/classification/classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/joined_texts.hpp"
#include "cairn/base/small_letters.hpp"
#include "cairn/data/missing_value.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

// Sentences on words among the labels that mean a missing value, with their numbers of rows. Ignores empty labels.
std::vector<std::string> words_for_none(const Communicator& communicator, std::span<const std::string> labels,
                                        const std::unordered_map<std::string, std::int32_t>& known) {
  std::map<std::string, Index> own;
  for (const std::string& label : labels) {
    if (!label.empty() && is_missing(label) && !known.contains(label)) ++own[label];
  }
  std::vector<char> words;
  std::vector<Index> rows_of_words;
  for (const auto& [word, rows] : own) {
    join_text(words, word);
    rows_of_words.push_back(rows);
  }
  const std::vector<std::string> all = separate_texts(communicator.all_gather(words));
  const std::vector<Index> rows_of_all = communicator.all_gather(rows_of_words);
  std::map<std::string, Index> counts;
  for (std::size_t k = 0; k < all.size(); ++k) counts[all[k]] += rows_of_all[k];
  std::vector<std::string> sentences;
  for (const auto& [word, rows] : counts) {
    sentences.push_back(
        fmt::format("{} rows have the label '{}', which means a missing value: they count as rows "
                    "without label, and a class needs another name",
                    grouped(rows), word));
  }
  return sentences;
}

std::optional<double> number_of(const std::string& name) {
  double value = NAN;
  const char* const end = name.data() + name.size();
  const auto [rest, code] = std::from_chars(name.data(), end, value);
  return code == std::errc{} && rest == end ? std::optional(value) : std::nullopt;
}

// A sentence on the first two names that represent the same number.
std::vector<std::string> notice_of_spellings(const std::vector<std::string>& names) {
  std::map<double, std::string> spellings;
  for (const std::string& name : names) {
    const auto value = number_of(name);
    if (!value || std::isnan(*value)) continue;
    const auto [first, is_new] = spellings.emplace(*value, name);
    if (is_new) continue;
    return {
        fmt::format("the labels '{}' and '{}' are the same number in two spellings: labels are compared as texts, "
                    "so these are two classes; write them alike",
                    first->second, name)};
  }
  return {};
}

// Names of this rank that are not known. Every rank stops collecting if there are too many.
std::set<std::string> other_names(const Communicator& communicator, std::span<const std::string> labels,
                                  const std::unordered_map<std::string, std::int32_t>& known) {
  std::set<std::string> names;
  for (const std::string& label : labels) {
    if (names.size() > most_classes) break;
    if (!known.contains(label) && !is_missing(label)) names.insert(label);
  }
  std::vector<char> message;
  for (const std::string& name : names) join_text(message, name);
  for (std::string& name : separate_texts(communicator.all_gather(message))) names.insert(std::move(name));
  return names;
}

}  // namespace

std::optional<Classes> find_classes(const Communicator& communicator, std::span<const std::string> labels,
                                    const std::vector<std::string>& known) {
  Classes classes{known, {}, {}};
  std::unordered_map<std::string, std::int32_t> numbers;
  for (const std::string& name : known) numbers.emplace(name, static_cast<std::int32_t>(numbers.size()));
  const auto known_numbers = numbers;
  for (const std::string& name : other_names(communicator, labels, known_numbers)) {
    numbers.emplace(name, static_cast<std::int32_t>(classes.names.size()));
    classes.names.push_back(name);
  }
  if (classes.names.size() > most_classes) return std::nullopt;
  for (const std::string& label : labels) {
    const auto its = numbers.find(label);
    classes.own.push_back(its == numbers.end() ? no_class : its->second);
  }
  classes.notices = words_for_none(communicator, labels, known_numbers);
  if (known.empty()) std::ranges::move(notice_of_spellings(classes.names), std::back_inserter(classes.notices));
  return classes;
}

void require_labels(const Communicator& communicator, const std::string& path, std::span<const std::string> labels,
                    std::span<const std::string> identifiers, const std::string& key) {
  const auto any = [&](std::span<const std::string> texts) { return communicator.maximum(texts.empty() ? 0 : 1) > 0; };
  if (any(labels)) return;
  const char* folder =
      any(identifiers) ? ", or put the texts of each class in a folder of its own, if they are in one folder" : "";
  throw Error(ErrorKind::input, fmt::format("{} has no labels to learn; approximate with {}{}", path, key, folder));
}

Classes classes_of(const Communicator& communicator, std::span<const std::string> labels,
                   const std::vector<std::string>& known) {
  std::optional<Classes> classes = find_classes(communicator, labels, known);
  if (classes) return std::move(*classes);
  throw Error(
      ErrorKind::input,
      fmt::format("there are more than {} different labels: these are values (learned by task krr) or names, not "
                  "classes",
                  most_classes));
}

std::vector<std::string> notices_of(const Classes& classes) {
  constexpr Index few = 50;
  std::vector<std::string> notices = classes.notices;
  const auto is_number = [](const std::string& name) { return number_of(name).has_value(); };
  if (classes.count() > few && std::ranges::all_of(classes.names, is_number)) {
    notices.push_back(
        fmt::format("the {} labels are numbers, and each is learned as a class; the tasks krr and gp learn values",
                    classes.count()));
  }
  return notices;
}

std::optional<std::string> other_spelling(const std::string& label, const std::vector<std::string>& names) {
  const auto value = number_of(label);
  for (const std::string& name : names) {
    if (name != label && ((value && number_of(name) == value) || in_small_letters(name) == in_small_letters(label)))
      return name;
  }
  return std::nullopt;
}

std::vector<std::string> first_sentences(std::vector<std::string> sentences) {
  constexpr std::size_t most = 5, first = 3;
  if (sentences.size() <= most) return sentences;
  const std::size_t others = sentences.size() - first;
  sentences.resize(first);
  sentences.push_back(fmt::format("so it is with {} other labels", others));
  return sentences;
}

std::vector<Index> class_sizes(const Communicator& communicator, const Classes& classes, std::span<const Index> rows) {
  std::vector<Index> sizes(classes.names.size(), 0);
  for (const Index row : rows) {
    const std::int32_t its = classes.own[row];
    if (its != no_class) ++sizes[its];
  }
  communicator.sum(std::span(sizes));
  return sizes;
}

}  // namespace cairn
