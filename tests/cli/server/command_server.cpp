// Runs command lines of the program, one after the other, on communicators of the first 1, 2, ... of its ranks: what
// tests of the program save the starts of mpirun with. The lines are run by the program's own run_command_line.
//
//   mpirun -n LARGEST command_server SOCKET
//
// Each rank connects to the socket and says its number; whoever listens sends a command to as many ranks as it is for:
// the length of the message (4 bytes), then the number of ranks, a working folder, a file for the standard output, one
// for the standard error, and the words, each ended by a zero. Each of these ranks answers with the exit code (4
// bytes). A rank that hears nothing more ends. A command that ends its process ends this one.
#include <mpi.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "cairn/base/heap.hpp"
#include "cairn/base/process/abort.hpp"
#include "cairn/base/process/interruption.hpp"
#include "cairn/base/process/peak_memory.hpp"
#include "cli/program.hpp"
#include "redirected.hpp"

namespace {

using cairn::app::Ending;
using cairn::test::Redirected;

class Connection {
 public:
  explicit Connection(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socket_ < 0 || path.size() >= sizeof(address.sun_path)) throw std::runtime_error("no socket at " + path);
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
      throw std::runtime_error("nobody listens at " + path);
  }
  ~Connection() { ::close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void send(std::int32_t number) const {
    if (::send(socket_, &number, sizeof(number), MSG_NOSIGNAL) != sizeof(number))
      throw std::runtime_error("nobody hears any more");
  }

  /// The words of the next message; none: there is no more.
  [[nodiscard]] std::vector<std::string> receive() const {
    std::uint32_t length = 0;
    if (!read(reinterpret_cast<char*>(&length), sizeof(length))) return {};
    std::string text(length, '\0');
    if (!read(text.data(), length)) return {};
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size(); at += words.back().size() + 1) words.emplace_back(text.c_str() + at);
    return words;
  }

 private:
  bool read(char* to, std::size_t bytes) const {
    while (bytes > 0) {
      const ssize_t got = ::recv(socket_, to, bytes, 0);
      if (got <= 0) return false;
      to += got;
      bytes -= static_cast<std::size_t>(got);
    }
    return true;
  }

  int socket_;
};

Ending run(MPI_Comm ranks, const std::vector<std::string>& message) {
  const Redirected out(STDOUT_FILENO, message.at(2)), err(STDERR_FILENO, message.at(3));
  if (::chdir(message.at(1).c_str()) != 0) throw std::runtime_error("no folder " + message.at(1));
  cairn::forget_stop_request();
  cairn::restart_peak();
  cairn::ConfigTexts configs;
  return cairn::app::run_command_line(ranks, {message.begin() + 4, message.end()}, configs);
}

// Communicators of the first ranks, made when they are first needed: hundreds of them would take longer than a command,
// and most of its memory.
class FirstRanks {
 public:
  // Collective over the first `size` ranks.
  MPI_Comm get(int size) {
    MPI_Comm& part = made_.try_emplace(size, MPI_COMM_NULL).first->second;
    if (part != MPI_COMM_NULL) return part;
    MPI_Group all = MPI_GROUP_NULL, first = MPI_GROUP_NULL;
    int range[1][3] = {{0, size - 1, 1}};
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_range_incl(all, 1, range, &first);
    MPI_Comm_create_group(MPI_COMM_WORLD, first, size, &part);
    MPI_Group_free(&first);
    MPI_Group_free(&all);
    cairn::end_on_mpi_errors(part);
    return part;
  }

 private:
  std::map<int, MPI_Comm> made_;  // by size
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: command_server SOCKET\n", stderr);
    return 2;
  }
  cairn::measure_peaks_of_phases();
  cairn::return_large_blocks();
  std::signal(SIGXFSZ, SIG_IGN);
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  cairn::end_on_mpi_errors(MPI_COMM_WORLD);
  cairn::end_on_mpi_errors(MPI_COMM_SELF);
  FirstRanks ranks;
  bool at_once = false;
  try {
    const Connection connection(argv[1]);
    connection.send(rank);
    for (auto message = connection.receive(); !message.empty(); message = connection.receive()) {
      const Ending ending = run(ranks.get(std::stoi(message.at(0))), message);
      at_once = at_once || ending.at_once;
      connection.send(ending.code);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "command_server: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 70);
  }
  if (at_once) std::_Exit(0);
  MPI_Finalize();
  return 0;
}
