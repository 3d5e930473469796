// The table of kinds of data, and reading one of them.
#pragma once

#include "cairn/data/data_kind.hpp"

namespace cairn {

/// All kinds of data, in the order of --help; the first is the default. Local.
[[nodiscard]] const std::vector<const DataKind*>& data_kinds();
/// @throws Error(usage) for an unknown name (suggests the nearest). Local.
[[nodiscard]] const DataKind& data_kind_named(const std::string& name);
/// The same, or null if there is none. Local.
[[nodiscard]] const DataKind* find_data_kind(const std::string& name);
/// One more, for programs that bring their own; it must live as long as the program. Call it before main's work begins.
/// @throws Error(usage) if there is one of that name. Local.
void add_data_kind(const DataKind& kind);

/// @throws Error(usage) for values of choices that this kind does not have. Local.
void check_choices(const DataKind& kind, const Values& values);
/// @throws Error(usage) as check_choices, unless exactly one of path and generate is given to a kind that has both, and
/// as its own rules. Local.
void check_parameters(const DataKind& kind, const Values& values);
/// Given parameters that have no effect beside the others: those of files if the objects are generated, and the
/// reverse; its own rules. Local.
[[nodiscard]] std::vector<UnusedParameter> unused_parameters(const DataKind& kind, const Values& values);

/// Reads or generates the objects, each rank its part. @throws Error(usage) as check_parameters, and as the readers.
/// Collective.
template <class T>
[[nodiscard]] Data<T> read_data(const DataKind& kind, const DataInput& input);

/// The kinds that Cairn has.
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
