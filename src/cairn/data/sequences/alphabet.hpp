// Names of the symbols of sequences.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Numbered symbols: distinct names in ascending byte order.
class Alphabet {
 public:
  Alphabet() = default;
  /// @throws Error(internal) unless the names are ascending
  explicit Alphabet(std::vector<std::string> names);

  [[nodiscard]] Index size() const { return std::ssize(names_); }
  [[nodiscard]] const std::string& name(std::int32_t symbol) const { return names_[symbol]; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// The number of a name, or -1. Local.
  [[nodiscard]] std::int32_t find(std::string_view name) const;

 private:
  std::vector<std::string> names_;
};

using SharedAlphabet = std::shared_ptr<const Alphabet>;

/// The different names of all ranks. Memory: the names of all ranks on every rank.
/// @throws Error(resource) for more than 2^31 - 1. Collective.
[[nodiscard]] SharedAlphabet agree_on_alphabet(const Communicator& communicator, std::vector<std::string> own);

}  // namespace cairn
