// Report of a task: parts of a text for people, and metrics by name for programs. Does not define how they are written.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// Value of a metric: a number, a text, a list of values or a record of named values; empty if undefined.
class Metric {
 public:
  using List = std::vector<Metric>;
  using Record = std::vector<std::pair<std::string, Metric>>;
  using Value = std::variant<std::monostate, bool, Index, double, std::string, List, Record>;

  Metric() = default;
  template <std::same_as<bool> Flag>
  Metric(Flag value) : value_(value) {}
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) Metric(Integer value) : value_(static_cast<Index>(value)) {}
  Metric(double value) : value_(value) {}
  Metric(const char* text) : value_(std::string(text)) {}
  Metric(std::string text) : value_(std::move(text)) {}
  Metric(List list) : value_(std::move(list)) {}
  Metric(Record record) : value_(std::move(record)) {}
  template <class T>
  requires(!std::same_as<T, Metric>) Metric(const std::vector<T>& list) : value_(List(list.begin(), list.end())) {}
  template <class T>
  Metric(const std::optional<T>& value) : Metric(value ? Metric(*value) : Metric()) {}

  [[nodiscard]] const Value& value() const { return value_; }

 private:
  Value value_;
};

/// A record of texts by name. Local.
[[nodiscard]] Metric::Record record_of(const std::vector<std::pair<std::string, std::string>>& texts);

/// A text as a list of parts in reading order.
class ReportText {
 public:
  enum class Kind {
    heading,  ///< a line of its own
    metric,   ///< a label and its value
    table,    ///< rows of cells, the first row is the heading
    note,     ///< a sentence
    warning,  ///< a sentence
    gap       ///< separates paragraphs
  };
  struct Part {
    Kind kind;
    std::string label, text;
    std::vector<std::vector<std::string>> rows;
  };

  ReportText& heading(std::string text);
  ReportText& metric(std::string label, std::string text);
  ReportText& table(std::vector<std::vector<std::string>> rows);
  ReportText& note(std::string sentence);
  ReportText& notes(const std::vector<std::string>& sentences);
  ReportText& warnings(const std::vector<std::string>& sentences);
  ReportText& gap();
  ReportText& add(const ReportText& other);

  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }

 private:
  std::vector<Part> parts_;
};

/// Return value of a task.
struct TaskReport {
  ReportText text{};
  Metric::Record metrics{};
};

}  // namespace cairn
