// Where the biharmonic operator of a run comes from.
#pragma once

#include <optional>
#include <string>

#include "cairn/data/data_kind.hpp"
#include "cairn/operator/biharmonic_operator.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// The operator of the data that the method's values name: `operator`, or with auto the default of the data. Local.
[[nodiscard]] std::string operator_name(const Values& method, const DataKind& kind);

/// That operator: made of the data, or read from operator-path. @param kept  the file that it is written to, if any
/// @param output_keys  of that file, for messages @throws Error(input) for a file of other data. Collective.
template <class T>
[[nodiscard]] BiharmonicOperator make_operator(const Execution& execution, const Data<T>& data, const Values& method,
                                               const std::optional<OutputPath>& kept = {},
                                               const KeyNames& output_keys = {});

}  // namespace cairn
