"""The manual: all pages are listed, links lead somewhere, and messages that are quoted are those of the program.

    pages_test.py PROJECT
"""
import pathlib
import re
import sys
import unittest

PROJECT = pathlib.Path(sys.argv.pop()).resolve()
DOCS = PROJECT / "docs"
PAGES = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", PROJECT / "configs" / "README.md", *sorted(DOCS.rglob("*.md"))]


def anchors(page):
    """As GitHub makes them of headings."""
    text = page.read_text(encoding="utf-8")
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"^#+ (.*)$", text, re.M)}


class Pages(unittest.TestCase):
    def test_are_listed_in_the_manual(self):
        listed = set(re.findall(r"\]\(([\w-]+\.md)\)", (DOCS / "README.md").read_text(encoding="utf-8")))
        self.assertEqual({page.name for page in DOCS.glob("*.md")} - {"README.md"}, listed)

    def test_link_to_files_and_headings_that_exist(self):
        for page in PAGES:
            text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, anchor = target.partition("#")
                path = (page.parent / name) if name else page
                with self.subTest(page=page.name, target=target):
                    self.assertTrue(path.exists())
                    if anchor and path.suffix == ".md":
                        self.assertIn(anchor, anchors(path))

    def test_quote_messages_as_the_program_has_them(self):
        source = "".join(path.read_text(encoding="utf-8") for folder in ("src", "apps") for path in (PROJECT / folder).rglob("*.cpp"))
        source = re.sub(r'"\s*\n?\s*"', "", source)  # literals that are cut over lines
        not_ours = ("mpirun has detected an attempt to run as root", "not enough slots")
        for line in (DOCS / "troubleshooting.md").read_text(encoding="utf-8").splitlines():
            for quoted in re.findall(r'"([^"]+)"', line):
                if quoted in not_ours:
                    continue
                for part in filter(None, (part.strip() for part in quoted.split("..."))):
                    with self.subTest(message=part):
                        self.assertTrue(part in source, f"no message of the program says: {part}")


if __name__ == "__main__":
    unittest.main()
