#!/bin/bash
# Run by conda-build in a copy of the sources: the program, its libraries and the Python package, into $PREFIX. Not yet run.
set -euo pipefail
: "${RANDOM123_INCLUDE_DIR:?names the folder that holds Random123/philox.h}"

# liblinear and libsvm lie where CMake looks below CMAKE_PREFIX_PATH; the linker is the compiler's own.
cmake -S . -B build-conda -G Ninja ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_PREFIX_PATH="$PREFIX" \
  -DCMAKE_INSTALL_LIBDIR=lib -DHDF5_ROOT="$PREFIX" -DRANDOM123_INCLUDE_DIR="$RANDOM123_INCLUDE_DIR" \
  -DCAIRN_BUILD_TESTS=OFF -DCAIRN_BUILD_BENCHMARKS=OFF -DCAIRN_PYTHON="$PYTHON" -DCAIRN_PYTHON_FOLDER="${SP_DIR#"$PREFIX"/}"
cmake --build build-conda --parallel "${CPU_COUNT:-2}"
cmake --install build-conda
