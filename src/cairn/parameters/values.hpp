// Parameter values of one owner: a method, a similarity.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cairn/parameters/key_names.hpp"
#include "cairn/parameters/settings.hpp"

namespace cairn {

/// A parameter that was given but has no effect.
struct UnusedParameter {
  std::string name;
  std::string why;  ///< "the solver is direct"
};

/// Typed values by the owner's name of each parameter: from the keys of a run ("approximation." + name), or set by a
/// program. Copies share the values. All functions are local.
class Values {
 public:
  /// Values of a run. @param own  the owner's parameters, with their defaults @param prefix  prefix of the keys:
  /// "approximation." @param settings  must outlive this and all copies
  Values(const std::vector<Parameter>& own, const Settings& settings, std::string prefix);
  /// Values that a program sets, as texts; the others keep their defaults.
  /// @throws Error(usage) for an unknown name or a value of the wrong form: "parameter alpha = x is not a finite
  /// number"
  explicit Values(const std::vector<Parameter>& own,
                  const std::vector<std::pair<std::string, std::string>>& given = {});

  /// A copy in which `name` has this value. @throws Error(usage) for an unknown name or a value of the wrong form
  [[nodiscard]] Values with(const std::string& name, const std::string& text) const;

  /// True if a value was given (not the default).
  [[nodiscard]] bool given(const std::string& name) const;
  /// Name in messages: "x.cfg:12: approximation.alpha", "--approximation.alpha", "parameter alpha".
  [[nodiscard]] std::string where(const std::string& name) const;
  /// Names of the parameters without the place of their values: "approximation.alpha", "parameter alpha".
  [[nodiscard]] const KeyNames& keys() const { return keys_; }
  /// A copy whose messages use these names.
  [[nodiscard]] Values named(const KeyNames& keys) const;

  /// The value, or the default; empty if there is neither.
  [[nodiscard]] const std::string& text(const std::string& name) const;
  /// @throws Error(usage) if there is neither a value nor a default
  const std::string& required(const std::string& name) const;
  [[nodiscard]] Index integer(const std::string& name) const;  ///< integers, sizes, durations
  [[nodiscard]] double number(const std::string& name) const;
  [[nodiscard]] bool flag(const std::string& name) const { return required(name) == "true"; }
  /// The value if there is one or a default, else `otherwise`.
  [[nodiscard]] Index integer_or(const std::string& name, Index otherwise) const;
  [[nodiscard]] double number_or(const std::string& name, double otherwise) const;

  /// @throws Error(usage): "WHERE = VALUE WHY"
  [[noreturn]] void refuse(const std::string& name, const std::string& why) const;

 private:
  [[nodiscard]] const Parameter& own(const std::string& name) const;

  std::shared_ptr<const std::vector<Parameter>> own_;
  const Settings* settings_ = nullptr;  // null: set by a program
  std::string prefix_;
  KeyNames keys_;
  std::map<std::string, std::string> set_;  // by a program
};

}  // namespace cairn
