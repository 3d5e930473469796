// Names in a result file, shared by its writer and its reader.
#pragma once

#include <string>

namespace cairn::layout {

inline constexpr const char* format = "cairn-approximation";
/// Version of a result whose landmarks are sparse points, or whose points were shifted although their scaling is none:
/// a reader of version 3 would misread it.
inline constexpr int sparse_landmarks_format_version = 4;
/// Version of a result with factors of integers, in which readers of earlier versions expect no others than floats.
inline constexpr int integral_format_version = 5;
/// Version of a result without /left, whose rows follow from the landmarks.
inline constexpr int newest_format_version = 6;

inline constexpr const char* left = "left";
inline constexpr const char* rows = "rows";  ///< attribute of the file: n, where there is no /left
inline constexpr const char* core_matrix = "joining";
inline constexpr const char* right = "right";
inline constexpr const char* labels = "labels";
inline constexpr const char* right_labels = "right_labels";
inline constexpr const char* splits = "splits";
inline constexpr const char* groups = "groups";
inline constexpr const char* identifiers = "identifiers";
inline constexpr const char* texts = "texts";
inline constexpr const char* numbers = "numbers";
inline constexpr const char* landmarks = "landmarks";
inline constexpr const char* right_landmarks = "landmarks/right";

// In the group of a sparse factor, beside `indices`:
inline constexpr const char* data = "data";
inline constexpr const char* indptr = "indptr";

// Distances from which similarities were computed; the attribute `distance` holds their name:
inline constexpr const char* base = "base";
inline constexpr const char* columns = "columns";
inline constexpr const char* sample_indices = "sample_indices";
inline constexpr const char* sample = "sample";

// Co-occurrences from which similarities were computed, the lower triangle in compressed rows (as a sparse factor), and
// attributes `counted`, `window`, `harmonic` and `unit`:
inline constexpr const char* counts = "counts";

// Exact entries for near objects minus those of K~, in compressed rows (as a sparse factor), and attribute `near`:
inline constexpr const char* near = "near";

// The contraction hierarchy; lists over its vertices, and over its arcs:
inline constexpr const char* hierarchy = "hierarchy";
inline constexpr const char* vertices = "vertices";
inline constexpr const char* depths = "depths";
inline constexpr const char* degrees = "degrees";
inline constexpr const char* heads = "heads";
inline constexpr const char* lengths = "lengths";

// Pendant trees of a graph, whose vertices take the rows of their roots; lists over the vertices:
inline constexpr const char* trees = "trees";
inline constexpr const char* parents = "parents";
inline constexpr const char* heights = "heights";

// In either group of landmarks:
inline constexpr const char* indices = "indices";
inline constexpr const char* objects = "objects";
inline constexpr const char* map = "map";
inline constexpr const char* features = "features";  // its attribute `kind` states the kind

/// Path of `name` in `group`.
[[nodiscard]] inline std::string in(const std::string& group, const std::string& name) { return group + "/" + name; }

}  // namespace cairn::layout
