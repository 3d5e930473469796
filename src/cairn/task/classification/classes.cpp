#include "cairn/task/classification/classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <unordered_map>
#include <utility>

#include "cairn/base/error.hpp"

namespace cairn {

namespace {

// What differs from rank to rank, without what is known; every rank stops collecting where there are too many.
std::set<std::string> other_names(const Communicator& communicator, std::span<const std::string> labels,
                                  const std::unordered_map<std::string, std::int32_t>& known) {
  std::set<std::string> names;
  for (const std::string& label : labels) {
    if (names.size() > most_classes) break;
    if (!label.empty() && !known.contains(label)) names.insert(label);
  }
  std::string message;
  for (const std::string& name : names) message += name + '\0';
  const std::vector<char> all = communicator.all_gather(std::span<const char>(message));
  for (std::size_t begin = 0; begin < all.size();) {
    std::string name(all.data() + begin);
    begin += name.size() + 1;
    names.insert(std::move(name));
  }
  return names;
}

}  // namespace

std::optional<Classes> find_classes(const Communicator& communicator, std::span<const std::string> labels,
                                    const std::vector<std::string>& known) {
  Classes classes{known, {}};
  std::unordered_map<std::string, std::int32_t> numbers;
  for (const std::string& name : known) numbers.emplace(name, static_cast<std::int32_t>(numbers.size()));
  for (const std::string& name : other_names(communicator, labels, numbers)) {
    numbers.emplace(name, static_cast<std::int32_t>(classes.names.size()));
    classes.names.push_back(name);
  }
  if (classes.names.size() > most_classes) return std::nullopt;
  for (const std::string& label : labels) classes.own.push_back(label.empty() ? no_class : numbers.at(label));
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
  throw Error(ErrorKind::input,
              fmt::format("there are more than {} different labels: these are values, not classes", most_classes));
}

std::vector<std::string> notice_of_numbers(const Classes& classes) {
  constexpr Index few = 50;
  const auto is_number = [](const std::string& name) {
    double value = NAN;
    const char* const end = name.data() + name.size();
    const auto [rest, code] = std::from_chars(name.data(), end, value);
    return code == std::errc{} && rest == end;
  };
  if (classes.count() <= few || !std::ranges::all_of(classes.names, is_number)) return {};
  return {fmt::format("the {} labels are numbers, and each is learned as a class; the tasks krr and gp learn values",
                      classes.count())};
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
    const std::int32_t its = classes.own[static_cast<std::size_t>(row)];
    if (its != no_class) ++sizes[static_cast<std::size_t>(its)];
  }
  communicator.sum(std::span(sizes));
  return sizes;
}

}  // namespace cairn
