"""Functions, classes and records of Python as Markdown, from their signatures and docstrings. For ``docs/generate.py``."""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

SECTION = re.compile(r"^(Args|Returns|Raises|Yields|Attributes):$")
ENTRY = re.compile(r"^(\*{0,2}[\w., |\[\]]+?):\s+(.*)$")


def described(path: Path) -> str:
    """The docstring of a module, with code in Markdown's marks."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return _marked(text.split("\n>>>")[0]).strip()


def function(name: str, found: Any, *, level: int = 3) -> str:
    """A section on a function or method."""
    return "\n".join([f"{'#' * level} `{name}`\n", signature(name, found), "", prose(inspect.getdoc(found) or ""), ""])


def signature(name: str, found: Any) -> str:
    """How it is called, as its source has it; one argument a line where it is long."""
    node = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(found)))).body[0]
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    given = [one for one in _arguments(node.args) if one not in ("self", "cls")]
    back = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    short = f"{name.split('.')[-1]}({', '.join(given)}){back}".replace('"', "")
    if len(short) > 100:
        short = "\n".join([f"{name.split('.')[-1]}(", *(f"    {one}," for one in given), f"){back}"]).replace('"', "")
    return f"```py\n{short}\n```"


def _arguments(given: ast.arguments) -> Iterator[str]:
    plain = [*given.posonlyargs, *given.args]
    defaults = [*[None] * (len(plain) - len(given.defaults)), *given.defaults]
    yield from map(_argument, plain, defaults)
    if given.vararg or given.kwonlyargs:
        yield f"*{ast.unparse(given.vararg) if given.vararg else ''}"
    yield from map(_argument, given.kwonlyargs, given.kw_defaults)
    if given.kwarg:
        yield f"**{ast.unparse(given.kwarg)}"


def _argument(one: ast.arg, default: ast.expr | None) -> str:
    return ast.unparse(one) + ("" if default is None else f" = {ast.unparse(default)}")


def classes(name: str, found: type, *, with_methods: bool = True) -> str:
    """A section on a class: what it is, its fields and its methods."""
    parts = [f"### `{name}`\n", prose(inspect.getdoc(found) or ""), ""]
    rows = list(fields(found))
    if rows:
        parts += ["| field | type | meaning |", "|---|---|---|", *rows, ""]
    if with_methods:
        parts += [function(f"{name}.{key}", method, level=4) for key, method in methods(found)]
    return "\n".join(parts)


def fields(found: type) -> Iterator[str]:
    """A row for each field: of a record, or an attribute with a text below it."""
    for owner in [one for one in reversed(found.__mro__) if one.__module__.startswith("trialogue")]:
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(owner))).body[0]
        except (OSError, TypeError):
            continue
        body = getattr(tree, "body", [])
        for node, below in zip(body, [*body[1:], None], strict=True):
            if (
                isinstance(node, ast.AnnAssign)
                and isinstance(node.target, ast.Name)
                and not node.target.id.startswith("_")
            ):
                text = below.value.value if _is_text(below) else ""  # type: ignore[union-attr]
                kind = ast.unparse(node.annotation)
                if "ClassVar" not in kind and node.target.id != "model_config":
                    yield f"| `{node.target.id}` | `{_cell(kind)}` | {_cell(_marked(' '.join(str(text).split())))} |"


def _is_text(node: Any) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def methods(found: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties that it, or a base of ours, defines and documents."""
    for key in sorted(dir(found)):
        owner = next((one for one in found.__mro__ if key in one.__dict__), None)
        if key.startswith("_") or owner is None or not owner.__module__.startswith("trialogue"):
            continue
        given = owner.__dict__[key]
        inner = getattr(given, "fget", None) or getattr(given, "func", None) or getattr(given, "__func__", given)
        if inspect.isfunction(inner) and inspect.getdoc(inner):
            yield key, inner


def module(found: ModuleType) -> str:
    """A section on everything public that a module holds or hands on."""
    names = getattr(found, "__all__", None) or [key for key, one in vars(found).items() if _is_own(one, found, key)]
    parts = [f"## `{found.__name__}`\n", prose(inspect.getdoc(found) or ""), ""]
    for key in sorted(names):
        one = getattr(found, key)
        if inspect.isclass(one):
            parts.append(classes(key, one))
        elif inspect.isfunction(inspect.unwrap(one)):
            parts.append(function(key, one))
    return "\n".join(parts)


def _is_own(one: Any, found: ModuleType, key: str) -> bool:
    return not key.startswith("_") and getattr(one, "__module__", "") == found.__name__ and callable(one)


def prose(text: str) -> str:
    """A docstring as Markdown: Google's sections as lists, examples as blocks."""
    lines: list[str] = []
    inside = example = False
    for line in text.splitlines():
        bare = line.strip()
        if bare.startswith(">>>") and not example:
            lines += ["", "```text"]
            example = True
        elif example and not bare:
            lines.append("```")
            example = False
        if not example and SECTION.match(bare):
            inside = True
            lines += ["", f"**{bare[:-1]}**", ""]
        elif inside and not example and (entry := ENTRY.match(bare)) and len(line) - len(line.lstrip()) <= 4:
            lines.append(f"- `{entry[1]}`: {_marked(entry[2])}")
        elif inside and not example:
            inside = bool(not bare or line.startswith(" "))
            lines.append(f"  {_marked(bare)}" if bare and line.startswith(" ") else _marked(bare))
        else:
            lines.append(line if example else _marked(line.rstrip()))
    return re.sub(r"\n{3,}", "\n\n", "\n".join([*lines, "```"] if example else lines)).strip()


def _marked(text: str) -> str:
    return re.sub(r":(?:class|func|mod|meth|attr):`~?([^`]+)`", r"`\1`", text).replace("``", "`")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
