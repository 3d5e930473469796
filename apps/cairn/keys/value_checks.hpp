// Values that no run could take, refused before any work.
#pragma once

#include "cairn/data/data_kind.hpp"
#include "cairn/parameters/settings.hpp"

namespace cairn::app {

/// Kinds of data, similarities, methods and landmarks, each possible alone, that make no run together.
/// @throws Error(usage) that names the value and what it is incompatible with. Local.
void require_going_together(const Settings& settings);

/// Values whose range the table of options does not know.
/// @throws Error(usage) that names the key. Local.
void require_in_range(const Settings& settings);

/// What a run cannot do without: data, a number of landmarks, their file. @throws Error(usage) that names the key.
/// Local.
void require_whole(const Settings& settings);

/// Sizes that must be in proportion to the data. @throws Error(usage) that names the key. Local.
void require_fitting(const Settings& settings, const DataSize& shape);

}  // namespace cairn::app
