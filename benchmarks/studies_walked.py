"""Whole studies, from the first page to the findings: scripted participants walk the real pages; what is found is known.

    python -m benchmarks.studies_walked 40

In half of the studies systems differ, in half they do not; a tenth of the participants answers at random, and a tenth is
gone at some page. What comes of it becomes a section of ``benchmarks/STUDIES.md``, which ``benchmarks/studies.py`` keeps:
that one simulates ratings and no pages.
"""

import json
import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.studies import PAGE, WALKED, machine, without_walked
from trialogue.study.bots.simulation import simulate_study
from trialogue.subjects.people.commands.parameter_recovery import compare_with_truth
from trialogue.subjects.people.commands.report import study_findings

EFFECTS = {"s1": 0.0, "s2": 0.5, "s3": 1.0}
NONE = dict.fromkeys(EFFECTS, 0.0)
WORKERS, ITEMS, EACH, K = 34, 60, 9, 3  # 20 people of 9 items fill 60 items of 3 places; some leave, others come
SCALE = ["Entirely meaningless", "Meaningless", "Between", "Somewhat meaningful", "Perfectly meaningful"]
FRAME: dict[str, Any] = {
    "study": "walked",
    "title": "Which reply makes sense?",
    "type": "rating",
    "raters_per_item": K,
    "items_per_participant": EACH,
    "criteria": [{"name": "meaningfulness", "question": "How meaningful is it?", "scale": SCALE}],
    "phases": ["consent", "instructions", "tasks", "exit"],
    "consent": {"version": "1", "text": "You may leave at any time."},
    "instructions": "Read, and judge.",
    "attention": {"checks": 2, "min_seconds_per_item": 3},
    "exclusion": ["failed_checks"],
    "replace_excluded": True,
}


def folder_of(room: Path, seed: int) -> Path:
    """A study of 60 situations with replies of three systems; the seed is that of its orders."""
    folder = room / "study"
    folder.mkdir()
    (folder / "study.yaml").write_text(json.dumps({**FRAME, "seed": seed}), "utf-8")  # JSON is YAML
    rows = [
        {
            "key": f"item{number}",
            "context": [{"speaker": "user", "text": f"I look for a film, number {number}."}],
            "responses": {system: f"Reply {place} to {number}." for place, system in enumerate(EFFECTS)},
        }
        for number in range(ITEMS)
    ]
    (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return folder


def walked(seed: int, effects: dict[str, float]) -> dict[str, Any]:
    """One study: what was wrong with it, what its analysis says, and what it took."""
    before, start = _cpu(), time.perf_counter()
    with tempfile.TemporaryDirectory() as place:
        room = Path(place)
        folder = folder_of(room, seed)
        study = simulate_study(folder, workers=WORKERS, effects=effects, seed=seed, export=room / "export")
        between, middle = _cpu(), time.perf_counter()
        findings = study_findings(room / "export", seed=seed)
    league = findings.ratings[0].league
    contrasts = league.contrasts if league is not None else ()
    return {
        "wrong": study.wrong,
        "complete": study.complete,
        "requests": study.requests,
        "excluded": findings.flow.excluded if findings.flow else 0,
        "p": min((pair.p_adjusted for pair in contrasts if pair.p_adjusted is not None), default=None),
        "pairs": [(pair.verdict, pair.is_covered) for pair in compare_with_truth(findings, effects)],
        "decided": sum(pair.leader is not None for pair in contrasts),
        "pages_cpu": between - before,
        "analysis_cpu": _cpu() - between,
        "pages_s": middle - start,
        "analysis_s": time.perf_counter() - middle,
    }


def _cpu() -> float:
    """CPU seconds of this process and those that it has ended."""
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in uses)


def section(found: list[dict[str, Any]], nothing: list[dict[str, Any]]) -> str:
    """The section of the page."""
    every = [*found, *nothing]
    pairs = [pair for study in found for pair in study["pairs"]]
    verdicts = Counter(verdict for verdict, _ in pairs)
    covered = [held for _, held in pairs if held is not None]
    mistakes = Counter(words for study in every for words in study["wrong"])
    n = len(nothing)
    rows = {
        "studies in which something happened that must not": "; ".join(f"{c} × {w}" for w, c in mistakes.items())
        or "none",
        f"studies in which every item has exactly {K} judgements": f"{sum(s['complete'] for s in every)} of {len(every)}",
        "pages asked for in a study, on average": f"{_mean(every, 'requests'):.0f}",
        "participants left out by the rule of the file, on average": f"{_mean(every, 'excluded'):.1f}",
        "systems differ: some pair does at 5 %, corrected": _share(sum(_holds(s) for s in found), len(found)),
        "pairs: right, inconclusive, wrong way round": ", ".join(
            str(verdicts[each]) for each in ("right", "inconclusive", "wrong")
        ),
        "pairs whose interval holds what was put in": f"{sum(covered)} of {len(covered)}",
        "nothing differs: the main test finds something at 5 %": _share(sum(_holds(s) for s in nothing), n),
        "nothing differs: a pair is decided": _share(sum(s["decided"] > 0 for s in nothing), n),
        "CPU seconds of a study: pages, analysis": f"{_mean(every, 'pages_cpu'):.1f}, {_mean(every, 'analysis_cpu'):.1f}",
        "seconds on the clock: pages, analysis": f"{_mean(every, 'pages_s'):.1f}, {_mean(every, 'analysis_s'):.1f}",
    }
    lines = [
        WALKED,
        "",
        f"{machine()}. Written by `python -m benchmarks.studies_walked {len(every)}`, at low priority.",
        f"{WORKERS} scripted participants come to a study of {ITEMS} situations with replies of three systems: {K}",
        f"judgements each, {EACH} a person, two attention checks. A tenth answers at random, a tenth is gone at some page;",
        f"who fails a check is left out and replaced. In {len(found)} studies systems differ by half a logit a step, in",
        f"{n} they do not. Every page is read and sent through all of Django, with a clock of its own; the export is",
        "analysed as `trialogue study report` does it. Scripted participants differ in severity, situations in",
        "difficulty; nobody has a taste for a system of their own, so tests that allow for tastes find a little less than",
        "they may. So many studies without a difference do not verify the level of a test; those analysed above do.",
        "",
        "| | |",
        "|---|---|",
        *(f"| {name} | {value} |" for name, value in rows.items()),
        "",
    ]
    return "\n".join(lines)


def _mean(studies: list[dict[str, Any]], name: str) -> float:
    return float(sum(study[name] for study in studies) / len(studies))


def _share(count: int, n: int) -> str:
    """A count with its exact 95 % interval (Clopper and Pearson)."""
    from scipy.stats import binomtest

    ends = binomtest(count, n).proportion_ci()
    low, high = (f"{end:.3f}".removeprefix("0") for end in (ends.low, ends.high))
    return f"{count} of {n} [{low}, {high}]"


def _holds(study: dict[str, Any]) -> bool:
    return study["p"] is not None and study["p"] < 0.05


def main() -> None:
    """So many studies, half of them without any difference."""
    n = max(2, int(sys.argv[1]) if len(sys.argv) > 1 else 20)
    kinds = {"found": EFFECTS, "nothing": NONE}
    got: dict[str, list[dict[str, Any]]] = {name: [] for name in kinds}
    for seed in range(n // 2):
        for name, effects in kinds.items():
            got[name].append(walked(1000 * (name == "nothing") + seed, effects))
            print(f"{name} {seed + 1} of {n // 2}: {got[name][-1]}", flush=True)
    text = section(got["found"], got["nothing"])
    page = without_walked(PAGE.read_text("utf-8")) if PAGE.is_file() else ""
    PAGE.write_text(f"{page.rstrip()}\n\n{text}".lstrip(), "utf-8")
    print(text)


if __name__ == "__main__":
    main()
