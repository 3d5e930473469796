// Where the biharmonic operator of a run comes from.
#pragma once

#include "cairn/operator/biharmonic_operator.hpp"
#include "pipeline/pipeline.hpp"

namespace cairn::app {

/// The operator that approximation.operator names: made of the data, or read from approximation.operator-path. Written
/// to output.operator where that is given, unless it is only tried out (`keep`). @throws Error(input) for a file of
/// other data. Collective.
template <class T>
[[nodiscard]] BiharmonicOperator make_operator(const Execution& execution, const Settings& settings,
                                               const Data<T>& data, bool keep = true);

}  // namespace cairn::app
