// Readers for files of trees, one per format. Private to this folder.
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

/// The parsed objects of one rank: trees whose labels have this rank's numbers.
struct ParsedTrees {
  /// Form of the records: a tree, the class, the text, and numbers as written in the file.
  static constexpr std::size_t class_list = 0, text_list = 1, number_list = 2;
  [[nodiscard]] static TreeRecords form() { return {1, 3, 0}; }
  LabelNumbers labels;
  std::set<std::string, std::less<>> feature_names;  ///< names that this rank has read
  std::vector<ParsedRecords> pieces;
  bool all_have_classes = false;  ///< an object without a class is refused
};

/// Parses one object of a file and appends a tree. The caller prefixes errors with the place.
class TreeParser {
 public:
  virtual ~TreeParser() = default;
  /// The class of an object and its text, valid until the next call.
  struct Parsed {
    std::string_view label{};
    std::string_view text{};
    std::string_view numbers{};  ///< name:number ...
  };
  /// @param object  a line, or all lines of an object with their line ends
  virtual Parsed parse(std::string_view object, LabelNumbers& labels, TreeBuilder& tree) = 0;
  /// After parse() threw: number of lines of the object before the error.
  [[nodiscard]] Index fault() const { return fault_; }

 protected:
  Index fault_ = 0;
};

/// Divides the lines of a file, passed in order, into objects.
class ObjectLines {
 public:
  virtual ~ObjectLines() = default;
  enum class Part {
    between,  ///< belongs to no object
    begins,   ///< ends the previous object and begins another
    goes_on,  ///< belongs to the current object, or begins one
    ends      ///< as goes_on, and is the last line of the object
  };
  virtual Part part(std::string_view line) = 0;
};

/// A format. `check` checks the parameters that select trees; `read` reads this rank's objects of a file, in blocks.
struct TreeFormat {
  const char* name;
  std::vector<std::string> endings;
  bool named;  ///< source.tree selects a tree
  bool texts;  ///< objects have texts
  /// @throws Error(usage). Local.
  void (*check)(const TreeSource& source);
  /// Collective.
  void (*read)(const Communicator& communicator, const TreeSource& source, const std::string& path, Index first_block,
               ParsedTrees& parsed);
  bool numbers = false;  ///< objects have numbers besides trees
};
[[nodiscard]] const TreeFormat& kelp_format();
[[nodiscard]] const TreeFormat& svm_light_format();
[[nodiscard]] const TreeFormat& penn_format();
[[nodiscard]] const TreeFormat& conllu_format();
[[nodiscard]] const TreeFormat& conll_format();

/// Parses an object and appends it to `records`. @throws as the parser does; Error(input) for a missing class that is
/// required. Local.
void append_object(TreeParser& parser, std::string_view object, ParsedTrees& parsed, TreeRecords& records);

/// Parses the lines of this rank's blocks, one object per line. Blank lines are skipped. Collective.
void parse_lines(const Communicator& communicator, const std::string& path, Index first_block, TreeParser& parser,
                 ParsedTrees& parsed);
/// Parses this rank's objects, of several lines each. Every rank reads the whole file. Collective.
void parse_objects(const Communicator& communicator, const std::string& path, Index first_block, ObjectLines& lines,
                   TreeParser& parser, ParsedTrees& parsed);

}  // namespace cairn
