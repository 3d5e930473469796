// Names, in messages, of the settings of a run other than data, similarity and method.
#pragma once

#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// The default is the names that a program uses for parameters.
struct RunKeys {
  KeyNames similarity{}, evaluation{}, run{}, output{};
};

}  // namespace cairn
