// A session of Python: errors as exceptions of Python, and objects that all ranks let go together.
#pragma once

#include <pybind11/pybind11.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/run/session.hpp"

namespace cairn::python {

namespace py = pybind11;

/// Sets a flag within a scope.
class ScopedFlag {
 public:
  explicit ScopedFlag(bool& flag) : flag_(flag) { flag_ = true; }
  ~ScopedFlag() { flag_ = false; }
  ScopedFlag(const ScopedFlag&) = delete;
  ScopedFlag& operator=(const ScopedFlag&) = delete;

 private:
  bool& flag_;
};

/// Keeps an exception that Python raised below a collective call, until the call ends on all ranks.
class Pending {
 public:
  /// Takes the exception that is being handled. Requires Python's lock.
  void take(py::error_already_set& error) {
    if (!error_) error_ = std::make_unique<py::error_already_set>(std::move(error));
  }
  [[nodiscard]] bool any() const { return error_ != nullptr; }
  /// True for the end of the program, as by Ctrl-C, in contrast to a mistake. Requires Python's lock.
  [[nodiscard]] bool ends() const { return !error_->matches(PyExc_Exception); }
  /// Restores it as the current exception of Python. Requires Python's lock.
  void restore() { std::exchange(error_, nullptr)->restore(); }
  /// Requires Python's lock.
  void clear() { error_.reset(); }

 private:
  std::unique_ptr<py::error_already_set> error_;
};

/// The session, and what was made in it. Every rank makes the same things in the same order, and frees one at the next
/// collective call after all ranks have let it go: Python's own moment differs between ranks.
class SessionHandle : public std::enable_shared_from_this<SessionHandle> {
 public:
  /// @param progress  a Python function that is called after each tile (TileWatch), or None
  SessionHandle(MPI_Comm ranks, SessionOptions options, py::object progress);

  /// @throws Error(usage) after close(). Local.
  [[nodiscard]] const Session& session() const;
  [[nodiscard]] bool is_open() const { return session_ != nullptr; }
  /// Keeps what a collective call has made. @return its number
  Index keep(std::shared_ptr<void> content);
  /// Lets it go. Local.
  void drop(Index number);
  /// Number of things that are kept, those included that wait for other ranks to let them go. Local.
  [[nodiscard]] Index kept();
  /// Frees everything. @throws Error(usage) while a call runs. Collective.
  void close();
  [[nodiscard]] Pending& pending() { return pending_; }

  /// Runs a collective call without Python's lock, one at a time in the process. An exception that a function of Python
  /// raised in it is the cause of the error that all ranks raise.
  /// @param words  name of the call, and what must be the same on all ranks
  /// @throws Error(usage) from within a function that a call has called, and for other words than those of rank 0
  template <class Call>
  auto run(const std::vector<std::string>& words, Call call) -> std::invoke_result_t<Call, const Session&> {
    if (within_call) throw Error(ErrorKind::usage, words.front() + "() within a function that Cairn has called");
    static_cast<void>(session());
    pending_.clear();
    try {
      const py::gil_scoped_release unlocked;
      const std::lock_guard one(calls());
      session().require_same_call(words.front(), {words.begin() + 1, words.end()});
      free_dropped();
      if constexpr (std::is_void_v<std::invoke_result_t<Call, const Session&>>) {
        call(session());
        require_nothing_pending();
      } else {
        auto made = call(session());
        require_nothing_pending();
        return made;
      }
    } catch (const Error& error) {
      raise(error);
    }
  }
  /// True in threads that are in a function of Python.
  static thread_local bool within_call;

 private:
  struct Kept {
    std::shared_ptr<void> content;
    bool dropped = false;
  };
  void free_dropped();
  // @throws Error(usage) if the function of the progress raised where no tile of this rank came after. Local.
  void require_nothing_pending() const {
    if (pending_.any()) throw Error(ErrorKind::usage, "the function of the progress raised when a loop began");
  }
  // Between two tiles: tells of progress, and ends the computation if Python has a signal to handle, such as that of
  // Ctrl-C.
  void look(const char* loop, Index finished, Index tiles);
  [[noreturn]] void raise(const Error& error);
  static std::mutex& calls();  // held by the call that runs

  Pending pending_;
  py::object progress_;
  std::unique_ptr<Session> session_;
  std::mutex of_kept_;
  std::map<Index, Kept> kept_;
  Index next_ = 0;
};

/// Something of a session that Python holds.
template <class Content>
class Handle {
 public:
  Handle(std::shared_ptr<SessionHandle> session, Content content) : session_(std::move(session)) {
    auto kept = std::make_shared<Content>(std::move(content));
    content_ = kept;
    number_ = session_->keep(std::move(kept));
  }
  ~Handle() {
    if (session_) session_->drop(number_);
  }
  Handle(Handle&&) noexcept = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle& operator=(Handle&&) = delete;

  /// Lets it go before Python does. Local.
  void release() {
    session_->drop(number_);
    released_ = true;
  }
  [[nodiscard]] bool is_released() const { return released_; }
  /// @throws Error(usage) after the end of the session, or release(). Local.
  [[nodiscard]] Content& content() const {
    static_cast<void>(session_->session());
    if (released_) throw Error(ErrorKind::usage, "this has been let go, at the end of a with block");
    const std::shared_ptr<Content> alive = content_.lock();
    if (!alive) throw Error(ErrorKind::usage, "this belongs to a session that has ended");
    return *alive;
  }
  [[nodiscard]] const std::shared_ptr<SessionHandle>& session() const { return session_; }
  /// The same on all ranks.
  [[nodiscard]] Index number() const { return number_; }
  /// @throws Error(usage) if both are of different sessions. Local.
  void require_same_session(const SessionHandle& other) const {
    if (session_.get() == &other) return;
    throw Error(ErrorKind::usage, "these belong to different sessions");
  }

 private:
  std::shared_ptr<SessionHandle> session_;
  std::weak_ptr<Content> content_;
  Index number_ = 0;
  bool released_ = false;
};

/// The exceptions of the module cairn, one a kind of error. Called once by the module.
void register_errors(py::module_& module);

}  // namespace cairn::python
