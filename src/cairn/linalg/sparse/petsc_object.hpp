// PETSc objects, destroyed together with their owner.
#pragma once

#include <utility>

#include "cairn/linalg/sparse/petsc.hpp"

namespace cairn {

/// Owns one PETSc object, or none. Its destruction is collective over the object's communicator.
template <class Handle, PetscErrorCode (*&destroy)(Handle*)>
class PetscObjectOwner {
 public:
  PetscObjectOwner() = default;
  ~PetscObjectOwner() {
    if (handle_ != nullptr) destroy(&handle_);
  }
  PetscObjectOwner(PetscObjectOwner&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  PetscObjectOwner& operator=(PetscObjectOwner&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  PetscObjectOwner(const PetscObjectOwner&) = delete;
  PetscObjectOwner& operator=(const PetscObjectOwner&) = delete;

  [[nodiscard]] Handle get() const { return handle_; }
  /// For a call that creates the object; none may exist yet.
  [[nodiscard]] Handle* place() { return &handle_; }

 private:
  Handle handle_ = nullptr;
};

using PetscVector = PetscObjectOwner<Vec, petsc::VecDestroy>;
using PetscMatrix = PetscObjectOwner<Mat, petsc::MatDestroy>;
using PetscSolver = PetscObjectOwner<KSP, petsc::KSPDestroy>;

}  // namespace cairn
