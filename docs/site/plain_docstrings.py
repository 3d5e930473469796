"""Docstrings of plain text as autodoc takes them: code in backquotes, tables of parameters, and blocks that are indented."""
import inspect
import re

ROW = re.compile(r"^(\w[\w, ]*?)(?: {2,}|(?<=\w) (?=parameters ))(\S.*)$")


def marked(text):
    """A text with its code as literals, and nothing else of it taken for markup."""
    parts = re.split(r"`+([^`]+)`+", text)
    return "".join("``" + part + "``" if i % 2 else re.sub(r"([*|\\])", r"\\\1", re.sub(r"\b_|_\b", r"\\_", part)) for i, part in enumerate(parts))


def paragraphs(lines):
    """Runs of lines that are not empty."""
    found = [[]]
    for line in lines:
        if line.strip():
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [part for part in found if part]


def as_markup(lines):
    result = []
    for part in paragraphs(lines):
        if all(line.startswith("    ") for line in part):
            result += ["::", "", *part, ""]
        elif ROW.match(part[0]) and (len(part) == 1 or all(line.startswith(" ") or ROW.match(line) for line in part)):
            rows = []
            for line in part:
                row = ROW.match(line)
                if row:
                    rows.append([row[1], row[2]])
                else:
                    rows[-1][1] += " " + line.strip()
            for name, text in rows:
                result += [f"``{name}``", "    " + marked(text), ""]
        else:
            result += [marked(line.strip()) for line in part] + [""]
    return result


def of_session(what, name):
    """The method of the session that a function of the package calls; None: it calls none."""
    import cairn
    short = name.removeprefix("cairn.")
    return getattr(cairn.Session, short, None) if what == "function" and "." not in short else None


def docstring(app, what, name, thing, options, lines):
    method = of_session(what, name)
    lines[:] = as_markup(inspect.cleandoc(method.__doc__).split("\n") if method else lines)


def signature(app, what, name, thing, options, arguments, returned):
    """A function of the package has the arguments of the session's."""
    method = of_session(what, name)
    if method:
        given = inspect.signature(method)
        own = [value for value in given.parameters.values() if value.name != "self"]
        session = inspect.Parameter("session", inspect.Parameter.KEYWORD_ONLY, default=None)
        at = next((i for i, value in enumerate(own) if value.kind == inspect.Parameter.VAR_KEYWORD), len(own))
        return str(given.replace(parameters=[*own[:at], session, *own[at:]])), returned
    return None


def setup(app):
    app.connect("autodoc-process-docstring", docstring)
    app.connect("autodoc-process-signature", signature)
    return {"parallel_read_safe": True}
