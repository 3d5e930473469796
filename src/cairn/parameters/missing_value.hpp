// Values that a run cannot do without, and all of them that are missing.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/parameters/settings.hpp"

namespace cairn {

/// A value that was not given and has no default; the message says so of this one alone.
class MissingValue : public Error {
 public:
  MissingValue(std::string name, const std::string& message)
      : Error(ErrorKind::usage, message), name_(std::move(name)) {}

  [[nodiscard]] const std::string& name() const { return name_; }  ///< of the key or parameter

 private:
  std::string name_;
};

/// A key that is missing, and a value that it could have.
struct MissingKey {
  std::string name;
  std::string example;
};

/// Whatever `check` finds missing, one after the other: each key that it asks for gets its example, and it is asked
/// again, until nothing is missing or something else is wrong. Local.
/// @param check    throws MissingValue for a key that is missing
/// @param example  a value for a key, with which the others can be checked
[[nodiscard]] std::vector<MissingKey> missing_keys(
    Settings settings, const std::function<void(const Settings&)>& check,
    const std::function<std::string(const Settings&, const Parameter&)>& example);

/// "a, b and c are missing; give for example --a 1 --b 2 --c 3". Local.
[[nodiscard]] std::string missing_text(const std::vector<MissingKey>& keys);

}  // namespace cairn
