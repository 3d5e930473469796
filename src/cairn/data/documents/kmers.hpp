// Sequences of proteins cut into k-mers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// How a sequence becomes k-mers: runs of `length` letters.
struct KmerRules {
  Index length = 3;
  /// What becomes of letters that are none of the 20 amino acids ACDEFGHIKLMNPQRSTVWY (gaps, B, J, O, U, X, Z, *):
  /// refuse; keep (as letters like others); split (the sequence ends and another begins); skip (the letter is left out,
  /// and its neighbours become neighbours).
  std::string letters = "refuse";
  friend bool operator==(const KmerRules&, const KmerRules&) = default;
};

/// The runs of letters of a sequence that k-mers are cut from, with small letters made capital: one, or several where
/// others split it. Blanks are left out.
/// @param keys  of letters, kmer-length
/// @throws Error(input) that names the letter and its position from 1, if letters = refuse; for a sequence of fewer
/// than `length` letters. Local.
[[nodiscard]] std::vector<std::string> kmer_runs(std::string_view sequence, const KmerRules& rules,
                                                 const KeyNames& keys = {});

}  // namespace cairn
