#include "cairn/linalg/dense/process_grid.hpp"

#include <cmath>
#include <map>

#include "cairn/linalg/dense/fortran.hpp"

namespace cairn {

namespace {

// Number of grids per BLACS handle of their communicator, which they share: the last one frees it. Main thread only.
std::map<int, int>& grids_of_handle() {
  static std::map<int, int> grids;
  return grids;
}

}  // namespace

GridShape::GridShape(int ranks) : rows(static_cast<int>(std::sqrt(static_cast<double>(ranks)))) {
  while (ranks % rows != 0) --rows;
  columns = ranks / rows;
}

ProcessGrid::ProcessGrid(const Communicator& communicator) : communicator_(communicator) {
  const GridShape shape(communicator.size());
  handle_ = Csys2blacs_handle(communicator.handle());
  ++grids_of_handle()[handle_];
  context_ = handle_;
  Cblacs_gridinit(&context_, "Row", shape.rows, shape.columns);
  Cblacs_gridinfo(context_, &rows_, &columns_, &row_, &column_);
}

ProcessGrid::~ProcessGrid() {
  Cblacs_gridexit(context_);
  if (--grids_of_handle()[handle_] == 0) Cfree_blacs_system_handle(handle_);
}

}  // namespace cairn
