// Names of parameters in messages.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace cairn {

/// Names of one owner's parameters in messages. Code that reads data, chooses landmarks or runs a method does not know
/// who set its parameters: a config or the command line, whose keys have a prefix, or a calling program. It receives
/// these names. Local.
class KeyNames {
 public:
  /// Names for a calling program: "parameter columns".
  KeyNames() = default;
  /// @param prefix  prefix of the keys: "data." gives "data.columns"
  explicit KeyNames(std::string prefix) : prefix_(std::move(prefix)) {}

  [[nodiscard]] std::string operator()(std::string_view name) const;
  /// A copy in which messages call `name` by `key`: for code that reads a second file in the same way as the first.
  [[nodiscard]] KeyNames with(std::string name, std::string key) const;

  /// The key, or `words` if there are no keys: for values that a program sets without a parameter of that name.
  [[nodiscard]] std::string operator()(std::string_view name, std::string_view words) const;

 private:
  std::string prefix_;
  std::map<std::string, std::string, std::less<>> others_;  // keys that do not follow from the prefix
};

}  // namespace cairn
