// How messages name what a run is given beside data, similarity and method.
#pragma once

#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// By default as a program names parameters.
struct RunKeys {
  KeyNames similarity{}, evaluation{}, run{}, output{};
};

}  // namespace cairn
