"""The messages of Trialogue, read from the syntax trees of its source. For ``docs/troubleshooting.py``.

A message is what an exception, a problem of a file, a threat or a log line is made with. Its text is followed through local
names, parameters, helper functions and constants; what is only known when it is printed is a placeholder, ``‹in words›``.
"""

import ast
import itertools
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "trialogue"
TEXTS = {
    "Problem": ("what", "hint"),
    "Unread": ("what", "hint"),
    "Mistake": ("what", "hint"),
    "ThreatText": ("sentence",),
}
TEXTS |= {"wrong": ("what", "hint"), "mend": ("what", "hint")}
"""Records and methods that hold messages, and the fields that are printed one after another."""
FIELDS = {"Problem": ("what", "file", "line", "field", "hint"), "Mistake": ("place", "what", "hint")}
FIELDS |= {
    "wrong": ("what", "field"),
    "mend": ("what", "field"),
    "Unread": FIELDS["Problem"],
    "ThreatText": ("title", "detected", "effect", "sentence"),
}
BUGS = {
    "AssertionError",
    "AttributeError",
    "ImproperlyConfigured",
    "IndexError",
    "KeyError",
    "RuntimeError",
    "StopUpload",
}
"""Exceptions that no user is to see."""
BUILTIN = {"ValueError", "OSError", "LookupError", "TypeError"}
UNPRINTED = (
    *(
        "trialogue.render",
        "reproduce",
        "pages",
        "staff",
        "prompt",
        "nlu",
        "people_style",
        "users.population",
        "methods",
        "cli.shared.parameters",
    ),
    "findings.decision",
    "findings.alignment",
)
"""Modules whose sentences are results, or for a page or a language model."""
SAYING = (".commands", ".labelling", "subjects.planning")
"""Modules of subjects whose sentences are for those who run them; sentences of the others are results."""
SENTENCE = re.compile(r"([A-Z‹⟦].*[a-z]{2} .*[a-z]{2} .*\.$|.*[a-z]{2} .*[a-z]{2}.*[.?] [A-Z])", re.DOTALL)
MOST = 64  # readings of one text
DEEPEST = 7  # steps that a text is followed
VAGUE = {"each", "one", "self", "found", "own", "it", "first", "other", "given", "wrong", "this", "whole"}
SAME = {
    "str",
    "repr",
    "sorted",
    "list_names",
    "join",
    "set",
    "tuple",
    "list",
    "float",
    "int",
    "dict",
    "max",
    "min",
    "plain",
}
VALUES = {
    "kind_of",
    "list_names",
    "plural",
    "_plural",
    "shorten",
    "_shorten",
    "id_list",
    "_names",
    "words",
    "_gates",
    "_share",
}
"""Functions that put a value into words."""
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Node = ast.AST


def is_printed(module: str) -> bool:
    """Whether sentences that a module's functions return are printed beside results."""
    of_subject = ".subjects." in module and not any(part in module for part in SAYING)
    return not of_subject and not any(part in module for part in UNPRINTED)


@dataclass(frozen=True, order=True)
class Message:
    """One message, with placeholders, and where it is made."""

    text: str
    source: str
    """Module and function, such as ``datasets.base:get_format``."""

    def is_in(self, text: str) -> bool:
        """Whether a text holds all that is always printed of the message, in order."""
        place = 0
        for part in re.split(r"‹.*?›", self.always):
            place = text.find(part.strip(), place)
            if place < 0:
                return False
        return True

    @cached_property
    def always(self) -> str:
        """The text without its groups."""
        text = self.text
        while (done := GROUP.sub("‹›", text)) != text:
            text = done
        return text

    @cached_property
    def shown(self) -> str:
        """The text as the page shows it: ``[…]`` is not always printed, ``(… | …)`` is printed in one of its forms."""
        text = self.text
        while (done := GROUP.sub(_shown_group, text)) != text:
            text = done
        return re.sub(r"\s+", " ", text).strip()

    @cached_property
    def fixed(self) -> list[str]:
        """The parts that never change, the longest first."""
        return sorted((part.strip() for part in re.split(r"‹.*?›|[⟦⟧¦]", self.text)), key=len, reverse=True)


GROUP = re.compile(r"⟦([^⟦⟧]*)⟧")


def _shown_group(group: re.Match[str]) -> str:
    forms = group[1].split("¦")
    filled = [form for form in forms if form]
    inside = filled[0] if len(filled) == 1 else f"({' | '.join(form.strip() for form in filled)})"
    space = " " * any(form.startswith(" ") for form in filled)
    return f"{space}[{inside.strip()}]" if "" in forms else inside


@dataclass
class Module:
    """A module of the source: what is defined and imported in it, and the parent of every node."""

    name: str
    tree: ast.Module
    nodes: list[Node] = field(default_factory=list)
    """All nodes, breadth first."""
    parents: dict[Node, Node] = field(default_factory=dict)
    names: dict[str, Node] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.nodes.append(self.tree)
        for node in self.nodes:
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
                self.nodes.append(child)
            if isinstance(node, ast.ImportFrom) and node.module:
                self.imports |= {one.asname or one.name: (node.module, one.name) for one in node.names}
        for statement in self.tree.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self.names[statement.name] = statement
            for target, value in bindings(statement):
                if isinstance(target, ast.Name):
                    self.names[target.id] = value

    def above(self, node: Node, kinds: type | tuple[type, ...]) -> Iterator[Node]:
        """The nodes of these kinds that a node is in, the innermost first."""
        while (node := self.parents.get(node)) is not None:  # type: ignore[assignment]
            if isinstance(node, kinds):
                yield node

    def place(self, node: Node) -> str:
        inside = [one.name for one in self.above(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))]  # type: ignore[attr-defined]
        return f"{self.name.removeprefix('trialogue.')}:{'.'.join(reversed(inside))}".rstrip(":")


def bindings(node: Node) -> Iterator[tuple[ast.expr, ast.expr]]:
    """(target, value) of an assignment."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                yield from zip(target.elts, node.value.elts, strict=False)
            else:
                yield target, node.value
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
        yield node.target, node.value


def words_of(node: Node) -> str:
    """What a value is, in plain words, from the expression that gives it."""
    match node:
        case ast.Name(id=name):
            return "value" if name in VAGUE else name.strip("_").lower().replace("_", " ")
        case ast.Attribute(value=base, attr=attr):
            own, attr = words_of(base), attr.strip("_").replace("_", " ")
            return f"{own} {attr}" if attr in ("name", "id", "value", "kind", "text") and own != "value" else attr
        case ast.Call(func=ast.Name(id="len"), args=[inside]):
            return f"number of {words_of(inside)}"
        case ast.Call(func=ast.Name(id="kind_of" | "type"), args=[inside]):
            return f"type of {words_of(inside)}"
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[inside, *_]) if name in SAME:
            return words_of(inside)
        case ast.Call(
            func=ast.Attribute(value=base, attr="total" | "get" | "strip" | "lower" | "pop" | "items" | "keys")
        ):
            return words_of(base)
        case ast.Call(func=func):
            return words_of(func)
        case ast.Subscript(value=base) | ast.Starred(value=base):
            return words_of(base)
        case ast.GeneratorExp(elt=elt, generators=[first, *_]) | ast.ListComp(elt=elt, generators=[first, *_]):
            inside = words_of(elt)
            return words_of(first.iter) if inside == "value" else inside
        case ast.JoinedStr(values=parts):
            held = [words_of(part.value) for part in parts if isinstance(part, ast.FormattedValue)]
            return " ".join(dict.fromkeys(held)) or "value"
        case ast.BinOp(left=left) | ast.BoolOp(values=[left, *_]) | ast.IfExp(body=left):
            return words_of(left)
    return "value"


class Source:
    """All modules, and the messages in them."""

    def __init__(self, root: Path = SOURCE) -> None:
        self.modules: dict[str, Module] = {}
        for path in sorted(root.rglob("*.py")):
            name = ".".join(("trialogue", *path.relative_to(root).with_suffix("").parts)).removesuffix(".__init__")
            self.modules[name] = Module(name, ast.parse(path.read_text(encoding="utf-8")))
        self.calls: dict[str, list[tuple[Module, ast.Call]]] = defaultdict(list)
        self.methods: dict[str, list[tuple[Module, Function]]] = defaultdict(list)
        self.exceptions: dict[str, tuple[Module, ast.ClassDef]] = {}
        classes = []
        for module in self.modules.values():
            for node in module.nodes:
                if isinstance(node, ast.Call):
                    self.calls[called(node)].append((module, node))
                elif isinstance(node, ast.ClassDef):
                    classes.append((module, node))
                    for one in node.body:
                        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
                            self.methods[one.name].append((module, one))
        known = {"Exception", *BUILTIN}
        for _ in range(4):
            for module, node in classes:
                if any(called(ast.Call(base, [], [])) in known for base in node.bases):
                    known.add(node.name)
                    self.exceptions[node.name] = (module, node)

    def messages(self) -> list[Message]:
        """All messages, each text of a place once."""
        found = set()
        for self.is_many in (False, True):
            made = ((module, call, text) for module, call in self.all_calls() for text in self.texts_of(module, call))
            for module, node, text in itertools.chain(made, self.notes(), self.checks()):
                text = re.sub(r"\s+", " ", text).strip()
                if len(re.findall(r"[^\W\d_]{2,}", re.sub(r"‹.*?›", " ", text))) >= 2:
                    found.add(Message(text, module.place(node)))
        for kept in (nodes_of, given_back, added_to, values_by_name):
            kept.cache_clear()  # or all trees would stay, which the tests' process goes through again and again
        return sorted(found)

    def all_calls(self) -> Iterator[tuple[Module, ast.Call]]:
        return itertools.chain(*self.calls.values())

    def notes(self) -> Iterator[tuple[Module, Node, str]]:
        """Sentences that functions return: what is printed beside results."""
        for module in self.modules.values():
            if is_printed(module.name):
                for function in (one for one in module.nodes if isinstance(one, ast.FunctionDef)):
                    for back in given_back(function, yields=True):
                        value = back.value if isinstance(back, ast.Yield) and back.value else back
                        for home, node in ((module, value), *self.elements(module, value, (-1,), 3)):
                            texts = [] if isinstance(node, ast.Name | ast.Call) else self.read(home, node)
                            yield from ((home, node, text) for text in texts if SENTENCE.match(text.strip()))

    def checks(self) -> Iterator[tuple[Module, Node, str]]:
        """What the commands yield about options that do not go together."""
        for module in self.modules.values():
            for name, function in module.names.items() if ".cli." in module.name else ():
                for node in nodes_of(function) if name.startswith("_check") else ():
                    if isinstance(node, ast.Yield) and node.value is not None:
                        yield from ((module, node, text) for text in self.read(module, node.value))

    def texts_of(self, module: Module, call: ast.Call) -> list[str]:
        """The texts that a call makes; none where it makes no message."""
        name = called(call)
        if name in TEXTS and next((one.name for one in module.above(call, ast.FunctionDef)), "") not in TEXTS:  # type: ignore[attr-defined]
            given = dict(zip(FIELDS[name], call.args, strict=False)) | {
                one.arg or "": one.value for one in call.keywords
            }
            parts = [self.read(module, given[one]) for one in TEXTS[name] if one in given]
            if name == "mend":  # which ends the sentence itself
                parts[0] = [f"{text}." for text in parts[0]]
            return [" ".join(filter(None, one)) for one in itertools.islice(itertools.product(*parts), MOST)]
        if name in self.exceptions and name not in BUGS:
            return self.exception(module, call, *self.exceptions[name])
        if name in BUILTIN and isinstance(module.parents.get(call), ast.Raise) and call.args:
            return self.read(module, call.args[-1])
        if name in ("warning", "error") and isinstance(call.func, ast.Attribute) and call.args:
            texts = self.read(module, call.args[0])
            return (
                [re.sub(r"%[sdr]", "‹value›", text) for text in texts] if "log" in ast.unparse(call.func.value) else []
            )
        if name == "why_unused":  # options of which nothing would be used
            what, hints = self.read(module, call.args[0]), self.read(module, call.args[2]) if call.args[2:] else [""]
            return [f"{one} does not use ‹options›; omit it. {hint}" for one in what for hint in hints]
        if name == "echo" and any(one.arg == "err" for one in call.keywords):
            return self.read(module, call.args[0])
        return []

    def exception(
        self, module: Module, call: ast.Call, home: Module, node: ast.ClassDef, outer: "Bound | None" = None
    ) -> list[str]:
        """The texts of an exception: what its ``__init__`` makes of the arguments, else the first argument."""
        init = next((one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
        if init is None:
            base = next((one.id for one in node.bases if isinstance(one, ast.Name) and one.id in self.exceptions), None)
            if base:
                return self.exception(module, call, *self.exceptions[base], outer)
            return self.read(module, call.args[0], outer) if call.args else []
        if node.name == "DataError":  # its problems are messages themselves
            return [text for one in call.keywords if one.arg == "hint" for text in self.read(module, one.value)]
        for made in nodes_of(init):
            if isinstance(made, ast.Call) and called(made) == "__init__" and made.args:
                bound = arguments(init, call, module, outer)
                bases = [
                    self.exceptions[one.id]
                    for one in node.bases
                    if isinstance(one, ast.Name) and one.id in self.exceptions
                ]
                if len(made.args) > 1 and bases:
                    return self.exception(home, made, *bases[0], bound)
                return self.read(home, made.args[0], bound)
        return []

    def read(self, module: Module, node: Node, bound: "Bound | None" = None, depth: int = 0) -> list[str]:
        """The texts that an expression may give, with placeholders."""
        bound = bound or {}
        if depth > DEEPEST:
            return [f"‹{words_of(node)}›"]

        def again(inside: Node) -> list[str]:
            return self.read(module, inside, bound, depth + 1)

        def joined(parts: list[list[str]]) -> list[str]:
            return ["".join(one) for one in itertools.islice(itertools.product(*parts), MOST)]

        match node:
            case ast.Constant(value=value):
                return [value if isinstance(value, str) else "" if value is None else str(value)]
            case ast.JoinedStr(values=parts):
                return joined([grouped(again(part)) for part in parts])
            case ast.FormattedValue(value=value, format_spec=spec):
                return again(value) if spec is None else [f"‹{words_of(value)}›"]
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return joined([again(left), again(right)])
            case ast.BinOp(left=left, op=ast.Mod()):
                return [re.sub(r"%[sdr]", "‹value›", text) for text in again(left)]
            case ast.IfExp(test=test, body=body, orelse=orelse):
                given = again(test) if isinstance(test, ast.Name) else ["‹›"]
                if not any(given):
                    return again(orelse)
                if all(given) and "‹" not in given[0]:
                    return again(body)
                forms = [*again(body), *again(orelse)]
                if len(forms) == 2 and all(re.fullmatch(r"[\w',]*", text.strip()) for text in forms):
                    return forms[:1] if self.is_many == is_of_many(test) else forms[1:]
                return list(dict.fromkeys(forms))[:MOST]
            case ast.BoolOp(values=values):
                return list(dict.fromkeys(text for one in values for text in again(one)))[:MOST]
            case ast.NamedExpr(value=value) | ast.Starred(value=value):
                return again(value)
            case ast.Name(id=name):
                return self.read_name(module, node, name, bound, depth)
            case ast.Subscript(value=ast.Name(id=name)) if name != name.lower() or name in module.names:
                home, held = self.resolve(module, name)
                if isinstance(held, ast.Dict):
                    return [text for one in held.values for text in self.read(home, one, {}, depth + 1)][:MOST]
            case ast.Lambda(body=body):
                return again(body)
            case ast.Attribute(value=ast.Name(id="self"), attr=attr):
                texts = [
                    text
                    for owner in module.above(node, ast.ClassDef)
                    for one in nodes_of(owner)
                    for target, value in bindings(one)
                    if ast.unparse(target) in (attr, f"self.{attr}")
                    and is_text(value)
                    and not isinstance(value, ast.Name)
                    for text in self.read(module, value, bound, depth + 3)
                ]
                if texts:
                    return list(dict.fromkeys(texts))[:MOST]
            case ast.Attribute(attr=attr):
                texts = [
                    text for one in self.given_fields(module, attr) for text in self.read(module, one, {}, depth + 3)
                ]
                return list(dict.fromkeys(texts))[:MOST] or [f"‹{words_of(node)}›"]
            case ast.Call():
                return self.read_call(module, node, bound, depth)
        return [f"‹{words_of(node)}›"]

    def given_fields(self, module: Module, name: str) -> Iterator[Node]:
        """The texts that a module gives for a field of its own records."""
        for kind in (one for one in module.tree.body if isinstance(one, ast.ClassDef)):
            fields = [
                one.target.id
                for one in kind.body
                if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
            ]
            for _, call in (one for one in self.calls[kind.name] if one[0] is module and name in fields):
                given = dict(zip(fields, call.args, strict=False)) | {one.arg: one.value for one in call.keywords}
                if is_text(given.get(name)):
                    yield given[name]

    def read_call(self, module: Module, call: ast.Call, bound: "Bound", depth: int) -> list[str]:
        name = called(call)
        if isinstance(call.func, ast.Attribute) and name in ("strip", "rstrip", "removesuffix", "capitalize", "format"):
            texts = self.read(module, call.func.value, bound, depth + 1)
            return [re.sub(r"\{(\w*).*?\}", lambda m: f"‹{m[1] or 'value'}›", text) for text in texts]
        if name == "join" and call.args and isinstance(call.args[0], ast.List | ast.Tuple):
            between = self.read(module, call.func.value, bound)[0]  # type: ignore[attr-defined]
            parts = [self.read(module, one, bound, depth + 1) for one in call.args[0].elts]
            return [between.join(one) for one in itertools.islice(itertools.product(*parts), MOST)]
        if name == "join" and call.args:
            members = self.elements(module, call.args[0], (-1,), depth)
            texts = [text for home, one in members for text in self.read(home, one, bound, depth + 1)]
            if any(len(re.findall(r"[a-z]{2,}", re.sub(r"‹.*?›", "", text))) > 3 for text in texts):
                return list(dict.fromkeys(texts))[:MOST]
        if name in ("str", "dedent") and call.args:
            return self.read(module, call.args[0], bound, depth + 1)
        for home, function in self.functions(module, call) if name not in VALUES else ():
            inside = arguments(function, call, module, bound)
            texts = [text for one in given_back(function) for text in self.read(home, one, inside, depth + 1)]
            if any(" " in re.sub(r"‹.*?›", "", text).strip() for text in texts) and not (depth and len(texts) > 8):
                return list(dict.fromkeys(texts))[:MOST]
        return [f"‹{words_of(call)}›"]

    def functions(self, module: Module, call: ast.Call) -> Iterator[tuple[Module, Function]]:
        """The functions of ours that a call may call."""
        if isinstance(call.func, ast.Name):
            home, node = self.resolve(module, call.func.id)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                yield home, node
        elif isinstance(call.func, ast.Attribute):
            yield from (one for one in self.methods[call.func.attr] if one[0] is module)

    def resolve(self, module: Module, name: str) -> tuple[Module, Node | None]:
        """What a name of a module is, through imports."""
        for _ in range(6):
            if name in module.names or name not in module.imports:
                return module, module.names.get(name)
            home, name = module.imports[name]
            if home not in self.modules:
                return module, None
            module = self.modules[home]
        return module, None

    def read_name(self, module: Module, node: Node, name: str, bound: "Bound", depth: int) -> list[str]:
        texts: list[str] = []
        for function in module.above(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            values = reaching(module, function, name, node)
            for path, value in values:
                for home, element in self.elements(module, value, path, depth):
                    texts += self.read(home, element, bound, depth + 1)
            added = [text for one in added_to(function, name) for text in self.read(module, one, bound, depth + 1)]
            texts = [*texts, *(first + more for first in texts[:6] for more in added)]
            if values:
                break
            if name in parameters(function):
                texts = self.read_parameter(module, function, name, bound, depth)
                break
        else:
            home, value = self.resolve(module, name)
            if isinstance(value, ast.expr):
                texts = self.read(home, value, {}, depth + 1)
        return list(dict.fromkeys(texts))[:MOST] or [f"‹{words_of(node)}›"]

    def read_parameter(self, module: Module, function: Node, name: str, bound: "Bound", depth: int) -> list[str]:
        """What is given for a parameter: by the call that is followed, else by all calls that give a text."""
        key = (function, name)
        if key in bound:
            home, value, outer = bound[key]
            return self.read(home, value, outer, depth + 1)
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) or depth > DEEPEST // 2:
            return []
        calls, owner = self.calls[function.name], next(iter(module.above(function, ast.ClassDef)), None)
        if owner is not None and function.name == "__init__":
            calls = self.calls[owner.name]  # type: ignore[attr-defined]
        elif owner is not None and len(self.methods[function.name]) > 1:
            calls = [one for one in calls if one[0] is module]
        if owner is None:
            calls = [one for one in calls if one[0] is module or self.resolve(one[0], function.name)[1] is function]
        texts = []
        for home, call in calls:
            value = arguments(function, call, home).get(key, (home, None))[1]
            if isinstance(value, ast.Constant | ast.JoinedStr | ast.IfExp | ast.Name) and (
                is_text(value) or name == "kind"
            ):
                texts += self.read(home, value, {}, depth + 3)
        return [
            text
            for text in texts
            if re.search(r"[a-z]{3}" if name == "kind" else r"[a-z]{2} ", re.sub(r"‹.*?›", "", text))
        ]

    def elements(self, module: Module, value: Node, path: tuple[int, ...], depth: int) -> Iterator[tuple[Module, Node]]:
        """The expressions that a name is bound to: the value, or a part (-1: any member) of it."""
        if not path:
            yield module, value
            return
        if depth > DEEPEST:
            return
        members: list[tuple[Module, Node]] = []
        match value:
            case ast.Tuple(elts=elts) | ast.List(elts=elts) if path[0] >= 0:
                members = [(module, elts[path[0]])] if path[0] < len(elts) else []
            case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts):
                for one in elts:
                    spread = isinstance(one, ast.Starred)
                    members += self.elements(module, one.value, path[:1], depth + 1) if spread else [(module, one)]
            case ast.BinOp(left=left, right=right) | ast.IfExp(body=left, orelse=right):
                members = [one for side in (left, right) for one in self.elements(module, side, path[:1], depth + 1)]
            case ast.ListComp(elt=elt) | ast.GeneratorExp(elt=elt):
                members = [(module, elt)]
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="items")):
                _, held = self.resolve(module, name)
                for function in itertools.islice(module.above(value, ast.FunctionDef), 1):
                    keyed = (
                        one for one in nodes_of(function) if isinstance(one, ast.Call) and called(one) == "setdefault"
                    )
                    keys = [one.args[0] for one in keyed if ast.unparse(one.func) == f"{name}.setdefault"]
                    members = [(module, ast.Tuple([key, key])) for key in keys]
                if isinstance(held, ast.Dict):
                    members = [(module, ast.Tuple([k or v, v])) for k, v in zip(held.keys, held.values, strict=True)]
            case ast.Call():
                for home, function in self.functions(module, value):
                    for one in given_back(function, yields=path[0] == -1):
                        if isinstance(one, ast.Yield):
                            members += [(home, one.value)] if one.value else []
                        else:
                            back = one.value if isinstance(one, ast.YieldFrom) else one
                            members += self.elements(home, back, path[:1], depth + 1)
            case ast.Name(id=name):
                functions = list(module.above(value, (ast.FunctionDef, ast.AsyncFunctionDef)))
                for function in functions[:1]:
                    for inner, bound in values_of(function, name):
                        members += self.elements(module, bound, (*inner, path[0]), depth + 1)
                    for one in nodes_of(function):
                        if isinstance(one, ast.Call) and ast.unparse(one.func) == f"{name}.append":
                            members.append((module, one.args[0]))
                        elif isinstance(one, ast.Call) and ast.unparse(one.func) == f"{name}.extend":
                            members += self.elements(module, one.args[0], path[:1], depth + 1)
                    for one in added_to(function, name):
                        members += self.elements(module, one, path[:1], depth + 1)
                if not members and isinstance(self.resolve(module, name)[1], ast.Tuple | ast.List):
                    home, held = self.resolve(module, name)
                    members = list(self.elements(home, held, path[:1], depth + 1)) if held else []
        for home, member in members:
            yield from self.elements(home, member, path[1:], depth + 1)


Bound = dict[tuple[Node, str], tuple[Module, Node, "Bound"]]
"""What is given for parameters of functions, and where that is read."""


@cache
def nodes_of(node: Node) -> tuple[Node, ...]:
    """A node and all below it, breadth first."""
    return tuple(ast.walk(node))


def called(call: ast.Call) -> str:
    """The last name of what is called."""
    func = call.func.value if isinstance(call.func, ast.Subscript) else call.func
    return func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""


def parameters(function: Node) -> list[str]:
    args = function.args  # type: ignore[attr-defined]
    return [one.arg for one in (*args.posonlyargs, *args.args, *args.kwonlyargs)]


def arguments(function: Function, call: ast.Call, module: Module, outer: Bound | None = None) -> Bound:
    """What a call gives for the parameters of a function."""
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args) if one.arg not in ("self", "cls")]
    given = dict(zip(names, call.args, strict=False)) | {one.arg: one.value for one in call.keywords if one.arg}
    defaults = dict(zip(reversed(names), reversed(function.args.defaults), strict=False))
    defaults |= {
        one.arg: value for one, value in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True) if value
    }
    return {(function, name): (module, value, outer or {}) for name, value in (defaults | given).items()}


@cache
def given_back(function: Function, *, yields: bool = False) -> list[Node]:
    """What a function returns; with ``yields``, also its yields."""
    if isinstance(function, ast.Lambda):
        return [function.body]
    kinds = (ast.Return, ast.Yield, ast.YieldFrom) if yields else (ast.Return,)
    found = [one for one in nodes_of(function) if isinstance(one, kinds)]
    return [one.value if isinstance(one, ast.Return) else one for one in found if one.value is not None]


def reaching(module: Module, function: Node, name: str, use: Node) -> list[tuple[tuple[int, ...], Node]]:
    """The values of a name that may reach a place: from the last one that every way to it passes."""
    values = values_of(function, name)
    if not hasattr(use, "lineno"):
        return values
    before = [one for one in values if one[1].lineno <= use.lineno] or values  # type: ignore[attr-defined]
    around = {use, *module.above(use, ast.AST)}
    for place, (_, value) in reversed(list(enumerate(before))):
        statement = next(module.above(value, (ast.stmt, ast.comprehension)), None)
        if statement in around or module.parents.get(statement) in around:  # type: ignore[arg-type]
            parent = module.parents.get(statement)  # type: ignore[arg-type]
            if isinstance(parent, ast.If) and (statement in parent.orelse) != any(
                one in around for one in parent.orelse
            ):
                continue
            return before[place:]
    return before


def values_of(function: Node, name: str) -> list[tuple[tuple[int, ...], Node]]:
    """What a name is bound to in a function: (which part of the value, the value)."""
    return values_by_name(function).get(name, [])


@cache
def added_to(function: Node, name: str) -> list[Node]:
    """What a function adds to a name."""
    adding = (one for one in nodes_of(function) if isinstance(one, ast.AugAssign))
    return [one.value for one in adding if isinstance(one.target, ast.Name) and one.target.id == name]


@cache
def values_by_name(function: Node) -> dict[str, list[tuple[tuple[int, ...], Node]]]:
    """What the names of a function are bound to."""
    found: dict[str, list[tuple[tuple[int, ...], Node]]] = defaultdict(list)
    for node in nodes_of(function):
        for target, value in bindings(node):
            for name, path in paths(target):
                found[name].append((path, value))
        if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            for name, path in paths(node.target):
                found[name].append(((-1, *path), node.iter))
    return found


def paths(target: Node) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The names in the target of an assignment, and where they stand in it."""
    if isinstance(target, ast.Name):
        yield target.id, ()
    elif isinstance(target, ast.Tuple):
        for place, one in enumerate(target.elts):
            yield from ((name, (place, *path)) for name, path in paths(one))


def is_text(node: Node | None) -> bool:
    """Whether an expression holds a text of at least two words."""
    return (isinstance(node, ast.Name) and node.id.isupper()) or any(
        isinstance(one, ast.Constant) and isinstance(one.value, str) and re.search("[a-z]{2} ", one.value)
        for one in (nodes_of(node) if node else ())
    )


def is_of_many(test: Node) -> bool:
    """Whether a condition of an ending asks for a plural, as in ``n > 1``."""
    return any(isinstance(one, ast.Gt | ast.NotEq) for one in ast.walk(test))


def grouped(texts: list[str]) -> list[str]:
    """Readings of a part of a sentence; what may be left out, and short forms, are a group: ``⟦¦text⟧``."""
    texts = list(dict.fromkeys(texts))
    is_optional = "" in texts and len(texts) == 2
    are_short = all(" " in text.strip() for text in texts) and sum(map(len, texts)) <= 60
    if len(texts) > 1 and (is_optional or are_short):
        return [f"⟦{'¦'.join(texts)}⟧"]
    return texts
