// Parameters shared by the kinds of data with word vectors.
#pragma once

#include <string>

#include "cairn/base/index.hpp"
#include "cairn/parameters/key_names.hpp"
#include "cairn/parameters/parameter.hpp"

namespace cairn {

/// The parameter repeated-words: refuse or first.
[[nodiscard]] Parameter repeated_words_parameter();
/// Warning that `count` vectors were left out. Local.
[[nodiscard]] std::string repeated_words_warning(Index count, const KeyNames& keys);

}  // namespace cairn
