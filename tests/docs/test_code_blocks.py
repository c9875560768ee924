"""What README and docs show, runs, and prints what they say it prints.

``python`` blocks of a page run one after another in one namespace; what a ``text`` block right after one shows must be its
output. In ``console`` blocks every line after ``$`` is run and must succeed; the lines below it must be among its output, in
order, where ``...`` stands for anything; messages may stand among it. A command that ends with ``# exit code N`` must end
with that code. A block that begins ```` ```csv file=NAME ```` is written to that file first; a forge hides this name, so the
text above the block says it, too. Commands that are not run have options that exist. Links lead somewhere.
Pages of examples run in a copy of their folder.
"""

import contextlib
import io
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.main
from tests.cli.words import process, trialogue
from tests.untraced import untraced

from trialogue.cli.app import app
from trialogue.cli.shared.app import options_everywhere

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
        words = shlex.split(re.sub(r"\s+# .*", "", command))
        if words[0] == "trialogue":
            done = run_command(words[1:])
        else:
            program = sys.executable if words[0] == "python" else words[0]
            done = subprocess.run([program, *words[1:]], capture_output=True, text=True, check=False)
        code = re.search(r"# exit code (\d)$", command)
        assert done.returncode == int(code[1] if code else 0), f"{command}\n{done.stdout}\n{done.stderr}"
        streams = [[one.strip() for one in stream.splitlines()] for stream in (done.stdout, done.stderr)]
        for line in (line.strip() for line in expected):
            if line not in ("", "..."):
                stream = next((stream for stream in streams if line in stream), None)
                assert stream is not None, f"{command} did not print: {line}\n{done.stdout}\n{done.stderr}"
                del stream[: stream.index(line) + 1]


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


LINK = re.compile(r"\[([^\[\]]*)\]\(([^)\s]+)\)")
ANYWHERE = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "benchmarks").glob("*.md"))]
TITLES: dict[str, set[Path]] = {}
for named_page in ANYWHERE:
    TITLES.setdefault(named_page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# "), set()).add(
        named_page
    )


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as a forge and Sphinx make them."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    names = [re.sub(r"[^\w\- ]", "", head.replace("`", "").lower()).replace(" ", "-") for head in HEADING.findall(text)]
    return {
        f"{name}-{names[:place].count(name)}" if name in names[:place] else name for place, name in enumerate(names)
    }


HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


def links(page: Path) -> list[tuple[str, str]]:
    """(text, address) of the links of a page, outside its code."""
    return LINK.findall(re.sub(r"(`+)[^\n]*?\1", "", BLOCK.sub("", page.read_text(encoding="utf-8"))))


@pytest.mark.parametrize("page", ANYWHERE, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    wrong = []
    for _, link in links(page):
        file, _, anchor = link.partition("#")
        target = page if not file else (page.parent / file).resolve()
        is_made = "rooms" in target.parts or target.name == "house.svg"  # by "make docs", not kept
        if "://" not in link and not is_made and not (target.exists() and (not anchor or anchor in anchors(target))):
            wrong.append(link)
    assert wrong == []


@pytest.mark.parametrize("page", ANYWHERE, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_link_leads_to_the_page_it_stands_on_or_to_another_than_it_names(page: Path) -> None:
    """A link within a page is an anchor alone; one whose text is the title of pages leads to one of them."""
    wrong = []
    for text, link in links(page):
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if "://" not in link and file else None
        named = TITLES.get(" ".join(text.split()), set())
        if target == page or (target and named and not anchor and target not in named):
            wrong.append(f"[{text}]({link})")
    assert wrong == []


def test_every_page_is_linked_from_the_map_of_all_pages() -> None:
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / link.partition("#")[0]).resolve() for _, link in links(index)}
    assert {page for page in PAGES if page.is_relative_to(index.parent) and "rooms" not in page.parts} - linked == {
        index
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_name_of_a_file_stands_in_the_text_above_it(page: Path) -> None:
    text, hidden, last = page.read_text(encoding="utf-8"), [], 0
    for match in BLOCK.finditer(text):
        name = re.match(r"file=(\S+)", match["rest"])
        if name is not None and f"`{name[1]}`" not in text[last : match.start()]:
            hidden.append(name[1])
        if not name:
            last = match.end()
    assert hidden == []


def commands_of(page: Path) -> list[str]:
    """Commands in code, in a block or in a line of text, run or not, but those that are shown because they are wrong."""
    text = page.read_text(encoding="utf-8")
    blocks = [match["body"].replace("\\\n", " ") for match in BLOCK.finditer(text)]
    lines = [line.strip().removeprefix("$ ") for block in blocks for line in block.splitlines()]
    inline = re.findall(r"`([^`\n]+)`", BLOCK.sub("", text))
    return [line for line in (*lines, *inline) if line.startswith("trialogue ") and "# exit code" not in line]


@cache
def whole_command() -> Any:
    """All commands, which typer would make anew each time."""
    return typer.main.get_command(app)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_of_a_page_is_there_with_its_options(page: Path) -> None:
    wrong = []
    for line in commands_of(page):
        command = whole_command()
        before = ""
        for word in re.sub(r"\s+[#|>] .*", "", line).replace("'", "").replace('"', "").split()[1:]:
            inside = getattr(command, "commands", {})
            if word in inside:
                command = inside[word]
            elif main := {"systems", "versions"} & set(inside):  # of judge and compare, the word may be left out
                command = inside[main.pop()]
            if word not in inside and re.match(r"--?[a-z]", word):
                options = (*command.params, *options_everywhere())
                known = {"--help", "-h", *(each for one in options for each in (*one.opts, *one.secondary_opts))}
                if word.split("=")[0] not in known:
                    wrong.append((line, word))
            if before == "--set" and re.match(r"[a-z_.]+=", word):
                name = word.partition("=")[0].partition(".")[0]
                wrong += [] if name in command.settings else [(line, f"--set {name}")]
            before = word
    assert wrong == []


def test_every_page_is_reached_from_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text()
    generated = {"reference/metrics", "reference/corpora", "reference/formats"}
    pages = {
        str(page.relative_to(ROOT / "docs").with_suffix(""))
        for page in PAGES[1:]
        if page not in EXAMPLES and page.parent.name != "rooms"
    } | generated
    assert {page for page in pages - {"index"} if page not in index} == set()


def test_troubleshooting_is_sorted_by_text_that_is_printed_and_lists_all_of_it() -> None:
    """Each heading is literal text of the output below it ("..." stands for a value), and is on the list above."""
    page = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    head, *sections = re.split(r"^### ", page.partition("\n## All messages\n")[0], flags=re.MULTILINE)
    strange = []
    for title, _, body in (section.partition("\n") for section in sections):
        shown = " ".join(body.split())
        if not all(part.strip() in shown for part in title.split("...")) or f"[{title}](#" not in head:
            strange.append(title)
    assert strange == []


def test_a_reader_can_follow_the_readme_and_the_guides_in_one_folder() -> None:
    """Commands that refuse a folder with something in it have folders of their own, on all of these pages together."""
    made = [
        (match[1], page.name)
        for page in (ROOT / "README.md", ROOT / "docs" / "tutorial.md", *sorted((ROOT / "docs" / "guide").glob("*.md")))
        for language, _, body, _ in blocks(page)
        if language == "console"
        for match in re.finditer(r"^\$ trialogue study (?:new|simulate|export) .*--out (\S+)", body, re.MULTILINE)
    ]
    folders = [folder for folder, _ in made]
    assert [(folder, page) for folder, page in made if folders.count(folder) > 1] == []
