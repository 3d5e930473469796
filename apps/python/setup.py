"""Builds the module of the package by CMake, against an installed Cairn (CMAKE_PREFIX_PATH says where)."""
import pathlib
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


class CMakeBuild(build_ext):
    """Runs CMake and puts its module beside the package's files."""

    def build_extension(self, ext):
        target = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve().parent
        folder = pathlib.Path(self.build_temp).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        source = pathlib.Path(__file__).resolve().parent
        subprocess.run(["cmake", "-S", source, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", f"-DPython_EXECUTABLE={sys.executable}"], check=True)
        subprocess.run(["cmake", "--build", folder], check=True)
        subprocess.run(["cmake", "--install", folder, "--prefix", folder / "installed"], check=True)
        module = next((folder / "installed").rglob("_cairn*.so"))
        target.mkdir(parents=True, exist_ok=True)
        (target / module.name).write_bytes(module.read_bytes())


# cairn_plot writes the pages of Result.report().
setup(packages=["cairn", "cairn_plot"], package_dir={"cairn_plot": "../plot/cairn_plot"}, ext_modules=[Extension("cairn._cairn", sources=[])], cmdclass={"build_ext": CMakeBuild})
