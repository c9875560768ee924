"""The files of the project itself: no address of an index, no path of a machine, no leftovers."""

import ast
import re
import subprocess
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parent.parent


def tracked_texts() -> list[tuple[str, str]]:
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode != 0:
        pytest.skip("this is not a git checkout")
    texts = []
    for name in listing.stdout.splitlines():
        path = ROOT / name
        if path.is_file() and path.stat().st_size < 1_000_000:
            try:
                texts.append((name, path.read_text(encoding="utf-8")))
            except UnicodeDecodeError:
                continue
    return texts


def test_no_tracked_file_names_a_package_index() -> None:
    index = re.compile(r"https?://[^\s\"')]*(?:simple/|pythonhosted|registry\.npmjs|/pypi/)|index-url")
    found = [name for name, text in tracked_texts() if index.search(text) and name != "tests/test_project.py"]
    assert found == []


def test_no_tracked_file_holds_the_marks_of_a_merge() -> None:
    mark = re.compile(r"^(?:<{7} |>{7} )", re.MULTILINE)
    assert [name for name, text in tracked_texts() if mark.search(text)] == []


def test_no_tracked_file_outside_the_makefile_names_the_folder_beside_the_project() -> None:
    beside = re.compile(r"(?<![\w.])\.\./shared")
    allowed = {"Makefile", "tests/test_project.py"}
    assert [name for name, text in tracked_texts() if beside.search(text) and name not in allowed] == []


def test_each_target_is_given_the_folders_of_its_tests() -> None:
    targets = dict(re.findall(r" -m (\w+) (tests/.+)", (ROOT / "Makefile").read_text()))
    assert set(targets) == set(
        re.findall(r"\w+", re.findall(r"^APART := (.+)", (ROOT / "Makefile").read_text(), re.M)[0])
    ) - {"or"}
    files = [*(ROOT / "tests").rglob("*.py")]
    for mark, folders in targets.items():
        marked = {file for file in files if re.search(rf"\bmark\.{mark}\b", file.read_text(encoding="utf-8"))}
        assert marked
        assert {
            file for file in marked if not any(file.is_relative_to(ROOT / each) for each in folders.split())
        } == set()


def test_the_version_is_written_once_and_cited_as_it_is() -> None:
    import tomllib

    import trialogue

    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" in settings["project"]["dynamic"]
    assert settings["tool"]["hatch"]["version"]["path"] == "src/trialogue/__init__.py"
    assert f"\nversion: {trialogue.__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = grimp.build_graph("trialogue", cache_dir=None)
    imported = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imported).prepare()  # raises CycleError with the circle
    assert len(imported) > 900


def test_a_planted_circle_is_found() -> None:
    with pytest.raises(CycleError):
        TopologicalSorter({"a": {"b"}, "b": {"c"}, "c": {"a"}}).prepare()


def test_every_dependency_has_its_licence_beside_it() -> None:
    lines = (ROOT / "pyproject.toml").read_text().splitlines()
    start = lines.index("dependencies = [")
    names = [line for line in lines[start + 1 : lines.index("]", start)] if line.strip().startswith('"')]
    assert names
    assert all("#" in line for line in names)


PARTICIPLES = {
    *(
        "begun",
        "built",
        "done",
        "drawn",
        "felt",
        "forgotten",
        "found",
        "given",
        "grown",
        "heard",
        "held",
        "kept",
        "known",
    ),
    *(
        "lent",
        "lost",
        "made",
        "meant",
        "said",
        "seen",
        "sent",
        "shown",
        "sought",
        "spoken",
        "taken",
        "told",
        "understood",
    ),
    *("worn", "written"),
}
ADVERBS = {
    *("about", "above", "across", "again", "ahead", "alone", "along", "always", "among", "around", "aside", "back"),
    *("before", "behind", "below", "beside", "between", "beyond", "by", "each", "enough", "everything", "here", "how"),
    *(
        "inside",
        "instead",
        "later",
        "many",
        "neither",
        "nothing",
        "once",
        "only",
        "others",
        "outside",
        "outwards",
        "over",
    ),
    *("same", "silently", "some", "there", "together", "towards", "twice", "under", "until", "up", "who", "whole"),
    *("whose", "why", "within", "without"),
}
WORDS_ON_ED = frozenset({"embed", "exceed", "feed", "need", "proceed", "seed", "shed", "speed", "succeed", "nested"})
OVERRIDES = frozenset({"received"})  # names that are not ours: of a channel of waitress


def bare_names(path: Path, root: Path = ROOT) -> list[str]:
    """Functions and methods that are called by a participle or adverb alone; properties may say what a thing is."""
    functions = (
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not any("property" in ast.unparse(each) for each in node.decorator_list)
    )
    return [
        f"{path.relative_to(root).as_posix()}:{each.lineno} {each.name}"
        for each in functions
        if (name := each.name.strip("_")) in PARTICIPLES | ADVERBS
        or (name.endswith("ed") and "_" not in name and name not in WORDS_ON_ED | OVERRIDES)
    ]


def test_no_function_is_named_by_a_participle_or_adverb_alone() -> None:
    modules = [path for path in (ROOT / "src").rglob("*.py") if "migrations" not in path.parts]
    assert len(modules) > 500
    assert [name for path in sorted(modules) for name in bare_names(path)] == []


def test_a_bare_name_is_found_and_a_property_is_not(tmp_path: Path) -> None:
    lines = ["def _told(): ...", "def ranked(): ...", "def need(): ...", "def rank_all(): ..."]
    lines += ["class A:", "    @property", "    def finished(self): ...", "    def within(self): ..."]
    made = tmp_path / "module.py"
    made.write_text("\n".join(lines), encoding="utf-8")
    assert [name.split()[1] for name in bare_names(made, root=tmp_path)] == ["_told", "ranked", "within"]
