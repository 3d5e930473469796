#include "cairn/approximation/biharmonic/laplacian_rows.hpp"

#include <algorithm>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/library_limits.hpp"
#include "cairn/linalg/sparse/slepc_session.hpp"

namespace cairn {

LaplacianRows::LaplacianRows(const Communicator& communicator, const OperatorView& op)
    : communicator_(communicator),
      op_(op),
      partition_(op.size, communicator.size()),
      range_(partition_.range(communicator.rank())) {
  start_slepc(communicator);
  std::vector<PetscInt> indices;
  PetscInt own = 0, all = 0, ghosts = 0;
  collectively(communicator, [&] {
    find_ghosts();
    own = to_library_int(range_.size(), "vertices of a rank");
    all = to_library_int(op.size, "vertices");
    ghosts = to_library_int(static_cast<Index>(ghosts_.size()), "vertices next to those of a rank");
    indices.assign(ghosts_.begin(), ghosts_.end());
  });
  PetscIndices places;
  check(petsc::VecCreateMPI(communicator.handle(), own, all, global_.place()), "VecCreateMPI");
  check(petsc::VecCreateSeqWithArray(PETSC_COMM_SELF, 1, ghosts, values_.data() + range_.size(), ghost_values_.place()),
        "VecCreateSeqWithArray");
  check(petsc::ISCreateGeneral(PETSC_COMM_SELF, ghosts, indices.data(), PETSC_COPY_VALUES, places.place()),
        "ISCreateGeneral");
  check(petsc::VecScatterCreate(global_.get(), places.get(), ghost_values_.get(), nullptr, transfer_.place()),
        "VecScatterCreate");
}

void LaplacianRows::check(PetscErrorCode code, const char* call) const { check_petsc(code, call, communicator_); }

void LaplacianRows::find_ghosts() {
  const Index begin = op_.starts[range_.begin], end = op_.starts[range_.end];
  for (Index arc = begin; arc < end; ++arc) {
    if (!range_.contains(op_.neighbors[arc])) ghosts_.push_back(op_.neighbors[arc]);
  }
  std::ranges::sort(ghosts_);
  const auto repeated = std::ranges::unique(ghosts_);
  ghosts_.erase(repeated.begin(), repeated.end());
  neighbors_.reserve(end - begin);
  for (Index arc = begin; arc < end; ++arc) {
    const std::int32_t vertex = op_.neighbors[arc];
    const Index place = range_.contains(vertex)
                            ? vertex - range_.begin
                            : range_.size() + (std::ranges::lower_bound(ghosts_, vertex) - ghosts_.begin());
    neighbors_.push_back(static_cast<std::int32_t>(place));
  }
  values_.resize(static_cast<std::size_t>(range_.size()) + ghosts_.size());
}

PetscVector LaplacianRows::vector() const {
  PetscVector result;
  check(petsc::VecDuplicate(global_.get(), result.place()), "VecDuplicate");
  check(petsc::VecSet(result.get(), 0.0), "VecSet");
  return result;
}

void LaplacianRows::gather(Vec x) {
  check(petsc::VecScatterBegin(transfer_.get(), x, ghost_values_.get(), INSERT_VALUES, SCATTER_FORWARD),
        "VecScatterBegin");
  const double* own = nullptr;
  check(petsc::VecGetArrayRead(x, &own), "VecGetArrayRead");
  std::copy_n(own, range_.size(), values_.begin());
  check(petsc::VecRestoreArrayRead(x, &own), "VecRestoreArrayRead");
  check(petsc::VecScatterEnd(transfer_.get(), x, ghost_values_.get(), INSERT_VALUES, SCATTER_FORWARD), "VecScatterEnd");
}

void LaplacianRows::multiply(Vec x, Vec y) {
  gather(x);
  double* out = nullptr;
  check(petsc::VecGetArray(y, &out), "VecGetArray");
  const Index first = op_.starts[range_.begin];
  for (Index v = range_.begin; v < range_.end; ++v) {
    const double own = values_[v - range_.begin];
    double sum = 0.0;
    for (Index arc = op_.starts[v]; arc < op_.starts[v + 1]; ++arc) {
      const std::int32_t place = neighbors_[arc - first];
      sum += op_.weight(arc) * (own - values_[place]);
    }
    out[v - range_.begin] = sum;
  }
  check(petsc::VecRestoreArray(y, &out), "VecRestoreArray");
  Watchdog::beat();
}

void LaplacianRows::divide_by_mass(Vec x) const {
  if (op_.inverse_masses == nullptr) return;
  double* values = nullptr;
  check(petsc::VecGetArray(x, &values), "VecGetArray");
  for (Index v = range_.begin; v < range_.end; ++v) values[v - range_.begin] *= op_.inverse_mass(v);
  check(petsc::VecRestoreArray(x, &values), "VecRestoreArray");
}

void LaplacianRows::multiply_by_mass(Vec x) const {
  if (op_.inverse_masses == nullptr) return;
  double* values = nullptr;
  check(petsc::VecGetArray(x, &values), "VecGetArray");
  for (Index v = range_.begin; v < range_.end; ++v) values[v - range_.begin] /= op_.inverse_mass(v);
  check(petsc::VecRestoreArray(x, &values), "VecRestoreArray");
}

PetscMatrix LaplacianRows::matrix(const std::vector<char>& fixed, const std::vector<double>& diagonal) {
  // The status (fixed or not) of neighbors on other ranks is exchanged like their values.
  const PetscVector marks = vector();
  double* own_marks = nullptr;
  check(petsc::VecGetArray(marks.get(), &own_marks), "VecGetArray");
  std::copy(fixed.begin(), fixed.end(), own_marks);
  check(petsc::VecRestoreArray(marks.get(), &own_marks), "VecRestoreArray");
  gather(marks.get());
  std::vector<PetscInt> starts{0}, columns;
  std::vector<double> values;
  collectively(communicator_, [&] {
    const Index first = op_.starts[range_.begin];
    for (Index v = range_.begin; v < range_.end; ++v) {
      const auto k = static_cast<std::size_t>(v - range_.begin);
      const double own = op_.degrees[v] + (diagonal.empty() ? 0.0 : diagonal[k]);
      columns.push_back(static_cast<PetscInt>(v));
      values.push_back(own == 0.0 ? 1.0 : own);  // an isolated landmark
      for (Index arc = op_.starts[v]; fixed[k] == 0 && arc < op_.starts[v + 1]; ++arc) {
        const std::int32_t place = neighbors_[arc - first];
        if (values_[place] != 0.0) continue;
        columns.push_back(op_.neighbors[arc]);
        values.push_back(-op_.weight(arc));
      }
      starts.push_back(to_library_int(static_cast<Index>(columns.size()), "entries of the operator on a rank"));
    }
  });
  PetscMatrix result;
  const auto own = static_cast<PetscInt>(range_.size()), all = static_cast<PetscInt>(size());
  check(petsc::MatCreateMPIAIJWithArrays(communicator_.handle(), own, own, all, all, starts.data(), columns.data(),
                                         values.data(), result.place()),
        "MatCreateMPIAIJWithArrays");
  check(petsc::MatSetOption(result.get(), MAT_SPD, PETSC_TRUE), "MatSetOption");
  return result;
}

}  // namespace cairn
