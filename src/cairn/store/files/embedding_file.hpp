// Files of coordinates that were found for objects. docs/file-format.md describes what this folder alone knows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/linalg/tall/row_block.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

inline constexpr int embedding_format_version = 1;

/// What an embedding's file says beside the coordinates.
struct EmbeddingDescription {
  std::string method;                          ///< classical-scaling, kernel-pca
  std::string object_kind;                     ///< points, matrix, graph, mesh, documents
  std::uint64_t data_digest = 0;               ///< of all objects, as in the result that they come from
  std::vector<double> eigenvalues, residuals;  ///< one a coordinate
  std::map<std::string, double> figures;       ///< trace, trace_share, stress, ...
  std::map<std::string, std::string> provenance;
  std::vector<PhaseSummary> phases;
};

/// What a reader learns of it without the coordinates.
struct StoredEmbedding {
  int format_version = 0;
  Index rows = 0;       ///< objects
  Index dimension = 0;  ///< coordinates
  bool has_labels = false;
  EmbeddingDescription description;
};

/// Writes coordinates (n x D) and what `description` says: complete under `path`, or not there.
/// @param labels  this rank's, one a row, or empty everywhere
/// @throws Error(resource) if the disk is full or fails, Error(usage) as check_writable does. Collective.
void write_embedding(const Execution& execution, const OutputPath& path, const RowBlock<double>& coordinates,
                     const EmbeddingDescription& description, const std::vector<std::string>& labels);

/// Whether the HDF5 file says that it is an embedding. @throws Error(input) if it cannot be opened. Collective.
[[nodiscard]] bool is_embedding(const Communicator& communicator, const std::string& path);

/// @throws Error(input) if the file is missing, of another format or a newer version, or its parts do not agree.
/// Collective.
[[nodiscard]] StoredEmbedding read_embedding_description(const Communicator& communicator, const std::string& path);

}  // namespace cairn
