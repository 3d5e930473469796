// Stored Gaussian processes by Vecchia's likelihood: their parameters and reports.
#pragma once

#include <string>

#include "cairn/store/files/vecchia_file.hpp"
#include "cairn/task/gaussian/vecchia/conditional.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

/// Most coordinates that have a length each. With more the features are rows of L, with one length.
inline constexpr Index most_lengths = 64;

/// The smoothness with this name (1/2, 3/2, 5/2, infinite). Local.
[[nodiscard]] Smoothness smoothness_named(const std::string& name);

/// The parameters of a stored process in units of standardized rows and targets. Local.
[[nodiscard]] ColumnCovariance standardized_covariance(const VecchiaFile& file, const StoredVecchiaProcess& process);

/// Reports a file except for its provenance, name and task, and its metrics. @param rows  trained on. Local.
[[nodiscard]] ReportText vecchia_report(const VecchiaFile& file, Index rows);
[[nodiscard]] Metric::Record vecchia_metrics(const VecchiaFile& file, Index rows);

}  // namespace cairn
