// A ledger that remembers tiles as a checkpoint does.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/schedule/tile_ledger.hpp"

namespace cairn::test {

class RememberingLedger : public TileLedger {
 public:
  void begin(const char* name, Index /*tiles*/) override { name_ = name; }
  bool get(Index tile, std::span<std::byte> bytes) override {
    const auto found = tiles_.find({name_, tile});
    if (found == tiles_.end() || found->second.size() != bytes.size()) return false;
    std::ranges::copy(found->second, bytes.begin());
    return true;
  }
  void put(Index tile, std::span<const std::byte> bytes) override {
    tiles_[{name_, tile}] = std::vector<std::byte>(bytes.begin(), bytes.end());
  }

 private:
  std::string name_;
  std::map<std::pair<std::string, Index>, std::vector<std::byte>> tiles_;
};

}  // namespace cairn::test
