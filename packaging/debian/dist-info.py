"""Writes the metadata of the Python package, by which pip and importlib.metadata know it: dist-info.py PYPROJECT FOLDER"""
import pathlib
import sys
import tomllib

project = tomllib.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))["project"]
folder = pathlib.Path(sys.argv[2]) / f"{project['name']}-{project['version']}.dist-info"
folder.mkdir(parents=True, exist_ok=True)
lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}", f"Summary: {project['description']}",
         f"Requires-Python: {project['requires-python']}"]
lines += [f"Requires-Dist: {name}" for name in project["dependencies"]]
for extra, names in project["optional-dependencies"].items():
    lines.append(f"Provides-Extra: {extra}")
    lines += [f"Requires-Dist: {name}; extra == '{extra}'" for name in names]
(folder / "METADATA").write_text("\n".join(lines) + "\n", encoding="utf-8")
(folder / "INSTALLER").write_text("debian\n", encoding="utf-8")
