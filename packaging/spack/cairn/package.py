# A recipe for Spack. Its syntax was checked; it has not been built.
#
# The project names no address of its sources: spack takes the file cairn-0.2.0.tar.gz in the folder in which it is started,
#   git archive --prefix=cairn-0.2.0/ -o cairn-0.2.0.tar.gz v0.2.0      # or HEAD
#   spack repo add packaging/spack
#   spack install --no-checksum cairn
# or the sources as they are: spack develop --path FOLDER cairn@0.2.0.
#
# LIBSVM (libsvm/svm.h) and LIBLINEAR (linear.h) are those of the system, where CMake finds them (Debian: libsvm-dev,
# liblinear-dev): no recipe is known that installs both headers and libraries. Elsewhere give cmake_args their folders.

import os

from spack.package import *


class Cairn(CMakePackage):
    """Cairn approximates huge symmetric matrices of similarities or distances by low-rank factors, from a few of their entries,
    on one machine or, by MPI, on a cluster."""

    manual_download = True
    url = f"file://{os.getcwd()}/cairn-0.2.0.tar.gz"

    license("Apache-2.0")

    version("0.2.0")

    variant("deflate", default=True, description="CRC-32 of libdeflate, several times as fast as zlib's")
    variant("native", default=False, description="Compile for the processor of this machine (-march=native)")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3:", type=("build", "run"))

    depends_on("mpi@3:")
    depends_on("blas")
    depends_on("lapack")
    depends_on("scalapack")
    depends_on("petsc+mpi+double~complex~int64+shared")
    depends_on("slepc")
    depends_on("suite-sparse")
    depends_on("metis@5:~int64")
    depends_on("fftw@3:precision=float,double")
    depends_on("nanoflann")
    depends_on("hdf5+mpi")
    depends_on("boost@1.74:+program_options")
    depends_on("fmt@9:")
    depends_on("nlohmann-json")
    depends_on("random123")
    depends_on("zlib-api")
    depends_on("xz")
    depends_on("libdeflate", when="+deflate")
    depends_on("lemon")
    depends_on("expat")
    depends_on("utf8proc")

    conflicts("%gcc@:11", msg="Cairn needs C++20 as GCC 12 has it")

    generator("ninja")

    def cmake_args(self):
        """The program and its libraries; the Python package is py-cairn."""
        return [
            self.define("CAIRN_BUILD_TESTS", False),
            self.define("CAIRN_BUILD_BENCHMARKS", False),
            self.define_from_variant("CAIRN_NATIVE", "native"),
            self.define("HDF5_ROOT", self.spec["hdf5"].prefix),
            self.define("BLAS_LIBRARIES", self.spec["blas"].libs.joined(";")),
            self.define("LAPACK_LIBRARIES", self.spec["lapack"].libs.joined(";")),
        ]
