// A biharmonic operator in its own file: computed once, used for any landmarks.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/operator/biharmonic_operator.hpp"
#include "cairn/parameters/key_names.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// Version of the layout that this program writes, and newest version that it reads.
inline constexpr int operator_format_version = 1;

/// Origin of an operator.
struct OperatorOrigin {
  std::uint64_t data_digest = 0;                  ///< of the objects as read
  std::string scaling = "none";                   ///< applied to the objects before
  std::map<std::string, std::string> parameters;  ///< of the operator, for information only
  KeyNames data_keys{}, output_keys{};            ///< names of the keys of scaling, and of operator
};

/// Writes A, in compressed rows, and the masses; each rank writes a part of the rows. The file is written beside its
/// final name, then renamed. @throws Error(usage) as check_writable, Error(resource) if the disk is full. Collective.
/// Memory: 24 bytes per arc, over all ranks.
void write_operator(const Execution& execution, const OutputPath& path, const BiharmonicOperator& op,
                    const OperatorOrigin& origin);

/// Description stored in an operator file.
struct StoredOperator {
  int format_version = 0;
  std::string kind;  ///< graph, cotangent, neighbors
  Index vertices = 0;
  Index arcs = 0;  ///< entries of A: two per edge
  OperatorOrigin origin;
};

/// True if `path` is an operator of this program. @throws Error(input) if it is not an HDF5 file. Collective.
[[nodiscard]] bool is_operator(const Communicator& communicator, const std::string& path);

/// Reads all but the numbers. @throws Error(input) if the file is not an operator, is newer than this program, or
/// damaged. Collective.
[[nodiscard]] StoredOperator read_operator_description(const Communicator& communicator, const std::string& path);

/// Reads the same operator, bit by bit, on any number of ranks.
/// @param expected  origin required by this run (parameters are not compared)
/// @throws Error(input) if the file is not an operator, is newer than this program, is damaged (A must be square and
/// symmetric, without diagonal), or belongs to other data or another scaling. Collective. Memory: as write_operator,
/// and the operator once per node.
[[nodiscard]] BiharmonicOperator read_operator(const Execution& execution, const std::string& path,
                                               const OperatorOrigin& expected);

}  // namespace cairn
