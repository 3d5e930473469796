// What a task found: parts of a text for people, and figures by name for programs. How they are written is not said
// here.
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

/// A number, a text, a list of figures or a record of named ones; nothing if it is undefined.
class Figure {
 public:
  using List = std::vector<Figure>;
  using Record = std::vector<std::pair<std::string, Figure>>;
  using Value = std::variant<std::monostate, bool, Index, double, std::string, List, Record>;

  Figure() = default;
  template <std::same_as<bool> Flag>
  Figure(Flag value) : value_(value) {}
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) Figure(Integer value) : value_(static_cast<Index>(value)) {}
  Figure(double value) : value_(value) {}
  Figure(const char* text) : value_(std::string(text)) {}
  Figure(std::string text) : value_(std::move(text)) {}
  Figure(List list) : value_(std::move(list)) {}
  Figure(Record record) : value_(std::move(record)) {}
  template <class T>
  requires(!std::same_as<T, Figure>) Figure(const std::vector<T>& list) : value_(List(list.begin(), list.end())) {}
  template <class T>
  Figure(const std::optional<T>& value) : Figure(value ? Figure(*value) : Figure()) {}

  [[nodiscard]] const Value& value() const { return value_; }

 private:
  Value value_;
};

/// A record of texts by name. Local.
[[nodiscard]] Figure::Record record_of(const std::vector<std::pair<std::string, std::string>>& texts);

/// A text part by part, in the order in which it is read.
class ReportText {
 public:
  enum class Kind {
    heading,  ///< a line of its own
    figure,   ///< a label and what it stands for
    table,    ///< rows of cells, of which the first is the heading
    note,     ///< a sentence
    warning,  ///< a sentence
    gap       ///< between paragraphs
  };
  struct Part {
    Kind kind;
    std::string label, text;
    std::vector<std::vector<std::string>> rows;
  };

  ReportText& heading(std::string text);
  ReportText& figure(std::string label, std::string text);
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

/// What a task hands back.
struct TaskReport {
  ReportText text{};
  Figure::Record figures{};
};

}  // namespace cairn
