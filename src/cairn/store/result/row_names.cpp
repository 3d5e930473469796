#include "cairn/store/result/row_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/parameters/suggestion.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/files/csv_file.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/result/result_file.hpp"
#include "cairn/store/result/result_layout.hpp"

namespace cairn {

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
  std::vector<std::size_t> order(rows.size());  // those of rank 0, then those of rank 1, ..., each as in `rows`
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

// The label that is spelled most like a text; of equal ones the first row's. Collective.
std::string RowNames::like(By by, const std::string& text) const {
  if (by == By::number || !labelled_) return "";
  constexpr int most_edits = 3;
  struct Near {
    int edits;
    Index row;
  } near{std::min(most_edits, static_cast<int>(text.size()) / 2) + 1, std::numeric_limits<Index>::max()};
  for (Index row = rows_.begin; row < rows_.end; ++row) {
    const int edits = edit_distance(text, text_of(row, by));
    if (edits < near.edits) near = {edits, row};
  }
  for (const Near& other : communicator_.all_gather_one(near)) {
    if (std::pair(other.edits, other.row) < std::pair(near.edits, near.row)) near = other;
  }
  if (near.row == std::numeric_limits<Index>::max()) return "";
  return fmt::format("; did you mean '{}'?", of(near.row).label);
}

std::vector<RowNames::Found> RowNames::find(By by, const std::vector<std::string>& texts) const {
  std::unordered_map<std::string, std::size_t> places;  // of each text in the two lists below
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
  const char* what = by == By::number ? "number" : "label";
  if (found.rows == 0) return fmt::format("no {} has the {} '{}'{}", what_, what, text, like(by, text));
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

RowNames read_row_names(const Communicator& communicator, const std::string& path, const ResultShape& shape) {
  const RowPartition partition(shape.rows, communicator.size());
  std::vector<std::string> labels;
  std::vector<Index> numbers;
  collectively(communicator, [&] {
    const hdf5::InputFile file(path);
    const Range own = partition.range(communicator.rank());
    if (shape.has_labels) labels = file.row_texts(layout::labels, own);
    if (!shape.has_numbers) return;
    numbers.resize(static_cast<std::size_t>(own.size()));
    file.read_rows(layout::numbers, file.table(layout::numbers), own, numbers.data());
  });
  return {communicator, partition, std::move(labels), std::move(numbers)};
}

}  // namespace cairn
