// The table of the kinds of data, and functions that read one of them.
#pragma once

#include "cairn/data/data_kind.hpp"

namespace cairn {

/// All kinds of data, in the order of --help; the first is the default. Local.
[[nodiscard]] const std::vector<const DataKind*>& data_kinds();
/// The kind of this name. @throws Error(usage) for an unknown name (suggests the nearest). Local.
[[nodiscard]] const DataKind& data_kind_named(const std::string& name);
/// The same, or null if there is none. Local.
[[nodiscard]] const DataKind* find_data_kind(const std::string& name);
/// Adds a kind, for programs that define their own. It must live as long as the program. Call this before the work of
/// main begins. @throws Error(usage) if the name exists already. Local.
void add_data_kind(const DataKind& kind);

/// @throws Error(usage) for choices that this kind does not have. Local.
void check_choices(const DataKind& kind, const Values& values);
/// @throws Error(usage) as check_choices and by the kind's own rules, and unless exactly one of path and generate is
/// given to a kind that has both. Local.
void check_parameters(const DataKind& kind, const Values& values);
/// Given parameters that have no effect: those of files if the objects are generated, those of generators if they are
/// read, and those by the kind's own rules. Local.
[[nodiscard]] std::vector<UnusedParameter> unused_parameters(const DataKind& kind, const Values& values);

/// Reads or generates the objects, each rank its part. @throws Error(usage) as check_parameters; errors of the readers.
/// Collective.
template <class T>
[[nodiscard]] Data<T> read_data(const DataKind& kind, const DataInput& input);

/// The kinds that are part of Cairn.
[[nodiscard]] const DataKind& point_data();
[[nodiscard]] const DataKind& factor_data();
[[nodiscard]] const DataKind& matrix_data();
[[nodiscard]] const DataKind& graph_data();
[[nodiscard]] const DataKind& mesh_data();
[[nodiscard]] const DataKind& document_data();
[[nodiscard]] const DataKind& tree_data();
[[nodiscard]] const DataKind& corpus_data();
[[nodiscard]] const DataKind& numbered_data();
[[nodiscard]] const DataKind& sequence_data();
[[nodiscard]] const DataKind& pair_data();

}  // namespace cairn
