// Files of trees, one format each. Private to this folder.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/trees/tree_reader.hpp"

namespace cairn {

/// What one rank has parsed: trees whose labels have this rank's numbers.
struct ParsedTrees {
  /// Forms of records: a tree, the class, the text.
  static constexpr std::size_t class_list = 0, text_list = 1;
  [[nodiscard]] static TreeRecords form() { return {1, 2, 0}; }
  LabelNumbers labels;
  std::vector<ParsedRecords> pieces;
};

/// Parses one object of a file. It appends a tree; what it throws gets the place in front.
class TreeParser {
 public:
  virtual ~TreeParser() = default;
  /// @param object  a line, or all lines of an object. @return its class and its text, which may be parts of `object`
  struct Parsed {
    std::string_view label{};
    std::string_view text{};
  };
  virtual Parsed parse(std::string_view object, LabelNumbers& labels, TreeBuilder& tree) = 0;
};

/// One object a line.
[[nodiscard]] std::unique_ptr<TreeParser> kelp_parser(const TreeSource& source);
[[nodiscard]] std::unique_ptr<TreeParser> svm_light_parser(const TreeSource& source);

/// Parses the lines of this rank's blocks; blank ones are passed over. Collective.
void parse_lines(const Communicator& communicator, const std::string& path, Index first_block, TreeParser& parser,
                 ParsedTrees& parsed);

}  // namespace cairn
