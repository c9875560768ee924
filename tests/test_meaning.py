"""Meaning is a type: no code that concludes or shows tests a prefix, cuts up a name or reads a sentence to know something.

The syntax trees of the rooms that measure, conclude and report are walked. A call that takes a text apart is allowed only in
a module that is listed here with the reason: it reads what somebody typed or a file holds, it reads the words of a dialogue,
or it sets type. A name that a type knows the parts of (a measure, an ending, an origin, a reason) is never among them.
"""

import ast
from pathlib import Path

import pytest

import trialogue

SOURCE = Path(trialogue.__file__).parent
ROOMS = ("analysis", "findings", "inputs", "metrics", "render", "reproduce", "simulating", "subjects", "workflows")
CUTS = {"startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition"}
SPLITS = {"split", "rsplit"}

TYPED = "what somebody typed: an option, a path, or NAME=FILE"
FILE = "what a file of somebody else holds"
WORDS = "the words of a dialogue"
TYPE_SETTING = "how a number or a name is set"
OWN_VARIANT = "a metric reads the name of its own variant, once, where it is made"
PAPER = "names of a published corpus or paper, which only this module knows"

TOKENS = "analysis/alignment_baselines.py"  # sequences of behaviors are texts by design
ALLOWED = {
    "subjects/agreement/commands/agree.py": TYPED,
    "subjects/agreement/commands/benchmark.py": PAPER,
    "reproduce/behavior_alignment/table1.py": PAPER,
    "subjects/board/commands/read.py": TYPED,
    "subjects/comparison/commands/inputs.py": TYPED,
    "workflows/experiment/contents.py": TYPED,
    "workflows/experiment/estimate/total.py": "the kind of a stage, of which its name is made in the same folder",
    TOKENS: "tokens of strategy sequences, which are texts by design",
    "reproduce/kdd2020/runs.py": PAPER,
    "inputs/knowledge.py": TYPED,
    "inputs/locations.py": TYPED,
    "subjects/judging/commands/score_tables.py": TYPED,
    "analysis/calls.py": TYPED,
    "subjects/simulated_users/commands/realism_features.py": WORDS,
    "inputs/redaction.py": WORDS,
    "inputs/study_cells.py": FILE,
    "subjects/people/models.py": "names of random effects, which are made beside it",
    "subjects/people/methods.py": "names of sensitivity rows, which are made beside it",
    "findings/sample/failure_texts.py": WORDS,
    "metrics/alignment/behavior_alignment.py": OWN_VARIANT,
    "metrics/names.py": TYPED,
    "metrics/recommendation/ranking.py": OWN_VARIANT,
    "metrics/recommendation/first_recommendation.py": FILE,
    "metrics/dialogue/acts.py": PAPER,
    "metrics/dialogue/style.py": OWN_VARIANT,
    "metrics/text/tokens.py": WORDS,
    "metrics/gates/contradicted_needs.py": "the words of a need's values, and lines of our own list of their forms",
    "metrics/gates/cut_endings.py": WORDS,
    "metrics/gates/phrases/__init__.py": "lines of our own lists of phrases",
    "metrics/gates/repeats.py": "lines of our own list of spellings",
    "subjects/agreement/pages/tables.py": TYPE_SETTING,
    "subjects/evaluation/pages/chat.py": TYPE_SETTING,
    "render/numbers.py": TYPE_SETTING,
    "subjects/alignment/pages/figures.py": TYPE_SETTING,
    "subjects/evaluation/pages/paper.py": "entries of our own list of references",
    "render/text.py": "sentences about one system each become a list",
    "render/media/papers.py": TYPE_SETTING,
    "subjects/people/pages/figures.py": TYPE_SETTING,
    "render/terminal.py": TYPE_SETTING,
}


def cuts_of(path: Path) -> list[str]:
    """The calls of a module that take a text apart."""
    calls = (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call))
    return [
        f"line {call.lineno}: {ast.unparse(call)}"
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and (call.func.attr in CUTS or (call.func.attr in SPLITS and any(map(is_text, call.args))))
    ]


def is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


@pytest.mark.parametrize("room", ROOMS)
def test_no_module_takes_a_text_apart_to_know_something(room: str) -> None:
    found = {path.relative_to(SOURCE).as_posix(): cuts_of(path) for path in sorted((SOURCE / room).rglob("*.py"))}
    assert {module: cuts for module, cuts in found.items() if cuts and module not in ALLOWED} == {}


def test_every_exception_is_still_needed() -> None:
    assert [module for module in ALLOWED if not (SOURCE / module).is_file() or not cuts_of(SOURCE / module)] == []


def test_the_threats_the_gate_and_the_answer_read_no_text_at_all() -> None:
    modules = [
        "findings/systems/answer.py",
        "findings/league.py",
        "subjects/comparison/comparison.py",
        "subjects/comparison/gate.py",
    ]
    modules += [path.relative_to(SOURCE).as_posix() for path in (SOURCE / "findings/threats").glob("*.py")]
    modules += [path.relative_to(SOURCE).as_posix() for path in (SOURCE / "analysis").glob("*.py")]
    cuts = {module: cuts_of(SOURCE / module) for module in modules if module not in (TOKENS, "analysis/calls.py")}
    assert len(modules) > 20
    assert {module: found for module, found in cuts.items() if found} == {}


def test_a_planted_cut_is_found(tmp_path: Path) -> None:
    planted = tmp_path / "planted.py"
    planted.write_text('def f(name):\n    return name.startswith("floor:") or name.split("@")[0]\n')
    assert len(cuts_of(planted)) == 2
