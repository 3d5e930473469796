#include "cairn/base/mpi/node_array.hpp"

#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/log.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/abort.hpp"
#include "cairn/base/process/watchdog.hpp"

namespace cairn {

namespace detail {

namespace {

constexpr const char* folder_variable = "osc_sm_backing_directory";

// The folder where Open MPI's settings, in files too, place the memory that ranks of a node share (MPI tool interface);
// empty if it is not set. Takes some tenths of a second.
std::string configured_folder() {
  std::string folder;
  int provided = 0, variable = 0, count = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return folder;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  if (MPI_T_cvar_get_index(folder_variable, &variable) == MPI_SUCCESS &&
      MPI_T_cvar_handle_alloc(variable, nullptr, &handle, &count) == MPI_SUCCESS) {
    std::vector<char> text(static_cast<std::size_t>(std::max(count, 0)) + 1, '\0');
    if (MPI_T_cvar_read(handle, text.data()) == MPI_SUCCESS) folder = text.data();
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
  return folder;
}

// The default folder, or the one that mpirun --mca sets.
std::string usual_folder() {
  const char* said = std::getenv((std::string("OMPI_MCA_") + folder_variable).c_str());
  return said == nullptr ? "/dev/shm" : said;
}

Error no_room(Index bytes, const std::string& why) {
  return {ErrorKind::resource, "the ranks of a node cannot share " + std::to_string(bytes) + " bytes: " + why +
                                   "; enlarge the shared memory (mount -o remount,size=..., docker run --shm-size), or "
                                   "use fewer ranks on a node or more nodes"};
}

// Free bytes of a folder; nothing if it does not exist.
std::optional<double> free_bytes(const std::string& folder) {
  struct statvfs budget {};
  if (statvfs(folder.c_str(), &budget) != 0) return std::nullopt;
  return static_cast<double>(budget.f_bavail) * static_cast<double>(budget.f_frsize);
}

// Throws if the node has less space than Open MPI requires: the bytes, a twentieth of them, and a fixed overhead.
void require_budget(Index bytes) {
  constexpr double beside = 1 << 18;
  const double needed = 1.05 * static_cast<double>(bytes) + beside;
  std::string folder = usual_folder();
  std::optional<double> budget = free_bytes(folder);
  if (budget && *budget >= needed) return;
  if (const std::string configured = configured_folder(); !configured.empty() && configured != folder) {
    folder = configured;
    budget = free_bytes(folder);
  }
  if (!budget) throw no_room(bytes, folder + " does not exist");
  if (*budget < needed) throw no_room(bytes, folder + " has " + std::to_string(static_cast<Index>(*budget)) + " free");
}

// Allocates the pages of a window at once, where the system can (Linux 5.14): its file is sparse, and writing to a page
// without backing memory would end the program.
void take_pages(void* data, Index bytes) {
#ifdef MADV_POPULATE_WRITE
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(data) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(data) + static_cast<std::uintptr_t>(bytes);
  constexpr std::uintptr_t piece = std::uintptr_t{1} << 28;
  for (std::uintptr_t from = begin; from < end; from += piece) {
    Watchdog::beat();
    if (madvise(reinterpret_cast<void*>(from), std::min(piece, end - from), MADV_POPULATE_WRITE) == 0) continue;
    if (errno == EINVAL) return;  // an older system
    throw no_room(bytes, usual_folder() + " is full");
  }
#else
  static_cast<void>(data), static_cast<void>(bytes);
#endif
}

// The warning if MPI provides no window: `code` is this rank's outcome.
std::string no_windows(int code) {
  std::string reason = "on another node";
  if (code != MPI_SUCCESS) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    reason = text;
  }
  return "MPI has no shared-memory windows here (" + reason +
         "; in Open MPI they need the component sm in the setting osc); the ranks of a node share files in memory "
         "instead";
}

// MPI's own handler of a window would end the run without a message of Cairn.
void require(int code, const Communicator& node) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::fprintf(stderr, "cairn: error: MPI reports of memory that the ranks of a node share: %s\n", text);
  end_all_ranks(node.handle(), ErrorKind::internal);
}

// The number of the node's first rank, so that all its ranks have the same.
Index next_number(const Communicator& node) {
  static Index made = 0;
  Index number = ++made;
  node.broadcast(std::span(&number, 1), 0);
  return number;
}

}  // namespace

// The first rank of the node holds all bytes. An MPI error would be known to that rank alone, and the others would wait
// for it: no rank allocates before every node has reported enough space.
NodeWindow::NodeWindow(const Communicator& communicator, Index bytes)
    : node_(communicator.shared_node()), number_(next_number(*node_)) {
  const Index size = std::max<Index>(bytes, 1);
  collectively(communicator, [&] {
    if (node_->is_root() && node_->size() > 1) require_budget(size);
  });
  if (!allocate_window(communicator, size)) file_ = std::make_unique<MemoryFile>(communicator, *node_, size);
  data_ = file_ ? file_->data() : window_data();
  try {
    collectively(communicator, [&] {
      if (node_->is_root() && node_->size() > 1) take_pages(data_, size);
    });
  } catch (...) {
    free_window();
    throw;
  }
}

NodeWindow::~NodeWindow() { free_window(); }

// Open MPI provides shared windows only in its component sm; if the setting `osc` names others, for example for
// one-sided communication between nodes, there are none. All ranks agree on whether every rank has a window.
bool NodeWindow::allocate_window(const Communicator& communicator, Index size) {
  MPI_Comm_set_errhandler(node_->handle(), MPI_ERRORS_RETURN);
  void* base = nullptr;
  const int code = MPI_Win_allocate_shared(node_->is_root() ? static_cast<MPI_Aint>(size) : 0, 1, MPI_INFO_NULL,
                                           node_->handle(), &base, &window_);
  end_on_mpi_errors(node_->handle());  // errors from here on are unexpected
  if (code == MPI_SUCCESS)
    MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN);
  else
    window_ = MPI_WIN_NULL;
  if (communicator.minimum(code == MPI_SUCCESS ? 1 : 0) == 1) {
    require(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_), *node_);
    return true;
  }
  if (window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
  static std::once_flag said;
  std::call_once(said, [&] { log(LogLevel::warning, no_windows(code)); });
  return false;
}

void* NodeWindow::window_data() const {
  void* data = nullptr;
  MPI_Aint size = 0;
  int unit = 1;
  require(MPI_Win_shared_query(window_, 0, &size, &unit, &data), *node_);
  return data;
}

void NodeWindow::free_window() {
  if (window_ == MPI_WIN_NULL) return;
  // Other ranks may not be unwinding from an error that only this rank has: MPI would wait for them.
  if (std::uncaught_exceptions() > 0 && !all_leave_together(*node_, number_)) return;
  require(MPI_Win_unlock_all(window_), *node_);
  MPI_Win_free(&window_);
}

void NodeWindow::publish() const {
  if (window_ != MPI_WIN_NULL) require(MPI_Win_sync(window_), *node_);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  node_->barrier();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (window_ != MPI_WIN_NULL) require(MPI_Win_sync(window_), *node_);
}

}  // namespace detail

}  // namespace cairn
