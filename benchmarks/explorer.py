"""How fast the explorer is with many dialogues, in a real browser: writes ``benchmarks/EXPLORER.md``.

    python -m benchmarks.explorer

50,000 invented dialogues of ten systems, with labels, acts, answers of people and twelve measures, are written as a
report's explorer; a headless Chromium opens it from the disk and from the server of ``trialogue view``. Times are of the
page itself: from the beginning of the navigation, or of a change of a filter, until the list is drawn
(``performance.measure``). Medians of five. Needs Chromium and Playwright.
"""

import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from trialogue.findings import Findings
from trialogue.records import (
    Dialogue,
    DialogueAct,
    Ending,
    Manifest,
    MeasureName,
    Mention,
    Need,
    Score,
    ScoreBlock,
    StrategyLabel,
    Utterance,
)
from trialogue.records.files.dialogue_store import StoredDialogues
from trialogue.records.files.jsonl import to_line
from trialogue.records.kinds.acts import STRATEGIES
from trialogue.records.kinds.origins import ActOrigin, Labeller
from trialogue.records.scores.score_block import ScoreColumn
from trialogue.render.explorer.entries import Part
from trialogue.render.explorer.write import write_explorer
from trialogue.workflows.view import run_server

PAGE = Path(__file__).with_name("EXPLORER.md")
ROOT = Path(__file__).parents[1]
MANY, SYSTEMS, MEASURES, TIMES = 50_000, 10, 12, 5
PATIENCE_S = 60.0
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
RARE = "chrysanthemum"
FILTERS = {
    "one system": "system=system-3",
    "a range of a measure": "measure=measure3%7Cv1&min=0.2&max=0.4",
    "another measure to sort by": "measure=measure5%7Cv1",
    "failures": "ending=failure",
    "a strategy": "strategy=offer_help",
    "a dialogue act": "act=user/intent2",
    "a rater": "rater=person17",
    "two systems side by side": "system=system-1,system-2",
    "five filters": "system=system-3&measure=measure3%7Cv1&min=0.2&strategy=offer_help&act=user/intent2&ending=user_ended",
}
SEARCHES = {
    "a word in most dialogues": "film",
    "a word in one dialogue": RARE,
    "two words": "quiet space",
    "a phrase": '"quiet story about"',
}

PAGE_TEXT = """# The explorer with 50,000 dialogues

Measured by `python -m benchmarks.explorer` at commit {commit}: {cores} cores, load {load:.1f}, Python {python}, headless
Chromium {browser}. {many:,} invented dialogues of {systems} systems ({messages:,} messages), {measures} measures, 300
raters. Milliseconds in the page until the list is drawn. Goals: first paint below 1,000 ms, a filter below 200 ms.

| | from the disk | from `trialogue view` |
|---|---|---|
| first paint | {file[1]:.0f} | {http[1]:.0f} |
| the list stands, sorted by a measure | {file[0]:.0f} | {http[0]:.0f} |

While nothing else is to be done, the page reads ahead what filters and the search need; with these data it is done
{warm:.0f} ms after it was opened (longer on a busy machine). *At once*: asked for as soon as the list stands, so that
the files are read first. *First*: the first use after reading ahead. *Later*: median of {times}.

| filter, from the disk | at once | first | later |
|---|---|---|---|
{filters}

A search scans all texts; later ones with terms that are not remembered:

| search, from the disk | at once | first | later |
|---|---|---|---|
{searches}

A dialogue far from the last one opens in {reading:.0f} ms (median of {opened}; longest {longest:.0f}).

Writing it took {taken:.0f} s of processor time: {files} files of {size:.0f} MB, where the records as JSON Lines are
{source:.0f} MB. Peak memory of this benchmark in Python, all dialogues and scores included: {peak:.0f} MB.
"""


def talks(rng: np.random.Generator) -> StoredDialogues:
    """Dialogues of about ten messages and sixty characters a message, as those of the corpora."""
    words = np.array(
        [
            f"{stem}{tail}"
            for stem in ("film", "quiet", "space", "story", "actor", "slow", "night", "river")
            for tail in ("", *"abcdefgh")
        ]
    )
    intents = [f"intent{number}" for number in range(12)]
    found = StoredDialogues()
    for number in range(MANY):
        said = []
        for place in range(int(rng.integers(6, 15))):
            text = " ".join(words[rng.integers(0, len(words), int(rng.integers(5, 16)))])
            if number == MANY // 2 and place == 1:
                text += f" {RARE}"
            if number % 97 == 0 and place == 0:
                text = "a quiet story about " + text
            title = text[: min(len(text), 10)]
            if place % 2:
                strategy = STRATEGIES[int(rng.integers(len(STRATEGIES)))]
                label = StrategyLabel(
                    strategy=strategy,
                    origin="model|v1",
                    by=Labeller.MODEL,
                    probability=0.5,
                )
                mention = Mention(title=title, item_id="item", start=0, end=len(title))
                said.append(
                    Utterance(
                        speaker="system", text=text, strategies=(label,), mentions=(mention,), meta={"latency_s": 0.5}
                    )
                )
            else:
                act = DialogueAct(intent=intents[int(rng.integers(len(intents)))])
                said.append(Utterance(speaker="user", text=text, acts=(act,), acts_by=ActOrigin.DECLARED))
        ending = Ending.AGENT_ERROR if rng.random() < 0.03 else Ending.USER_ENDED
        found.append(
            Dialogue(
                id=f"dialogue-{number}",
                system=f"system-{number % SYSTEMS}",
                user=f"person{number % 300}",
                utterances=tuple(said),
                ended_by=ending,
                need=Need(id=f"need-{number // SYSTEMS}"),
            )
        )
    return found


def scores(dialogues: Sequence[Dialogue], rng: np.random.Generator) -> list[Score | ScoreBlock]:
    """Twelve measures of every dialogue, four of every reply, and a rating of each by its person."""
    found: list[Score | ScoreBlock] = []
    for system in range(SYSTEMS):
        own = [each for each in dialogues if each.system == f"system-{system}"]
        replies = [len(each.utterances) // 2 for each in own]
        columns = tuple(
            ScoreColumn(
                measure=MeasureName(f"measure{number}|v1"),
                dialogues=tuple(rng.random(len(own)).round(6).tolist()),
                replies=tuple(rng.random(sum(replies)).round(6).tolist()) if number < 4 else (),
            )
            for number in range(MEASURES)
        )
        utterances = tuple(2 * place + 1 for count in replies for place in range(count))
        found.append(
            ScoreBlock(
                system=f"system-{system}",
                dialogues=tuple(each.id for each in own),
                replies=tuple(replies),
                utterances=utterances,
                columns=columns,
            )
        )
    name = MeasureName.of_question("satisfaction")
    found += [
        Score(
            measure=name,
            level="dialogue",
            value=float(rng.integers(1, 6)),
            system=each.system,
            dialogue_id=each.id,
            rater=each.user,
        )
        for each in dialogues
    ]
    return found


def findings() -> Findings:
    """What a report says, as far as the explorer reads it."""
    manifest = Manifest(command="evaluate")
    return Findings(title="50,000 dialogues", answer=(), systems=(), leagues=(), primary=None, manifest=manifest)


def measured(page: Any, name: str, before: int) -> float:
    """Milliseconds of the last measure of a name, once there are more of them than before."""
    wanted = f"performance.getEntriesByName('explorer:{name}')"
    end = time.monotonic() + PATIENCE_S
    while not page.evaluate(f"{wanted}.length > {before}"):  # what waits inside the page needs eval, which is forbidden
        if time.monotonic() > end:
            raise RuntimeError(f"{name}: nothing was drawn for {PATIENCE_S:.0f} s")
        page.wait_for_timeout(5)
    return float(page.evaluate(f"{wanted}.at(-1).duration"))


def opened(browser: Any, address: str) -> tuple[Any, float, float]:
    """(page, milliseconds until the list stands, until the browser first painted anything)."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{address}/explorer.html#measure=measure0%7Cv1")
    measured(page, "filter", 0)
    end = "const one = performance.getEntriesByName('explorer:filter')[0]; one.startTime + one.duration"
    stands = float(page.evaluate(f"(() => {{ {end.replace('; one', '; return one')} }})()"))
    paint = float(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"))
    return page, stands, paint


def change(page: Any, address: str) -> float:
    """Milliseconds of a change of the filters to those of an address."""
    before = int(page.evaluate("performance.getEntriesByName('explorer:filter').length"))
    page.evaluate("address => { location.hash = address }", f"#{address}")
    return measured(page, "filter", before)


def warmed(browser: Any, address: str) -> tuple[Any, float]:
    """(page that has read ahead, milliseconds until it had)."""
    page, _, _ = opened(browser, address)
    return page, measured(page, "warm", 0)


def medians(browser: Any, address: str, changes: dict[str, str]) -> dict[str, tuple[float, float, float]]:
    """(at once, first after reading ahead, median of later ones) of each change."""
    found = {}
    for name, change_to in changes.items():
        page, _, _ = opened(browser, address)
        at_once = change(page, change_to)
        page.close()
        page, _ = warmed(browser, address)
        first = change(page, change_to)
        later = []
        for _ in range(TIMES):
            change(page, "")
            later.append(change(page, change_to))
        found[name] = (at_once, first, statistics.median(later))
        page.close()
    return found


def reading(page: Any, times: int) -> list[float]:
    """Milliseconds of opening dialogues all over the list."""
    found = []
    for number in range(times):
        before = int(page.evaluate("performance.getEntriesByName('explorer:open').length"))
        page.evaluate(
            "address => { location.hash = address }",
            f"#open=/system-{number % SYSTEMS}/dialogue-{4_130 * number + number % SYSTEMS}",
        )
        found.append(measured(page, "open", before))
    return found


def table(rows: dict[str, tuple[float, float, float]]) -> list[str]:
    return [f"| {name} | " + " | ".join(f"{each:.0f}" for each in times) + " |" for name, times in rows.items()]


def page_text(folder: Path, taken_s: float, size: int, source: int, numbers: dict[str, Any]) -> str:
    """The page."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return PAGE_TEXT.format(
        commit=commit.stdout.strip(),
        cores=os.cpu_count(),
        load=os.getloadavg()[0],
        python=platform.python_version(),
        browser=numbers["version"],
        many=MANY,
        systems=SYSTEMS,
        messages=numbers["messages"],
        measures=MEASURES + 1,
        file=numbers["file"],
        http=numbers["http"],
        filters="\n".join(table(numbers["filters"])),
        searches="\n".join(table(numbers["searches"])),
        reading=statistics.median(numbers["reading"]),
        warm=numbers["warm"],
        times=TIMES,
        opened=len(numbers["reading"]),
        longest=max(numbers["reading"]),
        taken=taken_s,
        files=sum(path.is_file() for path in folder.rglob("*")),
        size=size / 1e6,
        source=source / 1e6,
        peak=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


def searched(browser: Any, address: str) -> dict[str, tuple[float, float, float]]:
    """(at once, first after reading ahead, median of later ones with terms that are not remembered) of each search."""
    found = {}
    for name, query in SEARCHES.items():
        page, _, _ = opened(browser, address)
        at_once = change(page, f"q={query.replace(' ', '%20')}")
        page.close()
        page, _ = warmed(browser, address)
        first = change(page, f"q={query.replace(' ', '%20')}")
        later = []
        for number in range(TIMES):
            change(page, "")
            for other in range(13):  # pushes the terms out of what is remembered
                page.evaluate("term => Explorer.textSearch.find(term)", f"unheard{number}{other}")
            later.append(change(page, f"q={query.replace(' ', '%20')}"))
        found[name] = (at_once, first, statistics.median(later))
        page.close()
    return found


def main() -> None:
    """Write the explorer, open it, and write the page."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("There is no Chromium on this machine.")
    rng = np.random.default_rng(0)
    dialogues = talks(rng)
    part = Part(scores=scores(dialogues, rng), dialogues=dialogues)
    with TemporaryDirectory() as room:
        folder = Path(room)
        start = time.process_time()
        write_explorer(findings(), [part], folder)
        taken_s = time.process_time() - start
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        print(f"written in {taken_s:.0f} CPU s", file=sys.stderr, flush=True)
        source = sum(len(to_line(each).encode()) + 1 for each in (*dialogues, *part.scores))
        numbers: dict[str, Any] = {"messages": sum(len(each.utterances) for each in dialogues)}
        with sync_playwright() as driver, run_server(folder) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
            numbers["version"] = browser.version
            places = {"file": folder.as_uri(), "http": f"http://127.0.0.1:{server.server_address[1]}"}
            for name, address in places.items():
                numbers[name] = _openings(browser, address, opened)
            page, numbers["warm"] = warmed(browser, places["file"])
            page.close()
            numbers["filters"] = medians(browser, places["file"], FILTERS)
            numbers["searches"] = searched(browser, places["file"])
            page, _, _ = opened(browser, places["file"])
            numbers["reading"] = reading(page, 12)
            browser.close()
            server.shutdown()
        PAGE.write_text(page_text(folder, taken_s, size, source, numbers), encoding="utf-8")


def _openings(browser: Any, address: str, do: Callable[[Any, str], tuple[Any, float, float]]) -> tuple[float, float]:
    """Medians of (list, first paint)."""
    found = []
    for _ in range(TIMES):
        page, stands, paint = do(browser, address)
        page.close()
        found.append((stands, paint))
    return statistics.median(each[0] for each in found), statistics.median(each[1] for each in found)


if __name__ == "__main__":
    main()
