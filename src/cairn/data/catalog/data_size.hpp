// Sizes of data that were read.
#pragma once

#include "cairn/data/data_kind.hpp"

namespace cairn {

/// Collective.
template <class T>
[[nodiscard]] DataSize size_of(const Communicator& communicator, const Data<T>& data);

}  // namespace cairn
