#include "cairn/linalg/dense/process_grid.hpp"

#include <cmath>
#include <map>
#include <utility>

#include "cairn/linalg/dense/fortran.hpp"

// PBLAS asks for the number of columns that it multiplies at once, and a program may answer in place of its own
// function, which says 32: BLAS then spends half of the time on copies (order 9,000 on 2 ranks, pdpotrf and
// pdlauum: 3.2 and 5.7 s with 32, 2.9 and 3.9 with 128, 3.0 and 4.2 with 256).
extern "C" [[gnu::visibility("default")]] int pilaenv_(const int* context, const char* type);
extern "C" int pilaenv_(const int* /*context*/, const char* /*type*/) { return 128; }

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

ProcessGrid::ProcessGrid(const Communicator& communicator, GridForm form) : communicator_(communicator) {
  GridShape shape(communicator.size());
  if (form == GridForm::tall) std::swap(shape.rows, shape.columns);
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
