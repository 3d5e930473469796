// From settings to what the libraries take: sources, similarities, methods.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cairn/approximation/error/error_estimate.hpp"
#include "cairn/approximation/methods.hpp"
#include "cairn/data/documents/document_reader.hpp"
#include "cairn/data/graph/graph.hpp"
#include "cairn/data/mesh/triangle_mesh.hpp"
#include "cairn/data/points/point_reader.hpp"
#include "cairn/parameters/settings.hpp"
#include "cairn/similarity/similarities.hpp"
#include "key_names.hpp"

namespace cairn::app {

/// Whether data.vectors is given and names a file that has words beside its numbers, which data.words is of no use to.
/// @throws Error(usage) where neither the name nor data.vectors-format tells the format. Local.
[[nodiscard]] bool vectors_hold_words(const Settings& settings);

/// data.kind; points for a command that knows no other.
[[nodiscard]] std::string data_kind(const Settings& settings);
/// What the objects of data.kind are.
[[nodiscard]] ObjectKind object_kind(const Settings& settings);
/// True where the objects are rows of a precomputed matrix.
[[nodiscard]] bool data_are_matrix(const Settings& settings);
/// True where the objects are vertices of a graph.
[[nodiscard]] bool data_are_graph(const Settings& settings);
/// True where the objects are vertices of a triangle mesh.
[[nodiscard]] bool data_are_mesh(const Settings& settings);
/// True where the objects are documents.
[[nodiscard]] bool data_are_documents(const Settings& settings);

/// True where the objects are numbers alone.
[[nodiscard]] bool data_are_ids(const Settings& settings);

/// Where points come from. @throws Error(usage) unless exactly one of data.path and data.generate is given.
[[nodiscard]] PointSource point_source(const Settings& settings);

/// Sets which columns become coordinates, and what becomes of missing values, as data.columns, data.ignore and
/// data.missing say. @throws Error(usage) for an empty name in a list. Local.
void take_column_keys(const Settings& settings, PointSource& source);

/// data.label of a format whose labels are a file of their own is the path of that file, as data.path is. Call it when
/// all keys are set. Local.
void take_label_for_path(Settings& settings);

/// Where a graph comes from. @throws Error(usage) unless exactly one of data.path and data.generate is given.
[[nodiscard]] GraphSource graph_source(const Settings& settings);
/// Where a mesh comes from. @throws Error(usage) as graph_source
[[nodiscard]] MeshSource mesh_source(const Settings& settings);

/// Where documents come from, but for their stop words, which stand in a file. @throws Error(usage) as graph_source
[[nodiscard]] DocumentSource document_source(const Settings& settings);

/// similarity.kind; path-length by default where the data are a graph, geodesic where they are a mesh, `matrix` by
/// default where the data are a matrix.
/// @throws Error(usage) where there is none.
[[nodiscard]] std::string similarity_kind(const Settings& settings);

/// approximation.method; by default biharmonic where the data are a graph or mesh, else nystrom.
[[nodiscard]] std::string method_name(const Settings& settings);

/// True where K is evaluated by whole rows, from one object to all: path lengths, geodesics, and what biharmonic
/// interpolation takes.
[[nodiscard]] bool by_source(const Settings& settings);

/// What is known of the problem before and after its data are read. @param landmarks  s1 @param objects  0: not yet
/// known
[[nodiscard]] ProblemShape problem_shape(const Settings& settings, Index objects = 0, Index landmarks = 0);

/// The operator that P solves with: approximation.operator, or the one that the data have.
[[nodiscard]] std::string operator_kind(const Settings& settings);

/// s1 for `objects` objects: landmarks.count, or the share landmarks.fraction of them (at least 1); 0 where neither is
/// given and the selection is a file or the method takes no landmarks, and with approximation.reuse.
/// @throws Error(usage) where neither is given, or there are more than objects
[[nodiscard]] Index landmark_count(const Settings& settings, Index objects);

/// Rows of the matrix on which the error is measured (evaluation.rows), at most `objects`; by default the most that an
/// estimate takes where K comes by source and 0, which means pairs or nothing, elsewhere. @throws Error(usage) for a
/// value that is neither 'all' nor 0 nor an integer above 1
[[nodiscard]] Index evaluation_rows(const Settings& settings, Index objects);

/// The key that turns the estimate of the error off, "evaluation.pairs = 0"; empty: the error is measured.
[[nodiscard]] std::string no_estimate(const Settings& settings);

/// How far the estimate goes: a number that [evaluation] fixes, or evaluation.precision.
/// @param seconds  that it may take where no number is fixed
[[nodiscard]] EstimateEffort estimate_effort(const Settings& settings, Index objects, double seconds);

}  // namespace cairn::app
