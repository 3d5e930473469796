// Checks of function arguments. Private to this folder.
#pragma once

#include <span>

#include "cairn/base/index.hpp"

namespace cairn {

/// @throws Error(usage) unless the lists have the same length and their numbers are valid for this many objects of rows
/// and of columns. Local.
void require_pairs(Index row_objects, Index column_objects, std::span<const Index> rows,
                   std::span<const Index> columns);

/// @throws Error(usage) for a number that is not one of `size` objects. Local.
void require_objects(Index size, std::span<const Index> numbers);

/// @throws Error(usage) unless `own`, the size of `what`, is `expected`. Local.
void require_size(const char* what, Index own, Index expected);

}  // namespace cairn
