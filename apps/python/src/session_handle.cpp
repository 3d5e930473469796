#include "session_handle.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cairn/base/error.hpp"

namespace cairn::python {

namespace {

// By kind of error; of the module, which lives as long as the process.
struct Exceptions {
  PyObject *usage, *input, *numeric, *resource, *unmet, *interrupted, *internal;

  [[nodiscard]] PyObject* of(ErrorKind kind) const {
    switch (kind) {
      case ErrorKind::usage:
        return usage;
      case ErrorKind::input:
        return input;
      case ErrorKind::numeric:
        return numeric;
      case ErrorKind::resource:
        return resource;
      case ErrorKind::unmet:
        return unmet;
      case ErrorKind::interrupted:
        return interrupted;
      case ErrorKind::internal:
        return internal;
    }
    return internal;
  }
};

Exceptions& exceptions() {
  static Exceptions all{};
  return all;
}

}  // namespace

void SessionHandle::look(const char* loop, Index finished, Index tiles) {
  const py::gil_scoped_acquire locked;
  const ScopedFlag within(within_call);  // handlers of signals are functions of Python, too
  try {
    if (!progress_.is_none() && !pending_.any()) progress_(loop, finished, tiles);
    if (finished > 0 && PyErr_CheckSignals() != 0) throw py::error_already_set();
  } catch (py::error_already_set& error) {
    pending_.take(error);
  }
  if (finished == 0 || !pending_.any()) return;  // a loop begins on each rank by itself: its first tile ends it
  const bool ends = pending_.ends();
  const Communicator& communicator = session_->communicator();
  const std::string who =
      communicator.size() > 1 ? "rank " + std::to_string(communicator.rank()) + " was interrupted" : "interrupted";
  throw Error(ends ? ErrorKind::interrupted : ErrorKind::usage,
              who + " between two tiles, " + (ends ? "by a signal" : "by the function of the progress"));
}

SessionHandle::SessionHandle(MPI_Comm ranks, SessionOptions options, py::object progress)
    : progress_(std::move(progress)) {
  options.watch = [this](const char* loop, Index finished, Index tiles) { look(loop, finished, tiles); };
  session_ = std::make_unique<Session>(ranks, options);
}

const Session& SessionHandle::session() const {
  if (session_) return *session_;
  throw Error(ErrorKind::usage, "the session has ended");
}

thread_local bool SessionHandle::within_call = false;

std::mutex& SessionHandle::calls() {
  static std::mutex one;
  return one;
}

Index SessionHandle::keep(std::shared_ptr<void> content) {
  const std::lock_guard lock(of_kept_);
  kept_.emplace(next_, Kept{std::move(content)});
  return next_++;
}

Index SessionHandle::kept() {
  const std::lock_guard lock(of_kept_);
  return static_cast<Index>(kept_.size());
}

// A rank that is alone frees at once, unless a call runs in another thread.
void SessionHandle::drop(Index number) {
  std::shared_ptr<void> content;  // freed after the locks
  const bool alone = session_ && session_->communicator().size() == 1;
  const bool now = alone && !within_call && calls().try_lock();
  {
    const std::lock_guard lock(of_kept_);
    if (const auto found = kept_.find(number); found != kept_.end()) {
      found->second.dropped = true;
      if (now) {
        content = std::move(found->second.content);
        kept_.erase(found);
      }
    }
  }
  content.reset();
  if (now) calls().unlock();
}

// One small reduction, with several ranks. A thread may let go meanwhile.
void SessionHandle::free_dropped() {
  const Communicator& communicator = session().communicator();
  std::vector<Index> numbers;
  std::vector<std::int32_t> dropped;
  {
    const std::lock_guard lock(of_kept_);
    for (const auto& [number, kept] : kept_) {
      numbers.push_back(number);
      dropped.push_back(kept.dropped ? 1 : 0);
    }
  }
  communicator.sum(std::span(dropped));
  for (std::size_t k = numbers.size(); k-- > 0;) {
    if (dropped[k] != communicator.size()) continue;
    std::shared_ptr<void> content;  // freed after the lock
    const std::lock_guard lock(of_kept_);
    const auto found = kept_.find(numbers[k]);
    content = std::move(found->second.content);
    kept_.erase(found);
  }
}

void SessionHandle::close() {
  const std::unique_lock idle(calls(), std::try_to_lock);
  if (!idle.owns_lock()) throw Error(ErrorKind::usage, "a session cannot be closed while a call runs");
  for (; !kept_.empty();) kept_.erase(std::prev(kept_.end()));  // what was made last may stand on what came before
  session_.reset();
}

void SessionHandle::raise(const Error& error) {
  PyObject* const kind = exceptions().of(error.kind());
  if (pending_.any()) {
    const bool ends = pending_.ends();
    pending_.restore();
    if (!ends) py::raise_from(kind, error.what());
  } else {
    PyErr_SetString(kind, error.what());
  }
  throw py::error_already_set();
}

void register_errors(py::module_& module) {
  const auto make = [&](const char* name, PyObject* base, const char* text) {
    const std::string full = std::string("cairn.") + name;
    PyObject* const made = PyErr_NewExceptionWithDoc(full.c_str(), text, base, nullptr);
    module.attr(name) = py::handle(made);
    return made;
  };
  Exceptions& all = exceptions();
  all.usage = make("UsageError", PyExc_ValueError, "An argument that is unknown, out of range, or without effect.");
  all.input = make("InputError", PyExc_ValueError, "Data that cannot be read, or values that are not finite.");
  all.numeric = make("NotConverged", PyExc_ArithmeticError, "The mathematics: singular, not finite, not converged.");
  all.resource = make("ResourceError", PyExc_MemoryError, "Memory, disk, or a limit of a library.");
  all.unmet = make("ErrorNotReached", PyExc_RuntimeError, "The error that was asked for is not reached.");
  all.interrupted = make("Interrupted", PyExc_RuntimeError, "Another rank was interrupted.");
  all.internal = make("InternalError", PyExc_RuntimeError, "A defect of Cairn or of a library that it uses.");
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      PyErr_SetString(exceptions().of(error.kind()), error.what());
    }
  });
}

}  // namespace cairn::python
