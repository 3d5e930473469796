// Rules for cutting texts into words.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// Rules for cutting a sequence into k-mers, runs of `length` letters.
struct KmerRules {
  Index length = 3;
  /// Treatment of letters other than the 20 amino acids ACDEFGHIKLMNPQRSTVWY (gaps, B, J, O, U, X, Z, *): refuse; keep
  /// (treat as a regular letter); split (the sequence ends and another begins); skip (leave the letter out and join its
  /// neighbors).
  std::string letters = "refuse";
  friend bool operator==(const KmerRules&, const KmerRules&) = default;
};

/// Rules for cutting texts into words.
struct Tokenization {
  std::string pieces = "words";  ///< words: runs of letters and digits; letters: runs of letters; blanks: runs between
                                 ///< blanks; characters: each letter and digit by itself; k-mers: all overlapping
                                 ///< k-mers of protein sequences
  bool lower_case = true;
  std::vector<std::string> stop_words{};  ///< are left out; they are cut as the texts are; all pieces are stop words
  bool strips_markup = false;             ///< HTML and XML tags separate words (without_markup)
  KmerRules kmers{};                      ///< rules for k-mers, for which only these and stop words have an effect
};

}  // namespace cairn
