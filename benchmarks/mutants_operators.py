"""Small faults to plant in a module: every candidate that its syntax tree offers, as a replacement of a piece of its text.

Nothing is offered where a change is not a fault of what the module computes: docstrings, annotations, strings, what follows
``raise`` and ``assert``, logging, ``__repr__``, decorators, ``if TYPE_CHECKING`` and the ``strict`` of ``zip``.
"""

import ast
import copy
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
NAMES = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "minimum": "maximum",
    "maximum": "minimum",
    "argmin": "argmax",
    "argmax": "argmin",
    "floor": "ceil",
    "ceil": "floor",
    "nanmin": "nanmax",
    "nanmax": "nanmin",
    "sum": "max",
    "mean": "max",
    "intersection": "union",
    "union": "intersection",
}
REPRESENTATIONS = {"__repr__", "__str__", "__rich__", "_repr_html_"}
LOGGING = {"debug", "info", "warning", "warn", "error", "exception", "log", "print"}


@dataclass(frozen=True)
class Mutant:
    """One planted fault."""

    key: str
    """Twelve hexadecimal digits, of the file, the line's text and the change; a moved line keeps its key."""
    path: str
    """Of the module, below ``src``."""
    line: int
    start: tuple[int, int]
    """Line (from 1) and column in bytes where the replaced text begins."""
    end: tuple[int, int]
    before: str
    after: str
    operator: str


def mutants_of(source: Path, path: str) -> list[Mutant]:
    """All candidates of a module, in the order of its text."""
    text = source.read_text(encoding="utf-8")
    lines, encoded = text.splitlines(), text.encode().splitlines(keepends=True)
    counts: Counter[str] = Counter()
    found = []
    for node, new, operator in _candidates(ast.parse(text)):
        start, end = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
        before, after = _between(encoded, start, end), _text(new)
        name = "|".join((path, lines[node.lineno - 1].strip(), before, after, operator))
        counts[name] += 1
        key = hashlib.sha256(f"{name}|{counts[name]}".encode()).hexdigest()[:12]
        found.append(Mutant(key, path, _line(node), start, end, before, after, operator))
    return sorted(found, key=lambda one: (one.line, one.start, one.after))


def _between(lines: list[bytes], start: tuple[int, int], end: tuple[int, int]) -> str:
    """The text of a node; ``ast.get_source_segment`` splits the whole module for each."""
    (first, column), (last, until) = start, end
    if first == last:
        return lines[first - 1][column:until].decode()
    return b"".join([lines[first - 1][column:], *lines[first : last - 1], lines[last - 1][:until]]).decode()


def planted(source: Path, mutant: Mutant) -> str:
    """The module's text with the fault."""
    lines = source.read_bytes().splitlines(keepends=True)
    (first, column), (last, until) = mutant.start, mutant.end
    head, tail = lines[first - 1][:column], lines[last - 1][until:]
    changed = [*lines[: first - 1], head + mutant.after.encode() + tail, *lines[last:]]
    return b"".join(changed).decode()


def _line(node: ast.expr | ast.stmt) -> int:
    """Where a reader looks for the fault: at a binary operator, not at the start of a long expression."""
    if isinstance(node, (ast.BinOp, ast.Compare)):
        right = node.right if isinstance(node, ast.BinOp) else node.comparators[0]
        return right.lineno
    return node.lineno


def _text(node: ast.expr | ast.stmt) -> str:
    text = ast.unparse(node)
    plain = isinstance(node, (ast.stmt, ast.Constant, ast.Name, ast.Attribute, ast.Call))
    return text if plain else f"({text})"


Node = TypeVar("Node", bound=ast.AST)
Change = tuple[ast.expr | ast.stmt, ast.expr | ast.stmt, str]


def _candidates(tree: ast.AST) -> Iterator[Change]:
    for child in _children(tree):
        yield from _changes(child)
        yield from _candidates(child)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """What of a node is computed when the program runs, and is not the text of a message."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_left_out(child):
                yield child


def _is_left_out(node: ast.AST) -> bool:
    if isinstance(node, (ast.Raise, ast.Assert, ast.JoinedStr, ast.Import, ast.ImportFrom)):
        return True
    if isinstance(node, ast.FunctionDef):
        return node.name in REPRESENTATIONS
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    if isinstance(node, ast.keyword):
        return node.arg in ("strict", "stacklevel", "description", "title")
    if isinstance(node, ast.Call):
        return _name(node.func) in LOGGING or _name(node.func) in ("TypeVar", "cast", "Literal")
    return isinstance(node, ast.Subscript) and _name(node.value) in ("Literal", "Annotated", "dict", "tuple", "list")


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _replaced(node: Node, **fields: Any) -> Node:
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def _changes(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.BinOp() if type(node.op) in ARITHMETIC and not (_is_text(node.left) or _is_text(node.right)):
            yield node, _replaced(node, op=ARITHMETIC[type(node.op)]()), "arithmetic"
        case ast.AugAssign() if type(node.op) in ARITHMETIC and not _is_text(node.value):
            yield node, _replaced(node, op=ARITHMETIC[type(node.op)]()), "arithmetic"
        case ast.Compare():
            for new in COMPARISONS[type(node.ops[0])]:
                yield node, _replaced(node, ops=[new(), *node.ops[1:]]), "comparison"
        case ast.BoolOp():
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield node, _replaced(node, op=other), "and, or"
        case ast.UnaryOp() if isinstance(node.op, (ast.Not, ast.USub, ast.Invert)):
            yield node, node.operand, "dropped sign or not"
        case ast.Constant():
            yield from _constants(node)
        case ast.Call(func=ast.Name() | ast.Attribute()) if _name(node.func) in NAMES:
            field = "id" if isinstance(node.func, ast.Name) else "attr"
            yield node.func, _replaced(node.func, **{field: NAMES[_name(node.func)]}), "function"
        case ast.Continue():
            yield node, ast.Break(), "statement"
        case ast.Break():
            yield node, ast.Continue(), "statement"
        case ast.Return() if node.value is not None and not _is_none(node.value):
            yield node, ast.Return(ast.Constant(None)), "returns None"
    yield from _conditions(node)


def _constants(node: ast.Constant) -> Iterator[Change]:
    value = node.value
    if isinstance(value, bool):
        yield node, ast.Constant(not value), "constant"
    elif isinstance(value, (int, float)):
        yield node, ast.Constant(value + 1), "constant"
        yield node, ast.Constant(value - 1), "constant"


def _conditions(node: ast.AST) -> Iterator[Change]:
    tests: list[ast.expr] = []
    if isinstance(node, (ast.If, ast.IfExp)):
        tests = [node.test]
    elif isinstance(node, ast.comprehension):
        tests = node.ifs
    for test in tests:
        # a single comparison or a dropped `not` is negated by the other operators
        if not isinstance(test, (ast.Compare, ast.NamedExpr)) and not _is_not(test):
            yield test, ast.UnaryOp(ast.Not(), test), "negated condition"


def _is_not(node: ast.AST) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
