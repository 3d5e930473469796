// How messages name parameters.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace cairn {

/// Names of one owner's parameters in messages. Code that reads data, chooses landmarks or runs a method does not know
/// who set its parameters: a config or the command line, whose keys have a prefix, or a program. It is handed these
/// names. Local.
class KeyNames {
 public:
  /// Of a program: "parameter columns".
  KeyNames() = default;
  /// @param prefix  of the keys: with "data.", "data.columns"
  explicit KeyNames(std::string prefix) : prefix_(std::move(prefix)) {}

  [[nodiscard]] std::string operator()(std::string_view name) const;
  /// The same, but for one name, which messages call `key`: of what reads a second file as the first one was read.
  [[nodiscard]] KeyNames with(std::string name, std::string key) const;

  /// The key, or `words` if there are no keys: of what a program sets by other means than a parameter of that name.
  [[nodiscard]] std::string operator()(std::string_view name, std::string_view words) const;

 private:
  std::string prefix_;
  std::map<std::string, std::string, std::less<>> others_;  // keys that do not follow from the prefix
};

}  // namespace cairn
