// Names of config keys in messages, for the libraries.
#pragma once

#include "cairn/parameters/key_names.hpp"
#include "cairn/run/computation/run_keys.hpp"

namespace cairn {

inline const KeyNames data_keys("data.");
inline const KeyNames similarity_keys("similarity.");
inline const KeyNames landmark_keys("landmarks.");
inline const KeyNames approximation_keys("approximation.");
inline const KeyNames evaluation_keys("evaluation.");
inline const KeyNames run_keys("run.");
inline const KeyNames output_keys("output.");

/// The same as RunKeys. Local.
[[nodiscard]] inline const RunKeys& named_keys() {
  static const RunKeys keys{similarity_keys, evaluation_keys, run_keys, output_keys};
  return keys;
}

}  // namespace cairn
