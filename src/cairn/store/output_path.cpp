#include "cairn/store/output_path.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

void require_other_file(const Communicator& communicator, const OutputPath& output, const std::string& input,
                        const std::string& read) {
  collectively(communicator, [&] {
    std::error_code missing;  // no file is there: nothing is replaced
    if (!communicator.is_root() || !std::filesystem::equivalent(output.file, read, missing)) return;
    throw Error(ErrorKind::usage, fmt::format("{} and {} name the same file, {}; what is read is not replaced",
                                              output.name, input, output.file));
  });
}

}  // namespace cairn
