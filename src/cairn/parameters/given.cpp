#include "cairn/parameters/given.hpp"

#include <fmt/format.h>

#include "cairn/base/error.hpp"

namespace cairn {

Given::Given(std::string parameter, double value) : name(std::move(parameter)), text(fmt::format("{}", value)) {}

std::vector<std::string> words_of(const GivenValues& given, std::vector<std::string> before) {
  for (const Given& one : given) before.push_back(one.name + " = " + one.text);
  return before;
}

GivenValues with_path(const std::string& path, GivenValues more) {
  more.emplace_back("path", path);
  return more;
}

Values with_given(Values values, const GivenValues& given) {
  for (const Given& one : given) {
    Values next = values.with(one.name, one.text);
    if (values.given(one.name)) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} is given twice: {} and {}", values.where(one.name), values.text(one.name), one.text));
    }
    values = std::move(next);
  }
  return values;
}

Values values_of(const std::vector<Parameter>& own, const GivenValues& given) { return with_given(Values(own), given); }

}  // namespace cairn
