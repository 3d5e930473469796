// Files of computed coordinates of objects. docs/file-format.md describes the format; only this folder knows it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/linalg/tall/row_block.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

inline constexpr int embedding_format_version = 1;

/// Content of an embedding file besides the coordinates.
struct EmbeddingDescription {
  std::string method;                          ///< classical-scaling, kernel-pca
  std::string object_kind;                     ///< points, matrix, graph, mesh, documents
  std::uint64_t data_digest = 0;               ///< of all objects, as in their result
  std::vector<double> eigenvalues, residuals;  ///< one per coordinate
  std::map<std::string, double> metrics;       ///< trace, trace_share, stress, ...
  std::map<std::string, std::string> provenance;
  std::vector<PhaseSummary> phases;
};

/// Description of an embedding file, without the coordinates.
struct StoredEmbedding {
  int format_version = 0;
  Index rows = 0;       ///< objects
  Index dimension = 0;  ///< coordinates
  bool has_labels = false;
  EmbeddingDescription description;
};

/// Writes coordinates (n x D) and `description`: complete under `path`, or not at all.
/// @param labels  labels of this rank, one per row, or empty on every rank
/// @throws Error(resource) if the disk is full or fails, Error(usage) as check_writable does. Collective.
void write_embedding(const Execution& execution, const OutputPath& path, const RowBlock<double>& coordinates,
                     const EmbeddingDescription& description, const std::vector<std::string>& labels);

/// True if the HDF5 file is marked as an embedding. @throws Error(input) if it cannot be opened. Collective.
[[nodiscard]] bool is_embedding(const Communicator& communicator, const std::string& path);

/// @throws Error(input) if the file is missing, has another format or a newer version, or its parts do not agree.
/// Collective.
[[nodiscard]] StoredEmbedding read_embedding_description(const Communicator& communicator, const std::string& path);

}  // namespace cairn
