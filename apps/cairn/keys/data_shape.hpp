// Sizes of data that rules and plans depend on.
#pragma once

#include "cairn/base/index.hpp"

namespace cairn::app {

/// Objects and dimension of the data; arcs of a graph; bytes of documents.
struct DataShape {
  Index objects = 0;
  Index dimension = 0;
  Index arcs = 0;
  bool weighted = false;
  bool mesh = false;
  Index document_bytes = 0;  ///< documents: of one, on average
  Index word_bytes = 0;      ///< of their words and the vectors of these
  bool labelled = false;     ///< they have labels, be it by the folders that they stand in
};

}  // namespace cairn::app
