// Compares a row of the approximation with the exact one.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "cairn/base/mpi/row_partition.hpp"
#include "commands/field_output.hpp"
#include "commands/row_choice.hpp"
#include "report/job.hpp"

namespace cairn::app {

/// Writes row `row` to the file of --out (fields exact and approximate; also difference if the geometry is written),
/// and prints and returns its relative squared error, ||K~_i - K_i||² / ||K_i||². @param columns  of K
/// @param exact  K(row, own columns) @param approximate  K~(row, own columns)
/// @param unit  of K @param set  the geometry, if the file contains it. Collective.
nlohmann::ordered_json compare_row(const Job& job, const Execution& execution, const RowPartition& columns, Index row,
                                   std::vector<double> exact, std::vector<double> approximate, const std::string& unit,
                                   FieldSet set, const RowNames& names, const RowNames& column_names);

}  // namespace cairn::app
