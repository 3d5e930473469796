#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "cairn/data/points/point_reader.hpp"
#include "cairn/run/planning/machine_rates.hpp"
#include "cairn/run/planning/measured_seconds.hpp"
#include "cairn/store/files/point_file.hpp"

namespace cairn {

namespace {

constexpr Index rows = Index{1} << 17;  // 512 MB over all ranks
constexpr Index columns = 512;

PointSource noise() {
  PointSource source;
  source.generator = "uniform";
  source.points = rows;
  source.dimension = columns;
  return source;
}

// Drops the file from the system's cache, if possible, so that it is read from the disk.
void forget(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  static_cast<void>(posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED));
  close(descriptor);
}

}  // namespace

void measure_disk(const Execution& execution, const std::string& folder, MachineRates& rates) {
  const Communicator& communicator = execution.communicator;
  std::string path = fmt::format("{}/.cairn-disk-{}.h5", folder.empty() ? "." : folder, static_cast<long>(getpid()));
  communicator.broadcast(path, 0);
  const PointSet<double> points = read_points<double>(communicator, noise());
  const double bytes = static_cast<double>(rows * columns) * sizeof(double);
  rates.written_bytes = bytes / seconds_of(
                                    communicator, [&] { write_points(execution, {path}, points); }, 1);
  if (communicator.is_root()) forget(path);
  PointSource source;
  source.path = path;
  rates.read_bytes =
      bytes / seconds_of(
                  communicator, [&] { static_cast<void>(read_points<double>(communicator, source)); }, 1);
  if (communicator.is_root()) static_cast<void>(unlink(path.c_str()));
  rates.disk_measured = true;
}

}  // namespace cairn
