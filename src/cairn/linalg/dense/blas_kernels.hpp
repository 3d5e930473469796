// Which kernels OpenBLAS computes with.
#pragma once

#include <string>

namespace cairn {

/// The kernels of this process's BLAS by OpenBLAS's name ("SkylakeX"); empty for another BLAS.
[[nodiscard]] std::string blas_kernels();

/// Changes the kernels of OpenBLAS where it is older than the processor and took those of its oldest one, with which
/// matrix products take about 5 times as long: to "SkylakeX" or "Haswell", by the processor's instructions. No effect
/// with another BLAS, or where the variable OPENBLAS_CORETYPE names the kernels. No other thread of the process may be
/// in the BLAS. Local.
void choose_blas_kernels();

}  // namespace cairn
