#include "cairn/base/error.hpp"

#include <exception>
#include <new>

namespace cairn {

Error current_error() {
  if (std::current_exception() == nullptr) {  // rethrowing would call the terminate handler
    return Error(ErrorKind::internal, "the program was terminated without an exception: this is a defect of Cairn");
  }
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(ErrorKind::resource, "out of memory; use more ranks or nodes, fewer landmarks, or single precision");
  } catch (const std::exception& error) {
    return Error(ErrorKind::internal, error.what());
  } catch (...) {
    return Error(ErrorKind::internal, "an unknown exception");
  }
}

}  // namespace cairn
