#include "cairn/parameters/key_names.hpp"

namespace cairn {

KeyNames KeyNames::with(std::string name, std::string key) const {
  KeyNames result = *this;
  result.others_.insert_or_assign(std::move(name), std::move(key));
  return result;
}

std::string KeyNames::operator()(std::string_view name) const {
  return (*this)(name, std::string("parameter ").append(name));
}

std::string KeyNames::operator()(std::string_view name, std::string_view words) const {
  if (const auto other = others_.find(name); other != others_.end()) return other->second;
  return prefix_.empty() ? std::string(words) : std::string(prefix_).append(name);
}

}  // namespace cairn
