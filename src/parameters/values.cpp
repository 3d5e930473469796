#include "parameters/values.hpp"

#include <fmt/format.h>

namespace cairn {

Values::Values(const Settings& settings, std::string prefix)
    : settings_(&settings, [](const Settings*) {}), prefix_(std::move(prefix)) {}

Values::Values(const std::vector<Parameter>& parameters, const std::vector<std::pair<std::string, std::string>>& given)
    : of_program_(true) {
  auto settings = std::make_shared<Settings>(parameters);
  for (const auto& [name, text] : given) settings->set(name, text, Settings::of_program);
  settings_ = std::move(settings);
}

std::string Values::where(const std::string& name) const {
  return of_program_ ? "parameter " + name : settings_->where(prefix_ + name);
}

void Values::refuse(const std::string& name, const std::string& why) const {
  throw Error(ErrorKind::usage, fmt::format("{} = {} {}", where(name), text(name), why));
}

}  // namespace cairn
