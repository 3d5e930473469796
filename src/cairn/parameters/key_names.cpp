#include "cairn/parameters/key_names.hpp"

namespace cairn {

std::string KeyNames::operator()(std::string_view name) const {
  return std::string(prefix_.empty() ? "parameter " : prefix_).append(name);
}

std::string KeyNames::operator()(std::string_view name, std::string_view words) const {
  return prefix_.empty() ? std::string(words) : std::string(prefix_).append(name);
}

}  // namespace cairn
