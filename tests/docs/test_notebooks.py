"""Every notebook of the examples runs from its first cell to its last, and what it shows is short."""

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
NOTEBOOKS = sorted((ROOT / "examples").rglob("*.ipynb"))
LONGEST_REPR = 500


def run_cell(source: str, name: str, namespace: dict[str, Any]) -> Any:
    """What a cell's last expression gives, as a notebook would show it; None where it has none."""
    tree = ast.parse(source, name)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(tree, name, "exec"), namespace)
        if not isinstance(last, ast.Expr):
            return None
        return eval(compile(ast.Expression(last.value), name, "eval"), namespace)


@pytest.mark.pages
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    shown = [run_cell("".join(cell["source"]), f"{path.name}[{place}]", namespace) for place, cell in enumerate(cells)]
    ours = [value for value in shown if type(value).__module__.startswith("trialogue")]
    assert ours
    for value in ours:
        assert len(repr(value)) < LONGEST_REPR
        assert "<table>" in value._repr_html_()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_kept_without_outputs(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert [cell["id"] for cell in cells if cell.get("outputs") or cell.get("execution_count")] == []
