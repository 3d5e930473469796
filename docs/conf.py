"""The site of the documentation, for Sphinx: scripts/docs builds it."""
import importlib.util
import os
import pathlib
import re
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT / "docs" / "site"))
sys.dont_write_bytecode = True

project = "Cairn"
author = "the authors of Cairn"
version = release = re.search(r"^project\(cairn VERSION ([\d.]+)", (PROJECT / "CMakeLists.txt").read_text(encoding="utf-8"), re.M).group(1)
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "links", "plain_docstrings", "cpp_header"]
exclude_patterns = ["measurements"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # a page may skip a level of headings
highlight_language = "text"
smartquotes = False  # quotes of pages are often those of code

html_theme = "furo"
html_title = f"Cairn {release}"
html_static_path = ["site/static"]
html_css_files = ["cairn.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False

# The Python package: as it was built (CAIRN_PYTHON_PACKAGE), or its sources alone.
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "undoc-members": False}
autodoc_mock_imports = [name for name in ("mpi4py", "numpy", "scipy", "sklearn") if importlib.util.find_spec(name) is None]
sys.path.insert(0, os.environ.get("CAIRN_PYTHON_PACKAGE") or str(PROJECT / "build" / "release" / "apps" / "python"))
try:
    import cairn  # noqa: F401
except ImportError:
    for name in [name for name in sys.modules if name.partition(".")[0] == "cairn"]:
        del sys.modules[name]
    sys.path[0] = str(PROJECT / "apps" / "python")
    autodoc_mock_imports.append("cairn._cairn")
