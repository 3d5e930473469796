// The small parts of a result file: everything except the factors, their maps and the labels.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cairn/data/io/hdf5_handle.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

/// Writes the root attributes held by `description`, and /similarity, /scaling, /evaluation, /provenance. One rank.
/// @throws Error(internal) if the name of a provenance entry is not allowed in a file
void write_description(const hdf5::Handle& file, const ResultDescription& description);
/// Reads the same, and the attributes of /landmarks. @throws Error(input). Local.
[[nodiscard]] ResultDescription read_description(const hdf5::InputFile& file);

/// Writes /scaling: the scaling of the points. One rank.
void write_scaling(const hdf5::Handle& file, const Scaling& scaling);
/// @param dimension  of the points @throws Error(input). Local.
[[nodiscard]] Scaling read_scaling(const hdf5::InputFile& file, Index dimension);

/// Writes /report, with the metrics. One rank.
void write_report(const hdf5::Handle& file, const MethodReport& report, const ResultDescription& description);
/// Writes numbers by name: the lists /report/names and /report/values. One rank.
void write_metrics(const hdf5::Handle& report, const std::map<std::string, double>& metrics);
/// @throws Error(input). Local.
[[nodiscard]] std::map<std::string, double> read_metrics(const hdf5::InputFile& file);
/// @throws Error(input). Local.
[[nodiscard]] MethodReport read_report(const hdf5::InputFile& file);

/// Writes /provenance: one text per name, and the phases. One rank.
/// @throws Error(internal) if a name is not allowed in a file
void write_provenance(const hdf5::Handle& file, const std::map<std::string, std::string>& texts,
                      const std::vector<PhaseSummary>& phases);
/// @throws Error(input). Local.
void read_provenance(const hdf5::InputFile& file, std::map<std::string, std::string>& texts,
                     std::vector<PhaseSummary>& phases);

/// Upper bound for the bytes of the small parts. Local.
[[nodiscard]] Index description_bytes(const ResultDescription& description, const MethodReport& report);

}  // namespace cairn
