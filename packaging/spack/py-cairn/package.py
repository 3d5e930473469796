# A recipe for Spack. Its syntax was checked; it has not been built. What the recipe cairn says of the sources holds here, too.

import os

from spack.package import *


class PyCairn(PythonPackage):
    """The Python package of Cairn: low-rank approximations of huge similarity matrices, arrays in, factors out."""

    manual_download = True
    url = f"file://{os.getcwd()}/cairn-0.2.0.tar.gz"

    license("Apache-2.0")

    version("0.2.0")

    build_directory = "apps/python"

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("py-setuptools@61:", type="build")
    depends_on("py-pybind11", type="build")

    # setup.py finds Cairn by CMAKE_PREFIX_PATH, which Spack sets.
    depends_on("cairn@0.2.0")
    depends_on("python@3.11:", type=("build", "link", "run"))
    depends_on("py-mpi4py", type=("build", "run"))
    depends_on("py-numpy", type=("build", "run"))
    depends_on("py-scipy", type="run")

    import_modules = ["cairn"]
