"""Which tests are likely to notice a fault in a module: an import map of the sources and the tests, and names in them."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SRC, TESTS = ROOT / "src", ROOT / "tests"
PACKAGE = "trialogue"
FARTHEST = 3  # imports between a test and the module


@cache
def module_name(path: Path) -> str:
    """``trialogue.stats.ranking.battles``, of its path."""
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def _paths() -> dict[str, Path]:
    return {module_name(path): path for path in sorted((SRC / PACKAGE).rglob("*.py"))}


@cache
def _bindings(name: str) -> dict[str, tuple[str, str]]:
    """What a package's ``__init__`` re-exports: the name, the module it is from and its name there."""
    tree = ast.parse(_paths()[name].read_text(encoding="utf-8"))
    return {
        alias.asname or alias.name: (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(PACKAGE)
        for alias in node.names
    }


@cache
def _home(module: str, name: str) -> str:
    """The module that defines what ``from module import name`` gives."""
    if f"{module}.{name}" in _paths():
        return f"{module}.{name}"
    if module in _paths() and name in (bound := _bindings(module)) and bound[name][0] != module:
        return _home(*bound[name])
    return module


@cache
def imported(path: Path) -> frozenset[str]:
    """The modules of ours that a file imports, by their full names."""
    return frozenset(_imports(ast.parse(path.read_text(encoding="utf-8"))))


def _imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(PACKAGE):
            yield from (_home(node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith(PACKAGE))


@cache
def _importers() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {name: set() for name in _paths()}
    for name, path in _paths().items():
        if path.name != "__init__.py":  # a package's face uses nothing of what it re-exports
            for other in imported(path) & found.keys():
                found[other].add(name)
    return {name: frozenset(names) for name, names in found.items()}


@cache
def _test_files() -> tuple[Path, ...]:
    left_out = ("e2e", "docs", "plugin_package")
    return tuple(path for path in sorted(TESTS.rglob("test_*.py")) if path.relative_to(TESTS).parts[0] not in left_out)


@cache
def _tests_at(name: str) -> dict[Path, int]:
    """Each test file that reaches the module, with the number of imports between them."""
    distances: dict[Path, int] = {}
    names, passed = {name}, set[str]()
    for distance in range(FARTHEST):
        for path in _test_files():
            if path not in distances and imported(path) & names:
                distances[path] = distance
        passed |= names
        names = {importer for one in names for importer in _importers().get(one, frozenset())} - passed
    return distances


@cache
def _tests_that_name(word: str) -> tuple[Path, ...]:
    whole = re.compile(rf"\b{re.escape(word)}\b")
    return tuple(path for path in _test_files() if whole.search(path.read_text(encoding="utf-8")))


def tests_for(source: Path) -> list[Path]:
    """Test files in the order in which they are asked: the mirrored one, its folder, its room, then others by distance."""
    parts = source.relative_to(SRC / PACKAGE).with_suffix("").parts
    room = TESTS.joinpath(*parts[: 2 if parts[0] == "subjects" else 1])
    folder, stem = TESTS.joinpath(*parts[:-1]), parts[-1]
    distances = dict(_tests_at(module_name(source)))
    for path in _tests_that_name(stem):  # metrics and agents are found by name, without an import
        distances[path] = min(distances.get(path, FARTHEST), 1 if room in path.parents else 2)

    def rank(path: Path) -> tuple[int, int, int, str]:
        distance = distances.get(path, FARTHEST)
        near = 0 if path.parent == folder else 1 if room in path.parents else 2
        mirrored = path.stem == f"test_{stem}" and near < 2
        return (0 if mirrored else 1 + distance, near, path.stat().st_size, str(path))

    mirrors = {path for path in _test_files() if path.stem.startswith(f"test_{stem}") and room in path.parents}
    folder_tests = {path for path in _test_files() if path.parent == folder}
    return sorted(mirrors | folder_tests | distances.keys(), key=rank)
