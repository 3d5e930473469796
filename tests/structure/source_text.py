"""String literals of C++ sources, with their lines and the code before them."""

import re

# In the order in which they are tried: what is skipped, then literals.
TOKEN = re.compile(r'''
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<raw>R"(?P<mark>[^()\s\\]*)\((?P<inner>.*?)\)(?P=mark)")
  | "(?P<text>(?:[^"\\\n]|\\.)*)"
  | (?P<character>(?<![0-9A-Za-z_])'(?:[^'\\\n]|\\.)+')
  | (?P<include>^[ \t]*\#[ \t]*include[^\n]*)
''', re.VERBOSE | re.DOTALL | re.MULTILINE)


class Literal:
    """A literal, adjacent ones joined; `before` is the code that it follows, without comments."""

    def __init__(self, text, line, before):
        self.text, self.line, self.before = text, line, before


def literals(source):
    """The string literals of a source, in their order."""
    found, code, at = [], "", 0
    for token in TOKEN.finditer(source):
        code += source[at:token.start()]
        at = token.end()
        text = token["inner"] if token["raw"] else token["text"]
        if text is None:
            continue
        if found and not code.strip():
            found[-1].text += text
        else:
            found.append(Literal(text, source.count("\n", 0, token.start()) + 1, code))
            code = ""
    return found


def sources(folder):
    """The C++ files below a folder."""
    return sorted(path for path in folder.rglob("*.[ch]pp"))


# What a text or a comment holds is no code.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|(?<![0-9A-Za-z_])\'(?:[^\'\\\n]|\\.)+\'', re.DOTALL)
NAMESPACE = re.compile(r"(?:inline\s+)?namespace\s*([\w:]*)$")
TYPE = re.compile(r"\b(?:class|struct|union|enum(?:\s+class)?)\s+(?:\[\[\w+\]\]\s*)?(\w+)\s*(?:final\s*)?(?::(?!:).*)?$", re.DOTALL)


def types(source):
    """The types that a source defines in named namespaces, by their full names; not specializations."""
    code = NO_CODE.sub("0", source)
    found, scopes, start = [], [], 0
    for mark in re.finditer("[{};]", code):
        head = re.sub(r"^(?:\s*#[^\n]*\n)+", "", code[start:mark.start()]).strip()
        start = mark.end()
        if mark.group() == "{":
            space = NAMESPACE.search(head)
            named = all(scopes)
            if not space and named and (name := TYPE.search(head)) and "template <>" not in head:
                found.append("::".join([*scopes, name.group(1)]))
            scopes.append(space.group(1) if space else "")
        elif mark.group() == "}" and scopes:
            scopes.pop()
    return found
