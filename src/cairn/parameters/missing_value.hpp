// Required values that are missing.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/parameters/settings.hpp"

namespace cairn {

/// A value that was not given and has no default; the message names this one only.
class MissingValue : public Error {
 public:
  MissingValue(std::string name, const std::string& message)
      : Error(ErrorKind::usage, message), name_(std::move(name)) {}

  [[nodiscard]] const std::string& name() const { return name_; }  ///< of the missing key or parameter

 private:
  std::string name_;
};

/// A missing key, and an example of its value.
struct MissingKey {
  std::string name;
  std::string example;
};

/// All keys that `check` finds missing: each missing key gets its example and `check` runs again, until nothing is
/// missing or something else is wrong. Local.
/// @param check  throws MissingValue for a missing key
/// @param example  a value for a key, which allows the remaining checks
[[nodiscard]] std::vector<MissingKey> missing_keys(
    Settings settings, const std::function<void(const Settings&)>& check,
    const std::function<std::string(const Settings&, const Parameter&)>& example);

/// "a, b and c are missing; give for example --a 1 --b 2 --c 3". Local.
[[nodiscard]] std::string missing_text(const std::vector<MissingKey>& keys);

}  // namespace cairn
