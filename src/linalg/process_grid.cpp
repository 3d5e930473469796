#include "linalg/process_grid.hpp"

#include <cmath>

#include "linalg/fortran.hpp"

namespace cairn {

ProcessGrid::ProcessGrid(const Communicator& communicator) : communicator_(communicator) {
  const int ranks = communicator.size();
  int rows = static_cast<int>(std::sqrt(static_cast<double>(ranks)));
  while (ranks % rows != 0) --rows;
  handle_ = Csys2blacs_handle(communicator.handle());
  context_ = handle_;
  Cblacs_gridinit(&context_, "Row", rows, ranks / rows);
  Cblacs_gridinfo(context_, &rows_, &columns_, &row_, &column_);
}

ProcessGrid::~ProcessGrid() {
  Cblacs_gridexit(context_);
  Cfree_blacs_system_handle(handle_);
}

}  // namespace cairn
