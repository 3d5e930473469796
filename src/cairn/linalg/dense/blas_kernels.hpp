// Which kernels OpenBLAS computes with.
#pragma once

#include <string>

namespace cairn {

/// The kernels of this process's BLAS by OpenBLAS's name ("SkylakeX"); empty for another BLAS.
[[nodiscard]] std::string blas_kernels();

/// The kernels that suit this processor's instructions, "SkylakeX" or "Haswell", where OpenBLAS is older than the
/// processor and took those of its oldest one, with which matrix products take about 5 times as long; else empty.
/// OpenBLAS reads the variable OPENBLAS_CORETYPE, which names them, while it is loaded.
[[nodiscard]] std::string better_blas_kernels();

}  // namespace cairn
