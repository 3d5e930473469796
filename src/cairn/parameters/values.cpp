#include "cairn/parameters/values.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/parameters/missing_value.hpp"
#include "cairn/parameters/suggestion.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

Values::Values(const std::vector<Parameter>& own, const Settings& settings, std::string prefix)
    : own_(std::make_shared<const std::vector<Parameter>>(own)),
      settings_(&settings),
      prefix_(std::move(prefix)),
      keys_(prefix_) {}

Values::Values(const std::vector<Parameter>& own, const std::vector<std::pair<std::string, std::string>>& given)
    : own_(std::make_shared<const std::vector<Parameter>>(own)) {
  for (const auto& [name, text] : given) *this = with(name, text);
}

Values Values::with(const std::string& name, const std::string& text) const {
  const auto found = std::ranges::find(*own_, name, &Parameter::name);
  if (found == own_->end()) {
    std::vector<std::string> names;
    for (const Parameter& parameter : *own_) names.push_back(parameter.name);
    throw Error(ErrorKind::usage, fmt::format("no parameter is called '{}'{}", name, suggestion(name, names)));
  }
  check_value(*found, text, keys_(name));
  Values result = *this;
  result.set_[name] = text;
  return result;
}

Values Values::named(const KeyNames& keys) const {
  Values result = *this;
  result.keys_ = keys;
  return result;
}

const Parameter& Values::own(const std::string& name) const {
  const auto found = std::ranges::find(*own_, name, &Parameter::name);
  if (found == own_->end()) throw Error(ErrorKind::internal, fmt::format("there is no parameter {}", name));
  return *found;
}

bool Values::given(const std::string& name) const {
  return set_.contains(name) || (settings_ != nullptr && settings_->given(prefix_ + name));
}

std::string Values::where(const std::string& name) const {
  return settings_ == nullptr || set_.contains(name) ? keys_(name) : settings_->where(prefix_ + name);
}

const std::string& Values::text(const std::string& name) const {
  if (const auto set = set_.find(name); set != set_.end()) return set->second;
  if (settings_ != nullptr && settings_->given(prefix_ + name)) return settings_->text(prefix_ + name);
  return own(name).fallback;
}

const std::string& Values::required(const std::string& name) const {
  const std::string& value = text(name);
  if (!value.empty()) return value;
  if (settings_ != nullptr) return settings_->required(prefix_ + name);  // which throws
  throw MissingValue(name, where(name) + " is missing");
}

Index Values::integer(const std::string& name) const { return parse_as_integer(own(name), required(name)); }
double Values::number(const std::string& name) const { return parse_number(required(name)).value(); }

Index Values::integer_or(const std::string& name, Index otherwise) const {
  return text(name).empty() ? otherwise : integer(name);
}

double Values::number_or(const std::string& name, double otherwise) const {
  return text(name).empty() ? otherwise : number(name);
}

void Values::refuse(const std::string& name, const std::string& why) const {
  throw Error(ErrorKind::usage, fmt::format("{} = {} {}", where(name), text(name), why));
}

}  // namespace cairn
