// The parameters of approximate(): a method's, and which objects are landmarks. Private to this folder.
#pragma once

#include "cairn/approximation/method.hpp"
#include "cairn/run/given.hpp"
#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

class Session;

/// Values of a method and, by the names landmarks.*, of the selection.
struct MethodValues {
  Values values;
  Index landmarks = 0;  ///< s1; 0 where it follows from a file or another parameter
};

/// Checked by the method for these objects. @param shape  its landmarks are set here
/// @throws Error(usage) that names the parameter: one of a wrong value, or without effect; and where the number of
/// landmarks is not given, or more than objects. Local.
[[nodiscard]] MethodValues method_values(const MethodDescriptor& method, const GivenValues& given, ProblemShape shape);

/// Operators that objects of a kind have, the default first. Local.
[[nodiscard]] std::vector<std::string> operators_of(ObjectKind kind);

/// Where the method keeps a joining matrix in tiles. @param work_bytes  that a rank takes beside them. Local.
[[nodiscard]] TileStorage tile_storage(const Session& session, const Values& values, Index work_bytes);

}  // namespace cairn
