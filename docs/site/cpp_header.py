"""The directive cpp-header: what a header of src declares, with its comments.

    ```{cpp-header} cairn/run/session.hpp
    :names: Session SessionOptions
    ```

names: only these, in the order of the header. A function is shown with its comment as text; a type with its body.
"""
import pathlib
import re

from docutils import nodes
from docutils.parsers.rst import Directive, directives

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "src"
NAME = re.compile(r"\b(?:struct|class|enum class|using|inline constexpr \w+)\s+(?:\[\[\w+\]\]\s*)?(\w+)")
FUNCTION = re.compile(r"\b(\w+)\s*\(")


def declaration(text):
    """A declaration without the body of a function, and without what a type keeps to itself."""
    text = re.sub(r"///<? ?", "// ", text)
    attribute = "[[nodiscard]] "
    while attribute in text:  # lines that go on stay below its first argument
        before, _, after = text.partition(attribute)
        text = before + re.sub(r"\n {%d}( +)" % len(attribute), r"\n\1", after[:after.find(";") + 1]) + after[after.find(";") + 1:]
    text = re.sub(r"\n+ private:.*?(?=\n\};)", "", text, flags=re.S)
    if re.search(r"^(?:template [^\n]*\n)?(?:struct|class|enum class) \w+[^;(]*\{", text):
        return re.sub(r"\n( +)(?!using)([^\n{}]*?\)(?: const)?(?: override)?)(?:\n? *: [^{]*)? \{(?:[^{}]|\{[^{}]*\})*\}", r"\n\1\2;", text)
    return re.sub(r"\) \{\n.*", ");", text, flags=re.S)


def items(header):
    """(name, comment, declaration) of what a header declares in the namespace cairn."""
    text = (SOURCES / header).read_text(encoding="utf-8")
    body = text[text.index("namespace cairn {\n") + len("namespace cairn {\n"):text.rindex("}  // namespace cairn")]
    found, comment, lines, depth = [], [], [], 0
    for line in body.split("\n"):
        if not lines and line.startswith("///"):
            comment.append(line[3:].strip())
            continue
        if not lines and (not line.strip() or line.startswith("//")):
            continue
        lines.append(line)
        code = re.sub(r"//.*|\"(?:[^\"\\]|\\.)*\"", "", line)
        depth += sum(code.count(c) for c in "({") - sum(code.count(c) for c in ")}")
        if depth == 0 and re.search(r"[;}]$", code.rstrip()):
            shown = "\n".join(lines)
            plain = re.sub(r"^template <.*>\s*$|^requires .*$", "", shown, flags=re.M)
            name = NAME.search(plain.split("(")[0]) or FUNCTION.search(plain)
            if name and not re.fullmatch(r"(?:class|struct) \w+;", shown.strip()):
                found.append((name[1], " ".join(comment), declaration(shown)))
            comment, lines = [], []
    return found


def text_nodes(comment):
    """A comment as paragraphs: its text, then what follows each of @param, @throws and @return."""
    parts = re.split(r"@(param \w+|throws|return)\s+", comment)
    found = [nodes.paragraph("", parts[0].strip())] if parts[0].strip() else []
    listed = nodes.bullet_list()
    for word, text in zip(parts[1::2], parts[2::2]):
        item = nodes.paragraph()
        kind, _, name = word.partition(" ")
        item += nodes.literal("", name) if name else nodes.Text("Throws" if kind == "throws" else "Returns")
        item += nodes.Text((": " if name else " ") + text.strip())
        listed += nodes.list_item("", item)
    return found + ([listed] if len(listed) else [])


class CppHeader(Directive):
    required_arguments = 1
    option_spec = {"names": directives.unchanged}

    def run(self):
        header = self.arguments[0]
        wanted = self.options.get("names", "").split()
        self.state.document.settings.env.note_dependency(str(SOURCES / header))
        declared = items(header)
        missing = set(wanted) - {name for name, _, _ in declared}
        if missing:
            raise self.error(f"{header} declares no {', '.join(sorted(missing))}")
        found, known = [], set()
        for name, comment, shown in declared:
            if wanted and name not in wanted:
                continue
            block = nodes.container(classes=["declaration"])
            if name not in known:
                known.add(name)
                block["ids"] = ["cpp-" + nodes.make_id(name)]
            block += nodes.literal_block(shown, shown, language="cpp")
            block += text_nodes(comment)
            found.append(block)
        return found


def setup(app):
    app.add_directive("cpp-header", CppHeader)
    return {"parallel_read_safe": True}
