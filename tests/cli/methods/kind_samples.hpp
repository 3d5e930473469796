// A small sample of each kind of data, and what its similarities are given.
#pragma once

#include <string>
#include <vector>

#include "program_calls.hpp"

namespace cairn::test {

inline constexpr Index sample_objects = 30;

/// Objects of one kind in small files, and the keys by which the program reads them.
struct KindSample {
  std::string kind;
  void (*write)(const TemporaryFolder&);              ///< called on rank 0
  Words (*data)(const TemporaryFolder&);              ///< keys, but for data.kind
  Words (*unseen)(const TemporaryFolder&) = nullptr;  ///< keys of new objects, for extend; null: there are none
  bool labels = false;                                ///< the objects have some
};

/// The samples, one a kind.
[[nodiscard]] const std::vector<KindSample>& kind_samples();

/// Writes the sample, a matrix of its size (k.npy), a scorer (score.py) and values to learn (y.csv). Rank 0.
void write_sample(const TemporaryFolder& folder, const KindSample& sample);

/// Keys that a similarity needs with these objects, its name among them.
[[nodiscard]] Words similarity_keys(const TemporaryFolder& folder, const std::string& kind,
                                    const std::string& similarity);

}  // namespace cairn::test
