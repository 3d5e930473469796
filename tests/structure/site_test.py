"""The site of the manual: it is built without a warning, its links and pictures are there, and it needs no network.

    site_test.py PROJECT
"""
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

PROJECT = pathlib.Path(sys.argv.pop()).resolve()
NOT_INSTALLED = 5  # exit code of scripts/docs


class Page(html.parser.HTMLParser):
    """What a page of HTML names, and what it leads to."""

    def __init__(self, path):
        super().__init__()
        self.names, self.links, self.loaded = set(), [], []  # ids; targets of links; files that a browser loads with the page
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.names.update(given[name] for name in ("id", "name") if given.get(name))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        for tag_, name in (("img", "src"), ("script", "src"), ("iframe", "src"), ("source", "src")):
            if tag == tag_ and given.get(name):
                self.loaded.append(given[name])
        if tag == "link" and given.get("href") and given.get("rel") in ("stylesheet", "icon", "preload", "shortcut icon"):
            self.loaded.append(given["href"])


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.html = pathlib.Path(cls.folder.name) / "html"
        done = subprocess.run([PROJECT / "scripts" / "docs", cls.folder.name], capture_output=True, text=True, check=False,
                              env={**os.environ, "CAIRN_PYTHON": sys.executable})
        if done.returncode == NOT_INSTALLED:
            print("skipped:", done.stderr.strip())
            sys.stdout.flush()
            os._exit(77)
        assert done.returncode == 0, done.stdout + done.stderr
        cls.pages = {path: Page(path) for path in cls.html.rglob("*.html")}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_has_every_page(self):
        built = {str(path.relative_to(self.html).with_suffix(".md")) for path in self.pages}
        written = {str(path.relative_to(PROJECT / "docs")) for path in (PROJECT / "docs").rglob("*.md")}
        self.assertGreater(len(written), 40)
        self.assertEqual(set(), written - built)

    def test_leads_to_files_and_headings_that_exist(self):
        wrong = []
        for path, page in self.pages.items():
            for target in page.links + page.loaded:
                parts = urllib.parse.urlsplit(target)
                if parts.scheme or parts.netloc:
                    continue
                found = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
                if not found.is_file() or (parts.fragment and found.suffix == ".html"
                                           and urllib.parse.unquote(parts.fragment) not in self.pages[found].names):
                    wrong.append(f"{path.relative_to(self.html)}: {target}")
        self.assertGreater(sum(len(page.links) for page in self.pages.values()), 1000)
        self.assertEqual([], wrong)

    def test_shows_pictures(self):
        pictures = [target for page in self.pages.values() for target in page.loaded if target.endswith((".png", ".jpg", ".svg"))]
        self.assertGreater(len(pictures), 30)
        gallery = self.pages[self.html / "gallery.html"]
        self.assertGreaterEqual(len([target for target in gallery.loaded if "_images/" in target]), 12)

    def test_loads_nothing_from_elsewhere(self):
        remote = [f"{path.name}: {target}" for path, page in self.pages.items() for target in page.loaded
                  if re.match(r"(?:https?:)?//", target)]
        for path in self.html.rglob("*.css"):
            remote += [f"{path.name}: {target}" for target in re.findall(r"(?:url\(|@import )[\"']?((?:https?:)?//[^\"')]+)", path.read_text())]
        self.assertEqual([], remote)

    def test_is_searched(self):
        text = (self.html / "searchindex.js").read_text(encoding="utf-8")
        index = json.loads(re.fullmatch(r"Search\.setIndex\((.*)\)", text, re.S)[1])
        self.assertIn("Gallery", index["titles"])
        for word, page in (("landmark", "tutorials/03-landmarks"), ("checkpoint", "cluster"), ("biharmon", "method-biharmonic")):  # words as the stemmer of English leaves them
            numbers = []  # of pages; the index has one by itself, and several as a list
            for terms in (index["terms"], index["titleterms"]):
                found = terms.get(word, [])
                numbers += found if isinstance(found, list) else [found]
            self.assertIn(page, [index["docnames"][number] for number in numbers])

    def test_describes_what_the_package_makes_public(self):
        page = self.pages[self.html / "api-python.html"]
        text = (self.html / "api-python.html").read_text(encoding="utf-8")
        for source, prefix in (("__init__", "cairn."), ("sklearn", "cairn.sklearn.")):
            code = (PROJECT / "apps" / "python" / "cairn" / f"{source}.py").read_text(encoding="utf-8")
            names = re.findall(r'"(\w+)"', re.search(r"__all__ = \[(.*?)\]", code, re.S)[1])
            self.assertGreater(len(names), 2)
            for name in names:
                self.assertTrue(prefix + name in page.names or f">{prefix}{name}<" in text, f"docs/api-python.md lacks {prefix}{name}")

    def test_describes_what_the_headers_declare(self):
        page = self.pages[self.html / "api-cpp.html"]
        for name in ("session", "read-points", "similarity", "approximate", "probe-error", "extend", "run-task", "plan", "error"):
            self.assertIn("cpp-" + name, page.names)


if __name__ == "__main__":
    unittest.main()
