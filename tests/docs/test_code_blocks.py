"""What README and docs show, runs, and prints what they say it prints.

``python`` blocks of a page run one after another in one namespace; what a ``text`` block right after one shows must be its
output. In ``console`` blocks every line after ``$`` is run and must succeed; the lines below it must be among its output, in
order, where ``...`` stands for anything. A block that begins ```` ```csv file=NAME ```` is written to that file first.
Pages of examples run in a copy of their folder.
"""

import contextlib
import io
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.words import process, trialogue
from tests.untraced import untraced

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*/README.md"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *EXAMPLES]
BLOCK = re.compile(r"^```(?P<language>[\w{}-]+)[ ]*(?P<rest>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str, str, bool]]:
    """(language, file name or "", body, directly after the block before) of every fenced block."""
    text = page.read_text(encoding="utf-8")
    found, last = [], 0
    for match in BLOCK.finditer(text):
        name = re.match(r"file=(\S+)", match["rest"])
        adjacent = not text[last : match.start()].strip() if last else False
        found.append((match["language"], name[1] if name else "", match["body"], adjacent))
        last = match.end()
    return found


@pytest.mark.pages
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_code_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page in EXAMPLES:
        shutil.copytree(page.parent, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    namespace: dict[str, object] = {"__name__": "page"}
    printed = None
    for language, file, body, adjacent in blocks(page):
        if file:
            Path(file).write_text(body, encoding="utf-8")
        elif language == "python":
            stream = io.StringIO()
            with contextlib.redirect_stdout(stream):
                exec(compile(body, str(page), "exec"), namespace)
            printed = stream.getvalue()
            continue
        elif language == "console":
            run_console(body)
        elif language == "text" and adjacent and printed is not None:
            assert printed.strip() == body.strip()
        printed = None


def run_console(body: str) -> None:
    commands: list[tuple[str, list[str]]] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif commands:
            commands[-1][1].append(line)
    for command, expected in commands:
        words = shlex.split(command)
        if words[0] == "trialogue":
            done = run_command(words[1:])
        else:
            done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        output = iter(done.stdout.splitlines())
        for line in expected:
            if line.strip() not in ("", "..."):
                assert any(line.strip() == one.strip() for one in output), (
                    f"{command} did not print: {line}\n{done.stdout}"
                )


def run_command(words: list[str]) -> subprocess.CompletedProcess[str]:
    """The command in this process, which spares its imports; Django can be set up for one study only, so not that.

    Modules of the page's folder are forgotten: another page may have others of the same name.
    """
    if words[0] == "study":
        return process(*words)
    with untraced():
        done = trialogue(*words)
    here = str(Path.cwd())
    for name in [
        name for name, module in sys.modules.items() if (getattr(module, "__file__", "") or "").startswith(here)
    ]:
        del sys.modules[name]
    return done


def test_every_page_is_reached_from_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text()
    generated = {"reference/metrics", "reference/corpora", "reference/formats"}
    pages = {
        str(page.relative_to(ROOT / "docs").with_suffix(""))
        for page in PAGES[1:]
        if page not in EXAMPLES and page.parent.name != "rooms"
    } | generated
    assert {page for page in pages - {"index"} if page not in index} == set()
