// Points whose mean is subtracted before they are rounded to single precision.
#pragma once

#include "cairn/parameters/settings.hpp"

namespace cairn::app {

/// Whether the mean is subtracted although no key says so: in single precision, of points that are not scaled, for a
/// similarity that depends on nothing but their differences. Local.
[[nodiscard]] bool subtracts_mean(const Settings& settings);

}  // namespace cairn::app
