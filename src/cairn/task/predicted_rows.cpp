#include "cairn/task/predicted_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <system_error>

#include "cairn/base/error.hpp"
#include "cairn/base/schedule/phases.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/data/row_list.hpp"
#include "cairn/parameters/units.hpp"
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

template <class T>
Data<T> read_new_points(const PredictionInput& input, const KnownPoints& trained_on) {
  const auto phase = input.execution.phases.enter("read");
  KnownObjects known{.points = trained_on};
  known.new_objects = true;
  return read_data<T>(point_data(), {input.execution, *input.points, &known});
}

template Data<float> read_new_points(const PredictionInput&, const KnownPoints&);
template Data<double> read_new_points(const PredictionInput&, const KnownPoints&);

std::string result_of_model(const PredictionInput& input, const std::string& trained_on) {
  const std::vector<std::string>& paths = input.results;
  if (paths.size() > 1) {
    throw Error(ErrorKind::usage,
                fmt::format("{} is given {} times, and the file has one model", input.keys("result"), paths.size()));
  }
  return paths.empty() ? trained_on : paths.front();
}

void require_basis(const std::string& path, const std::vector<std::uint64_t>& digests, Index columns,
                   const TrainedBasis& basis) {
  if (std::ranges::count(digests, basis.digest) > 0 && columns == basis.columns) return;
  throw Error(ErrorKind::input,
              fmt::format("{}: its left factor is not the one that {} was trained on; give {} or an extension of it",
                          path, basis.model, basis.result));
}

std::vector<std::string> names_beside(const ObjectTexts& texts) {
  return texts.texts.empty() ? texts.identifiers : texts.texts;
}

PredictedRows::PredictedRows(const PredictionInput& input, const RowPartition& partition,
                             std::vector<std::string> labels, std::vector<Index> numbers,
                             std::vector<std::string> names)
    : input_(input),
      partition_(partition),
      names_(input.execution.communicator, partition, std::move(labels), std::move(numbers)),
      beside_(std::move(names)) {
  const Communicator& communicator = input.execution.communicator;
  have_beside_ = communicator.maximum(static_cast<Index>(beside_.size())) > 0;
  if (!input.rows.empty()) {
    rows_ = read_row_list(communicator, input.rows, partition_);
    return;
  }
  const Range own = partition_.range(communicator.rank());
  rows_.resize(own.size());
  std::iota(rows_.begin(), rows_.end(), own.begin);
}

Index PredictedRows::count() const { return input_.execution.communicator.sum(static_cast<Index>(rows_.size())); }

void PredictedRows::write(const std::string& heading,
                          const std::function<std::string(std::size_t at)>& own_fields) const {
  write_lines("row" + names_.heading() + heading + (have_beside_ ? ",name" : ""), [&](std::size_t at, std::size_t own) {
    return fmt::format("{}{}{}{}\n", rows_[at], names_.csv_fields(rows_[at]), own_fields(at),
                       have_beside_ ? next_csv_field(beside_[own]) : "");
  });
}

std::vector<std::string> PredictedRows::notes() const {
  if (!names_.numbered()) return {};
  return {fmt::format("rows are counted from 0 and have other numbers in the file: the column {} has those",
                      names_.both() ? "number" : "label")};
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

std::vector<std::string> training_notes(const PredictionInput& input, const std::string& path, Index trained,
                                        Index rows) {
  const bool same = std::ranges::all_of(input.results, [&](const std::string& result) {
    std::error_code unknown;
    return std::filesystem::equivalent(result, path, unknown) && !unknown;
  });
  if (!same || trained == 0) return {};
  return {
      fmt::format("the model was trained on {} of the {} rows of this result{}: the score says little about other "
                  "rows",
                  grouped(trained), grouped(rows), input.rows.empty() ? "" : ", and these may be among them")};
}

void OutOfSample::add(const ResultDescription& description, const std::string& path) {
  std::ranges::move(extension_warnings(description, path), std::back_inserter(warnings));
  if (is_extension(description)) error = extension_error(description);
}

}  // namespace cairn
