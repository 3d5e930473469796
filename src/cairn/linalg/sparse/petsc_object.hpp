// PETSc objects, destroyed where their owner ends.
#pragma once

#include <petscksp.h>

#include <utility>

namespace cairn {

/// Owns one PETSc object, or none. Its end is collective over the object's communicator.
template <class Handle, PetscErrorCode (*destroy)(Handle*)>
class PetscObjectOwner {
 public:
  PetscObjectOwner() = default;
  ~PetscObjectOwner() { destroy(&handle_); }
  PetscObjectOwner(PetscObjectOwner&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  PetscObjectOwner& operator=(PetscObjectOwner&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  PetscObjectOwner(const PetscObjectOwner&) = delete;
  PetscObjectOwner& operator=(const PetscObjectOwner&) = delete;

  [[nodiscard]] Handle get() const { return handle_; }
  /// For a call that creates the object; there must be none yet.
  [[nodiscard]] Handle* place() { return &handle_; }

 private:
  Handle handle_ = nullptr;
};

using PetscVector = PetscObjectOwner<Vec, VecDestroy>;
using PetscMatrix = PetscObjectOwner<Mat, MatDestroy>;
using PetscIndices = PetscObjectOwner<IS, ISDestroy>;
using PetscTransfer = PetscObjectOwner<VecScatter, VecScatterDestroy>;
using PetscPreconditioner = PetscObjectOwner<PC, PCDestroy>;
using PetscSolver = PetscObjectOwner<KSP, KSPDestroy>;

}  // namespace cairn
