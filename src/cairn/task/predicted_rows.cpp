#include "cairn/task/predicted_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "cairn/base/phases.hpp"
#include "cairn/data/row_list.hpp"
#include "cairn/store/files/csv_file.hpp"

namespace cairn {

template <class T>
StoredResult<T> read_for_prediction(const PredictionInput& input, const std::string& path) {
  constexpr Index no_tiles = 0;
  Phases::Scope phase = input.execution.phases.enter("read");
  return read_result<T>(input.execution.communicator, path, no_tiles);
}

template StoredResult<float> read_for_prediction(const PredictionInput&, const std::string&);
template StoredResult<double> read_for_prediction(const PredictionInput&, const std::string&);

PredictedRows::PredictedRows(const PredictionInput& input, const RowPartition& partition,
                             std::vector<std::string> labels)
    : input_(input), partition_(partition), labels_(std::move(labels)) {
  const Communicator& communicator = input.execution.communicator;
  labelled_ = communicator.maximum(static_cast<Index>(labels_.size())) > 0;
  if (!input.rows.empty()) {
    rows_ = read_row_list(communicator, input.rows, partition_);
    return;
  }
  const Range own = partition_.range(communicator.rank());
  rows_.resize(static_cast<std::size_t>(own.size()));
  std::iota(rows_.begin(), rows_.end(), own.begin);
}

Index PredictedRows::count() const { return input_.execution.communicator.sum(static_cast<Index>(rows_.size())); }

void PredictedRows::write(const std::string& heading,
                          const std::function<std::string(std::size_t at)>& own_fields) const {
  write_lines((labelled_ ? "row,label" : "row") + heading, [&](std::size_t at, std::size_t own) {
    std::string text = fmt::format("{}", rows_[at]);
    if (labelled_) text += next_csv_field(labels_[own]);
    return text + own_fields(at) + "\n";
  });
}

void PredictedRows::write_plain(const std::function<std::string(std::size_t at, std::size_t own)>& line) const {
  write_lines("", line);
}

void PredictedRows::write_lines(const std::string& heading,
                                const std::function<std::string(std::size_t at, std::size_t own)>& line) const {
  if (input_.output.file.empty()) return;
  Phases::Scope phase = input_.execution.phases.enter("write");
  const Communicator& communicator = input_.execution.communicator;
  const Index first = partition_.range(communicator.rank()).begin;
  write_csv_lines(communicator, input_.output.file, heading, partition_.rows(), [&](Range window) {
    std::string text;
    const auto begin = std::lower_bound(rows_.begin(), rows_.end(), window.begin);
    for (auto row = begin; row != rows_.end() && *row < window.end; ++row) {
      text += line(static_cast<std::size_t>(row - rows_.begin()), static_cast<std::size_t>(*row - first));
    }
    return text;
  });
}

void OutOfSample::add(const ResultDescription& description, const std::string& path) {
  std::ranges::move(extension_warnings(description, path), std::back_inserter(warnings));
  if (is_extension(description)) error = extension_error(description);
}

}  // namespace cairn
