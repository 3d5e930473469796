// A biharmonic operator in a file of its own: made once, used for any landmarks.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "cairn/base/execution.hpp"
#include "cairn/operator/biharmonic_operator.hpp"
#include "cairn/parameters/key_names.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// Version of the layout that this program writes and the newest that it reads.
inline constexpr int operator_format_version = 1;

/// What an operator was made of.
struct OperatorOrigin {
  std::uint64_t data_digest = 0;                  ///< of the objects as read
  std::string scaling = "none";                   ///< that was applied to them before
  std::map<std::string, std::string> parameters;  ///< of the operator: for the reader's eyes
  KeyNames data_keys{}, output_keys{};            ///< of scaling, and of operator
};

/// Writes A, in compressed rows, and the masses: each rank a part of the rows. Beside the final name, then renamed.
/// @throws Error(usage) as check_writable, Error(resource) if the disk is full. Collective. Memory: 24 bytes an arc
/// over all ranks.
void write_operator(const Execution& execution, const OutputPath& path, const BiharmonicOperator& op,
                    const OperatorOrigin& origin);

/// What an operator file says of itself.
struct StoredOperator {
  int format_version = 0;
  std::string kind;  ///< graph, cotangent, neighbours
  Index vertices = 0;
  Index arcs = 0;  ///< entries of A: two an edge
  OperatorOrigin origin;
};

/// Whether `path` is an operator of this program. @throws Error(input) if it is no HDF5 file. Collective.
[[nodiscard]] bool is_operator(const Communicator& communicator, const std::string& path);

/// All but the numbers. @throws Error(input) if the file is no operator, newer than this program, or damaged.
/// Collective.
[[nodiscard]] StoredOperator read_operator_description(const Communicator& communicator, const std::string& path);

/// The same operator, bit by bit, on any number of ranks.
/// @param expected  what the data of this run are (parameters are not compared)
/// @throws Error(input) if the file is no operator, is newer than this program, is damaged (A must be square and
///   symmetric, without diagonal), or belongs to other data or another scaling. Collective. Memory: as write_operator,
///   and the operator once per node.
[[nodiscard]] BiharmonicOperator read_operator(const Execution& execution, const std::string& path,
                                               const OperatorOrigin& expected);

}  // namespace cairn
