"""Links of pages that lead out of docs, where a code host shows what a site does not hold."""
import pathlib
import posixpath
import re

# Files of the project that are pages of the site.
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "project/contributing.md", "CHANGELOG.md": "project/changelog.md",
         "configs/README.md": "project/configs.md"}
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([\w./-]+)(#[^)\s]*)?\)")


def inside(text, page, docs):
    """The text of a page in docs. A link to a page of the site leads there, and has its title for words where these are the name of the
    file; one to a folder becomes its words. Other files stay links, and are copied."""
    def link(match):
        words, target, anchor = match[1], match[2], match[3] or ""
        found = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), target))
        if (docs.parent / found).is_dir():
            return words
        if found in PAGES:
            target = posixpath.relpath(PAGES[found], posixpath.dirname(page) or ".")
        elif not found.endswith(".md"):
            return match[0]
        if words.strip("`") in (match[2], posixpath.basename(match[2])):
            words = ""
        return f"[{words}]({target}{anchor})"
    parts = re.split(r"(^```.*?^```)", text, flags=re.M | re.S)  # every second one is code
    return "".join(part if i % 2 else LINK.sub(link, part) for i, part in enumerate(parts))


def read(app, page, source):
    source[0] = inside(source[0], page, pathlib.Path(app.srcdir))


def setup(app):
    app.connect("source-read", read)
    return {"parallel_read_safe": True}
