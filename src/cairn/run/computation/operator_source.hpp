// Source of the biharmonic operator of a run.
#pragma once

#include <optional>
#include <string>

#include "cairn/data/data_kind.hpp"
#include "cairn/operator/biharmonic_operator.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// Name of the operator in the method's values: `operator`, or with auto the default for the data. Local.
[[nodiscard]] std::string operator_name(const Values& method, const DataKind& kind);

/// The operator of that name, computed from the data or read from operator-path. @param kept  file to which it is
/// written, if any
/// @param output_keys  names of the keys of that file, for messages @throws Error(input) for a file of other data.
/// Collective.
template <class T>
[[nodiscard]] BiharmonicOperator make_operator(const Execution& execution, const Data<T>& data, const Values& method,
                                               const std::optional<OutputPath>& kept = {},
                                               const KeyNames& output_keys = {});

}  // namespace cairn
