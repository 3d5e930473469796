#include "cairn/data/osm/osm_file.hpp"

#include <fmt/format.h>

#include <utility>

#include "cairn/base/error.hpp"

#ifdef CAIRN_HAVE_OSMIUM

#include <algorithm>
#include <array>
#include <exception>
#include <fstream>
#include <new>
#include <osmium/io/pbf_input.hpp>
#include <osmium/io/reader.hpp>
#include <osmium/osm/node.hpp>
#include <osmium/osm/way.hpp>
#include <osmium/thread/pool.hpp>
#include <protozero/pbf_reader.hpp>
#include <system_error>

#include "cairn/base/mpi/collective_reading.hpp"
#include "cairn/base/mpi/root_reading.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/io/byte_stream.hpp"

namespace cairn {

namespace {

constexpr Index most_header = Index{64} << 10U, most_block = Index{32} << 20U;  // bytes, as the format has them

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", path, reason));
}

// The head of a block: its kind, and the bytes that follow.
struct BlockHead {
  std::string kind;
  Index bytes = -1;
};

BlockHead parse_head(const std::string& bytes) {
  using protozero::pbf_wire_type, protozero::tag_and_type;
  BlockHead head;
  protozero::pbf_reader reader(bytes);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::length_delimited):
        head.kind = reader.get_string();
        break;
      case tag_and_type(3, pbf_wire_type::varint):
        head.bytes = reader.get_int32();
        break;
      default:
        reader.skip();
    }
  }
  return head;
}

// Reads the heads of all blocks, one after another.
class BlockScan {
 public:
  explicit BlockScan(const std::string& path) : path_(path), size_(file_size(path)), file_(path, std::ios::binary) {
    if (!file_) fail(path_, "cannot be read");
  }

  std::vector<Index> starts() {
    std::vector<Index> starts{0};
    for (Index at = 0; at < size_; starts.push_back(at)) at = end_of_block(at);
    if (starts.size() < 2) fail(path_, "is empty");
    return starts;
  }

 private:
  Index end_of_block(Index begin) {
    std::array<unsigned char, 4> number{};
    read(begin, begin, reinterpret_cast<char*>(number.data()), std::ssize(number));
    const Index head_bytes =
        (Index{number[0]} << 24U) + (Index{number[1]} << 16U) + (Index{number[2]} << 8U) + number[3];
    if (head_bytes == 0 || head_bytes > most_header) refuse(begin);
    std::string bytes(static_cast<std::size_t>(head_bytes), '\0');
    read(begin, begin + std::ssize(number), bytes.data(), head_bytes);
    BlockHead head;
    try {
      head = parse_head(bytes);
    } catch (const protozero::exception&) {
      refuse(begin);
    }
    if (head.bytes < 0 || head.bytes > most_block || head.kind != (begin == 0 ? "OSMHeader" : "OSMData")) refuse(begin);
    const Index end = begin + std::ssize(number) + head_bytes + head.bytes;
    if (end > size_) cut(begin, end);
    return end;
  }

  void read(Index block, Index at, char* target, Index bytes) {
    if (at + bytes > size_) {
      if (block == 0) refuse(0);
      cut(block, at + bytes);
    }
    file_.seekg(at);
    if (!file_.read(target, bytes)) fail(path_, "cannot be read");
  }
  [[noreturn]] void refuse(Index block) const {
    if (block == 0) fail(path_, "is no extract of OpenStreetMap in PBF: it does not begin with a block OSMHeader");
    fail(path_, fmt::format("is damaged: there is no block at byte {}", block));
  }
  [[noreturn]] void cut(Index block, Index end) const {
    fail(path_,
         fmt::format("is cut short: the block at byte {} ends at {} or later, the file at {}", block, end, size_));
  }

  const std::string& path_;
  Index size_;
  std::ifstream file_;
};

// The bytes [begin, end) behind those of `before`.
std::string file_bytes(const std::string& path, std::string before, Index begin, Index end) {
  std::ifstream file(path, std::ios::binary);
  const std::size_t old = before.size();
  before.resize(old + static_cast<std::size_t>(end - begin));
  file.seekg(begin);
  if (!file.read(before.data() + old, end - begin)) fail(path, "changed while it was read");
  return before;
}

// Blocks that are read together; about eight groups a rank, of at most 8 MiB and one block at least.
std::vector<Range> groups_of(const std::vector<Index>& starts, int ranks) {
  constexpr Index most = Index{8} << 20U;
  const Index bytes = std::min(most, starts.back() / (Index{8} * ranks));
  std::vector<Range> groups;
  for (std::size_t k = 1; k + 1 < starts.size(); ++k) {  // block 0 is the header
    if (groups.empty() || starts[k + 1] - groups.back().begin > bytes)
      groups.push_back({starts[k], starts[k + 1]});
    else
      groups.back().end = starts[k + 1];
  }
  return groups;
}

// Unpacks blocks and hands each entity to `take`. @param bytes  the header of the file, then the blocks
template <class Entity, class Take>
void unpack(const std::string& path, const std::string& bytes, osmium::osm_entity_bits::type kinds, Take& take) {
  osmium::thread::Pool pool(1);
  osmium::io::Reader reader(osmium::io::File(bytes.data(), bytes.size(), "pbf"), kinds, osmium::io::read_meta::no,
                            pool);
  if (reader.header().has_multiple_object_versions()) {
    fail(path, "holds the history of its objects: osmium time-filter makes an extract of one time");
  }
  while (const osmium::memory::Buffer buffer = reader.read()) {
    for (const Entity& entity : buffer.select<Entity>()) take(entity);
  }
  reader.close();
}

}  // namespace

OsmFile::OsmFile(const Communicator& communicator, std::string path)
    : communicator_(communicator), path_(std::move(path)) {
  read_on_root(communicator_, path_, [&] { starts_ = BlockScan(path_).starts(); });
  communicator_.broadcast(starts_, 0);
}

template <class Take>
void OsmFile::for_each(bool ways, Take take) const {
  read_collectively(communicator_, path_, [&] {
    const std::string header = file_bytes(path_, {}, 0, starts_[1]);
    const std::vector<Range> groups = groups_of(starts_, communicator_.size());
    for (std::size_t k = communicator_.rank(); k < groups.size(); k += communicator_.size()) {
      const std::string bytes = file_bytes(path_, header, groups[k].begin, groups[k].end);
      try {
        take(bytes);
      } catch (const Error&) {
        throw;
      } catch (const std::bad_alloc&) {
        throw;
      } catch (const std::system_error&) {  // no thread could be started
        throw;
      } catch (const std::exception& error) {
        fail(path_, fmt::format("the {} of the blocks from byte {} to {} are damaged: {}", ways ? "ways" : "nodes",
                                groups[k].begin, groups[k].end, error.what()));
      }
      Watchdog::beat();
    }
  });
}

void OsmFile::for_each_way(const std::function<void(const OsmWay&)>& way) const {
  std::vector<Index> ids;
  const osmium::Way* current = nullptr;
  const TagLookup tag = [&current](const char* key) { return current->tags().get_value_by_key(key); };
  auto take = [&](const osmium::Way& one) {
    current = &one;
    ids.clear();
    for (const osmium::NodeRef& node : one.nodes()) ids.push_back(node.ref());
    way({ids, tag});
  };
  for_each(true,
           [&](const std::string& bytes) { unpack<osmium::Way>(path_, bytes, osmium::osm_entity_bits::way, take); });
}

void OsmFile::for_each_node(const std::function<void(const OsmNode&)>& node) const {
  auto take = [&](const osmium::Node& one) {
    if (one.location().valid()) node({one.id(), one.location().x(), one.location().y()});
  };
  for_each(false,
           [&](const std::string& bytes) { unpack<osmium::Node>(path_, bytes, osmium::osm_entity_bits::node, take); });
}

}  // namespace cairn

#else

namespace cairn {

OsmFile::OsmFile(const Communicator& communicator, std::string path)
    : communicator_(communicator), path_(std::move(path)) {
  throw Error(ErrorKind::input,
              fmt::format("{}: this program was built without libosmium, which reads extracts of OpenStreetMap "
                          "(Debian: libosmium2-dev); build it again with it, or make a list of edges of the extract",
                          path_));
}

void OsmFile::for_each_way(const std::function<void(const OsmWay&)>& /*way*/) const {}
void OsmFile::for_each_node(const std::function<void(const OsmNode&)>& /*node*/) const {}

}  // namespace cairn

#endif
