// Splitting of a line of a CSV file into fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn {

/// Splits lines at one separator; a blank stands for any run of blanks and tabs. Quotes are removed, and a doubled
/// quote inside them becomes one.
class FieldSplitter {
 public:
  explicit FieldSplitter(char separator) : separator_(separator) {}

  /// The fields of `line`, valid until the next call and as long as `line` is.
  /// @throws Error(input) for a quote that is not closed, or text after a closing quote
  const std::vector<std::string_view>& split(std::string_view line);

 private:
  [[nodiscard]] std::string_view plain(std::string_view line, std::size_t& at) const;
  [[nodiscard]] std::string_view quoted(std::string_view line, std::size_t& at);

  char separator_;
  std::vector<std::string_view> fields_;
  std::string unquoted_;  // reserved for the whole line, so that views into it stay valid
};

}  // namespace cairn
