// The small parts of a result file: everything but the factors, their maps and the labels.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cairn/data/io/hdf5_handle.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/store/hdf5/hdf5_read.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

/// Writes the attributes of the root that `description` holds, and /similarity, /scaling, /evaluation, /provenance. One
/// rank.
/// @throws Error(internal) for a name of a provenance entry that a file cannot have
void write_description(const hdf5::Handle& file, const ResultDescription& description);
/// Reads the same, and the attributes of /landmarks. @throws Error(input). Local.
[[nodiscard]] ResultDescription read_description(const hdf5::InputFile& file);

/// Writes /scaling: how points became what they are. One rank.
void write_scaling(const hdf5::Handle& file, const Scaling& scaling);
/// @param dimension  of the points @throws Error(input). Local.
[[nodiscard]] Scaling read_scaling(const hdf5::InputFile& file, Index dimension);

/// Writes /report, with the figures. One rank.
void write_report(const hdf5::Handle& file, const MethodReport& report, const std::map<std::string, double>& figures);
/// Numbers by name: the lists /report/names and /report/values. One rank.
void write_figures(const hdf5::Handle& report, const std::map<std::string, double>& figures);
/// @throws Error(input). Local.
[[nodiscard]] std::map<std::string, double> read_figures(const hdf5::InputFile& file);
/// @throws Error(input). Local.
[[nodiscard]] MethodReport read_report(const hdf5::InputFile& file);

/// Writes /provenance: one text a name, and the phases. One rank.
/// @throws Error(internal) for a name that a file cannot have
void write_provenance(const hdf5::Handle& file, const std::map<std::string, std::string>& texts,
                      const std::vector<PhaseSummary>& phases);
/// @throws Error(input). Local.
void read_provenance(const hdf5::InputFile& file, std::map<std::string, std::string>& texts,
                     std::vector<PhaseSummary>& phases);

/// Bytes that the small parts take at most. Local.
[[nodiscard]] Index description_bytes(const ResultDescription& description, const MethodReport& report);

}  // namespace cairn
