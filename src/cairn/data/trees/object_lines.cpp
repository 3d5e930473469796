// Reads objects of several lines. Every rank reads the whole file and parses its share of the objects.
#include <fmt/format.h>

#include <optional>

#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/documents/document_formats.hpp"
#include "cairn/data/io/line_reader.hpp"
#include "cairn/data/io/text_blocks.hpp"
#include "cairn/data/io/text_table.hpp"
#include "cairn/data/trees/kelp_line.hpp"
#include "cairn/data/trees/tree_formats.hpp"

namespace cairn {

namespace {

constexpr Index objects_of_block = 64;

class ObjectReader {
 public:
  ObjectReader(const Communicator& communicator, const std::string& path, Index first_block, TreeParser& parser,
               ParsedTrees& parsed)
      : communicator_(communicator), path_(path), first_block_(first_block), parser_(parser), parsed_(parsed) {}

  /// The first error in this rank's objects, if any.
  std::optional<PlacedError> read(ObjectLines& lines) {
    LineReader reader(path_);
    for (std::string_view line; !fault_ && reader.next(line);) {
      const ObjectLines::Part part = lines.part(line);
      if (part == ObjectLines::Part::between) continue;
      if (part == ObjectLines::Part::begins) finish();
      if (lines_ == 0) first_line_ = reader.number();
      ++lines_;
      if (mine()) object_.append(line).push_back('\n');
      if (part == ObjectLines::Part::ends) finish();
    }
    finish();
    end_block();
    return fault_;
  }

 private:
  [[nodiscard]] bool mine() const {
    return object_number_ / objects_of_block % communicator_.size() == communicator_.rank();
  }

  void finish() {
    if (lines_ == 0 || fault_) return;
    if (mine()) parse();
    lines_ = 0;
    object_.clear();
    if (++object_number_ % objects_of_block == 0) end_block();
  }

  void parse() {
    try {
      append_object(parser_, object_, parsed_, records_);
    } catch (const Error& error) {
      const Index line = first_line_ + parser_.fault();
      const std::string begin =
          parser_.fault() > 0 ? fmt::format(" (of the object that begins in line {})", first_line_) : std::string();
      fault_ = PlacedError{line, Error(error.kind(), fmt::format("{}:{}: {}{}", path_, line, error.what(), begin))};
    }
  }

  void end_block() {
    const Index block = (object_number_ - 1) / objects_of_block;
    if (records_.count > 0) parsed_.pieces.push_back({first_block_ + block, std::move(records_)});
    records_ = ParsedTrees::form();
    Watchdog::beat();
  }

  const Communicator& communicator_;
  const std::string& path_;
  Index first_block_;
  TreeParser& parser_;
  ParsedTrees& parsed_;
  TreeRecords records_ = ParsedTrees::form();
  std::string object_;
  Index object_number_ = 0, first_line_ = 0, lines_ = 0;
  std::optional<PlacedError> fault_;
};

}  // namespace

void append_object(TreeParser& parser, std::string_view object, ParsedTrees& parsed, TreeRecords& records) {
  TreeBuilder tree(records.forests[0]);
  const TreeParser::Parsed one = parser.parse(object, parsed.labels, tree);
  if (parsed.all_have_classes && one.label.empty()) {
    throw Error(ErrorKind::input, "has no label, and others have one");
  }
  check_label(one.label);
  records.texts[ParsedTrees::class_list].append(one.label);
  records.texts[ParsedTrees::text_list].append(one.text);
  records.texts[ParsedTrees::number_list].append(one.numbers);
  for_each_kelp_number(one.numbers, [&](std::string_view name, double /*value*/) {
    if (parsed.feature_names.contains(name)) return;
    require_utf8(name, "the name of a feature");
    parsed.feature_names.emplace(name);
  });
  ++records.count;
}

void parse_objects(const Communicator& communicator, const std::string& path, Index first_block, ObjectLines& lines,
                   TreeParser& parser, ParsedTrees& parsed) {
  const std::optional<PlacedError> fault = read_collectively(communicator, path, [&] {
    const TextBlocks text_file(path);  // refuses files that are not text
    return ObjectReader(communicator, path, first_block, parser, parsed).read(lines);
  });
  throw_first(communicator, fault);
}

}  // namespace cairn
