// Writes values on vertices to files: CSV, HDF5, or XDMF with HDF5.
#pragma once

#include <string>
#include <vector>

#include "cairn/run/outcome/run_outcome.hpp"
#include "cairn/store/files/fields_file.hpp"
#include "commands/row_choice.hpp"
#include "report/job.hpp"

namespace cairn::app {

/// Format given by the ending of a file name: .csv: only the values; .h5 and .xdmf: also the geometry of the data.
enum class FieldFormat { csv, hdf5, xdmf };

/// @throws Error(usage) if the option's value has another ending. Local.
[[nodiscard]] FieldFormat field_format(const Settings& settings, const std::string& option);

/// True if the option was given and its file contains the geometry of the data. Local.
[[nodiscard]] bool wants_geometry(const Settings& settings, const std::string& option);

/// check_output for a file of fields, or for both files. Does nothing if the option is not given. Collective.
void check_field_output(const Job& job, const std::string& option);

/// @throws Error(usage) if --positions was given and none of the options names a file that uses them. Local.
void refuse_unused_positions(const Settings& settings, const std::vector<std::string>& options);

/// The geometry of the data: triangles of a mesh, edges of a graph, points in 2 or 3 dimensions.
/// @param positions  file of read_positions, which a graph needs; empty: the data's own @throws Error(usage) if the
/// data have none. Collective.
template <class T>
[[nodiscard]] Geometry geometry_of(const Execution& execution, const Data<T>& data, const std::string& positions);

/// The unit of the similarity if known; else empty. Local.
template <class T>
[[nodiscard]] std::string unit_of(const RunRequest& request, const Data<T>& data);

/// Writes `fields` to the file that the option names.
/// @param column  csv: name of the first column, which contains the vertices' numbers @param set  contents of .h5 and
/// .xdmf without the fields @param names  csv: names of the rows, written as the last columns. @return "FILE", or "FILE
/// and FILE". Collective.
std::string write_field_output(const Job& job, const Execution& execution, const std::string& option,
                               const RowPartition& partition, const std::string& column, std::vector<Field> fields,
                               FieldSet set, const RowNames& names);

}  // namespace cairn::app
