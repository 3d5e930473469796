// Cuts protein sequences into k-mers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/data/tokenization.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Runs of letters from which k-mers of a sequence are cut, in capitals: one run, or several if other letters split it.
/// Blanks are left out.
/// @param keys  names of letters, kmer-length
/// @throws Error(input) naming the letter and its position from 1, if letters = refuse; for a sequence of fewer than
///   `length` letters. Local.
[[nodiscard]] std::vector<std::string> kmer_runs(std::string_view sequence, const KmerRules& rules,
                                                 const KeyNames& keys = {});

}  // namespace cairn
