// XML files, read with Expat.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "cairn/base/index.hpp"

namespace cairn {

using XmlAttributes = std::map<std::string, std::string>;

/// Receives the elements of a file in order. Errors thrown by its functions end the reading.
class XmlElements {
 public:
  virtual ~XmlElements() = default;
  /// @param line  line number from 1
  virtual void start(std::string_view name, const XmlAttributes& attributes, Index line) = 0;
  virtual void end(std::string_view name) = 0;
  /// Text between tags, possibly in several pieces.
  virtual void text(std::string_view text) = 0;
};

/// Reads a file, plain, .gz or .xz, in pieces of 1 MiB.
/// @throws Error(input) with file:line for an empty file, one that is no XML, or one that defines an entity, which
/// could grow without bound; errors of `elements`, with file:line. Local.
void read_xml(const std::string& path, XmlElements& elements);

}  // namespace cairn
