// The values of the parameters of one owner: a method, a similarity.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "parameters/settings.hpp"

namespace cairn {

/// Typed values by the name that the owner gives a parameter: from the keys of a run ("approximation." + name), or set
/// by a program. Copies share the values. All functions are local.
class Values {
 public:
  /// Those of a run. @param prefix  of the keys: "approximation." @param settings  must outlive this and all copies
  Values(const Settings& settings, std::string prefix);
  /// Those that a program sets, as texts; the others have their defaults.
  /// @throws Error(usage) for an unknown name or a value of the wrong form: "parameter alpha = x is not a finite
  /// number"
  explicit Values(const std::vector<Parameter>& parameters,
                  const std::vector<std::pair<std::string, std::string>>& given = {});

  /// Whether the run has a parameter of this name at all.
  [[nodiscard]] bool knows(const std::string& name) const { return settings_->knows(prefix_ + name); }
  /// Whether a value was given (not the default).
  [[nodiscard]] bool given(const std::string& name) const { return settings_->given(prefix_ + name); }
  /// How a message names it: "x.cfg:12: approximation.alpha", "--approximation.alpha", "parameter alpha".
  [[nodiscard]] std::string where(const std::string& name) const;

  /// As the functions of Settings of the same name.
  [[nodiscard]] const std::string& text(const std::string& name) const { return settings_->text(prefix_ + name); }
  [[nodiscard]] Index integer(const std::string& name) const { return settings_->integer(prefix_ + name); }
  [[nodiscard]] double number(const std::string& name) const { return settings_->number(prefix_ + name); }
  [[nodiscard]] bool flag(const std::string& name) const { return settings_->flag(prefix_ + name); }
  [[nodiscard]] Index integer_or(const std::string& name, Index otherwise) const {
    return settings_->integer_or(prefix_ + name, otherwise);
  }
  [[nodiscard]] double number_or(const std::string& name, double otherwise) const {
    return settings_->number_or(prefix_ + name, otherwise);
  }

  /// @throws Error(usage): "WHERE = VALUE WHY"
  [[noreturn]] void refuse(const std::string& name, const std::string& why) const;

 private:
  std::shared_ptr<const Settings> settings_;  // shared with copies, or not owned
  std::string prefix_;
  bool of_program_ = false;
};

}  // namespace cairn
