// Files of trees, one format each. Private to this folder.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/trees/tree_reader.hpp"

namespace cairn {

/// What one rank has parsed: trees whose labels have this rank's numbers.
struct ParsedTrees {
  /// Forms of records: a tree, the class, the text, and numbers as they stand in the file.
  static constexpr std::size_t class_list = 0, text_list = 1, number_list = 2;
  [[nodiscard]] static TreeRecords form() { return {1, 3, 0}; }
  LabelNumbers labels;
  std::set<std::string, std::less<>> feature_names;  ///< that this rank has met
  std::vector<ParsedRecords> pieces;
  bool all_have_classes = false;  ///< an object without one is refused
};

/// Parses one object of a file. It appends a tree; what it throws gets the place in front.
class TreeParser {
 public:
  virtual ~TreeParser() = default;
  /// The class of an object and its text, which live until the next call.
  struct Parsed {
    std::string_view label{};
    std::string_view text{};
    std::string_view numbers{};  ///< name:number ...
  };
  /// @param object  a line, or all lines of an object, with their ends
  virtual Parsed parse(std::string_view object, LabelNumbers& labels, TreeBuilder& tree) = 0;
  /// After parse() threw: how many lines of the object come before the fault.
  [[nodiscard]] Index fault() const { return fault_; }

 protected:
  Index fault_ = 0;
};

/// Which lines of a file make an object. Lines are handed to it in their order.
class ObjectLines {
 public:
  virtual ~ObjectLines() = default;
  enum class Part {
    between,  ///< belongs to none
    begins,   ///< ends the object before, and begins another
    goes_on,  ///< belongs to the object in hand, or begins one
    ends      ///< the same, and is its last
  };
  virtual Part part(std::string_view line) = 0;
};

/// Formats. Each checks what names its trees, and reads a file: the objects of this rank, in blocks.
struct TreeFormat {
  const char* name;
  std::vector<std::string> endings;
  bool named;  ///< source.tree says which tree
  bool texts;  ///< it has texts
  /// @throws Error(usage). Local.
  void (*check)(const TreeSource& source);
  /// Collective.
  void (*read)(const Communicator& communicator, const TreeSource& source, const std::string& path, Index first_block,
               ParsedTrees& parsed);
  bool numbers = false;  ///< it has numbers beside trees
};
[[nodiscard]] const TreeFormat& kelp_format();
[[nodiscard]] const TreeFormat& svm_light_format();
[[nodiscard]] const TreeFormat& penn_format();
[[nodiscard]] const TreeFormat& conllu_format();
[[nodiscard]] const TreeFormat& conll_format();

/// Parses an object and appends it to `records`. @throws as the parser does; Error(input) for a class that must be
/// there. Local.
void append_object(TreeParser& parser, std::string_view object, ParsedTrees& parsed, TreeRecords& records);

/// Parses the lines of this rank's blocks, an object a line; blank ones are skipped. Collective.
void parse_lines(const Communicator& communicator, const std::string& path, Index first_block, TreeParser& parser,
                 ParsedTrees& parsed);
/// Parses the objects of this rank, of several lines each: every rank passes over the whole file. Collective.
void parse_objects(const Communicator& communicator, const std::string& path, Index first_block, ObjectLines& lines,
                   TreeParser& parser, ParsedTrees& parsed);

}  // namespace cairn
