"""What is public: every exported name is listed here, documented and typed, and enough for packages of other people."""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import trialogue

ROOT = Path(__file__).parent.parent
FUNCTIONS = {
    "agree",
    "align",
    "board",
    "compare",
    "evaluate",
    "judge",
    "judge_pairs",
    "judge_scores",
    "load_catalogue",
    "load_users",
    "make_agent",
    "passport",
    "plan",
    "plan_labels",
    "plan_study",
    "read",
    "score",
    "simulate",
    "study_findings",
    "study_report",
}
RECORDS = {
    "Agent",
    "Agreement",
    "AgreementFindings",
    "AlignmentRun",
    "Batch",
    "Board",
    "Card",
    "Catalogue",
    "ComparisonPlan",
    "ComparisonResult",
    "Contrast",
    "Dialogue",
    "DialogueAct",
    "Ending",
    "Estimand",
    "Estimate",
    "Findings",
    "Interval",
    "Item",
    "JudgeScores",
    "JudgeSettings",
    "JudgedPairs",
    "JudgingFindings",
    "Knowledge",
    "LabelPlan",
    "Labeller",
    "League",
    "Manifest",
    "Measure",
    "Mention",
    "Need",
    "PassportFindings",
    "PassportPlan",
    "PowerFindings",
    "Preference",
    "Raters",
    "Rating",
    "Ratings",
    "Reason",
    "Response",
    "Role",
    "Run",
    "Score",
    "Scores",
    "SimulationFile",
    "Situation",
    "Standing",
    "StrategyDistribution",
    "StrategyLabel",
    "StudyFindings",
    "UserModel",
    "Utterance",
}
ERRORS = {"DataError", "MissingDataError", "MissingExtraError", "TrialogueError", "UnknownNameError", "UsageError"}
FACES = (
    "trialogue",
    "trialogue.agents",
    "trialogue.catalogue",
    "trialogue.datasets",
    "trialogue.judges",
    "trialogue.metrics",
    "trialogue.records",
    "trialogue.records.files",
    "trialogue.simulation",
    "trialogue.stats",
    "trialogue.strategies",
    "trialogue.tasks",
)
WHOLE = ("trialogue.errors", "trialogue.seeds")
"""Public modules: what they define is public."""


def test_the_exported_names_are_these() -> None:
    assert set(trialogue.__all__) == FUNCTIONS | RECORDS | ERRORS | {"__version__"}
    assert set(dir(trialogue)) == set(trialogue.__all__)


def test_what_type_checkers_see_is_what_is_exported() -> None:
    tree = ast.parse((ROOT / "src/trialogue/__init__.py").read_text())
    (guarded,) = [node for node in tree.body if isinstance(node, ast.If)]
    imported = {
        str(alias.asname): f"{node.module}.{alias.name}"
        for node in guarded.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert set(imported) == set(trialogue.__all__) - {"__version__"}
    for name, place in imported.items():
        module, _, attribute = place.rpartition(".")
        found = getattr(importlib.import_module(module), attribute)
        assert inspect.unwrap(found) is inspect.unwrap(getattr(trialogue, name))


def test_another_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'evaluat'"):
        _ = trialogue.evaluat


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_a_public_function_is_typed_and_says_what_it_takes_and_raises(name: str) -> None:
    function = getattr(trialogue, name)
    signature = inspect.signature(function)
    assert signature.return_annotation is not inspect.Signature.empty
    documented = inspect.getdoc(function) or ""
    for parameter in signature.parameters.values():
        assert parameter.annotation is not inspect.Parameter.empty, parameter.name
        assert f"{parameter.name}: " in documented, f"{name} does not document {parameter.name}"
    assert "Raises:" in documented


@pytest.mark.parametrize("name", sorted(RECORDS | ERRORS))
def test_a_public_class_is_documented(name: str) -> None:
    assert (getattr(trialogue, name).__doc__ or "").strip()


@pytest.mark.parametrize("name", sorted(FUNCTIONS | RECORDS | ERRORS))
def test_the_reference_page_describes_every_public_name(name: str) -> None:
    page = (ROOT / "docs/reference/api.md").read_text()
    assert f"### `trialogue.{name}`\n" in page


@pytest.mark.parametrize("face", FACES)
def test_a_public_package_has_what_it_exports(face: str) -> None:
    module = importlib.import_module(face)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []


def imports(folder: Path) -> Iterator[tuple[str, str, str]]:
    """(file, module, name) of everything that a folder imports from trialogue."""
    for path in sorted(folder.rglob("*.py")):
        yield from imports_of(path.read_text(encoding="utf-8"), path.name)


def imports_of(code: str, file: str) -> Iterator[tuple[str, str, str]]:
    """(file, module, name) of everything that some code imports from trialogue."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "trialogue":
            yield from ((file, str(node.module), alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.split(".")[0] == "trialogue"]
            yield from ((file, name, "") for name in names)


@pytest.mark.parametrize("folder", ["src/trialogue_recommenders", "tests/plugin_package", "examples"])
def test_other_packages_need_the_public_api_alone(folder: str) -> None:
    found = list(imports(ROOT / folder))
    assert found
    assert [(file, module, name) for file, module, name in found if not public(module, name)] == []


def public(module: str, name: str) -> bool:
    """Whether a name of a module is exported."""
    return module in WHOLE or (module in FACES and (not name or name in importlib.import_module(module).__all__))


INSIDE = {ROOT / "docs/reference/api.md", *ROOT.glob("docs/contribute/*.md")}  # docstrings; code of Trialogue itself
PAGES = sorted({*ROOT.glob("docs/**/*.md")} - INSIDE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_import_the_public_api_alone(page: Path) -> None:
    lines = re.findall(
        r"^(?:>>> )?(from trialogue[\w.]* import .*|import trialogue[\w.]*)$", page.read_text("utf-8"), re.M
    )
    assert [
        (module, name) for line in lines for _, module, name in imports_of(line, page.name) if not public(module, name)
    ] == []


def test_trialogue_never_names_the_reference_recommenders() -> None:
    naming = [
        path.name
        for path in (ROOT / "src/trialogue").rglob("*.py")
        if "trialogue_recommenders" in path.read_text(encoding="utf-8")
    ]
    assert naming == []
