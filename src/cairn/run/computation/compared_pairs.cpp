#include "cairn/run/computation/compared_pairs.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/evaluation/pair_values.hpp"

namespace cairn {

namespace {

Index object_of(double value, Index objects, const std::string& path, Index pair) {
  if (value == std::floor(value) && value >= 0 && value < static_cast<double>(objects))
    return static_cast<Index>(value);
  throw Error(ErrorKind::input, fmt::format("{}: pair {} (lines without the header) names row {:g}; rows are "
                                            "integers from 0 to {}",
                                            path, pair, value, objects - 1));
}

}  // namespace

template <class T>
ScoredPairs read_pairs(const Execution& execution, const ColumnSource& source, const Approximation<T>& approximation,
                       const ExactMatrix<T>& exact) {
  const Communicator& communicator = execution.communicator;
  const ColumnTable table = read_columns(communicator, source);
  if (table.rows.dimension() != 3) {
    throw Error(ErrorKind::input,
                fmt::format("{} has {} columns of numbers; pairs have three, two row numbers and a score: "
                            "choose them with FILE:I,J,SCORE",
                            source.path, table.rows.dimension()));
  }
  std::vector<Index> rows, columns;
  std::vector<double> scores;
  collectively(communicator, [&] {
    const RowBlock<double>& values = table.rows.coordinates();
    for (Index p = values.range().begin; p < values.range().end; ++p) {
      const auto row = values.row(p);
      rows.push_back(object_of(row[0], approximation.left.rows(), source.path, p + 1));
      columns.push_back(object_of(row[1], approximation.left.rows(), source.path, p + 1));
      scores.push_back(row[2]);
    }
  });
  ScoredPairs pairs;
  pairs.scores = communicator.all_gather(scores);
  pairs.approximate = communicator.all_gather(approximate_entries(execution, approximation, rows, columns));
  pairs.exact =
      communicator.all_gather(exact.sources ? exact_entries(execution, *exact.sources, rows, columns)
                                            : exact_entries(execution, *exact.entries, *exact.objects, rows, columns));
  if (approximation.meaning == Meaning::distance) {
    for (auto* values : {&pairs.approximate, &pairs.exact}) {
      for (double& value : *values) value = -value;
    }
  }
  return pairs;
}

template ScoredPairs read_pairs(const Execution&, const ColumnSource&, const Approximation<float>&,
                                const ExactMatrix<float>&);
template ScoredPairs read_pairs(const Execution&, const ColumnSource&, const Approximation<double>&,
                                const ExactMatrix<double>&);

}  // namespace cairn
