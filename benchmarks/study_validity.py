"""How often do signs of language models err? Writes ``benchmarks/VALIDITY.md``.

Scripted people, people with a language model beside them, and programs that fill in forms walk every page of a preference
study with reasons, a hidden instruction and questions that people hardly know. How they read, write and type is assumed
(``trialogue.study.bots.people``): the rates are those of scripts. About a minute for each hundred participants.

    python -m benchmarks.study_validity [--each 120]
"""

import argparse
import json
import os
import platform
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from trialogue.inputs.inputs import gather
from trialogue.stats.comparison.inference import wilson
from trialogue.study.bots.people import TRAPS, RespondentKind
from trialogue.study.bots.simulation import SimulatedStudy, simulate_study
from trialogue.study.design.folder import new_study
from trialogue.study.design.validity import Validity, near_duplicates, shingles
from trialogue.subjects.people.commands.items import items_for

PAGE = Path(__file__).parent / "VALIDITY.md"
MANNERS: tuple[RespondentKind, ...] = ("person", "assisted", "agent")
SIGNS = ("hidden_instruction", "trap_questions", "near_duplicate", "below_reading_time", "typed_too_fast")
RULES = ("pasted", "away")
ITEMS = 9
SEED = 21  # 20 was looked at when the similarity of near duplicates was chosen
SIMILARITIES = (0.5, 0.6, 0.7, 0.8, 0.9)


def study_in(folder: Path, *, people: int) -> Path:
    """A preference study with everything that is looked for, and places for so many."""
    items = items_for("preference", ["demo"])
    k = -(-people * ITEMS // len(items)) + 4
    new_study(folder, "preference", items)
    path = folder / "study.yaml"
    path.write_text(
        json.dumps(
            {
                "study": "validity",
                "type": "preference",
                "title": "Which reply is better?",
                "reason": "required",
                "raters_per_item": k,
                "items_per_participant": ITEMS,
                "one_per_dialogue": False,
                "phases": ["consent", "tasks", "after", "exit"],
                "consent": {"text": "You may leave at any time."},
                "after": [{"questions": [{"preset": "llm-traps"}]}],
                "attention": {"checks": 1},
                "validity": {
                    "hidden_instruction": True,
                    "traps": {name: [right] for name, right in TRAPS.items()},
                },
            }
        ),
        encoding="utf-8",
    )
    return folder


def measured(each: int) -> SimulatedStudy:
    """So many of each manner, at once: texts are compared between all of them."""
    with TemporaryDirectory() as room:
        folder = study_in(Path(room) / "study", people=each * len(MANNERS))
        share = 1 / len(MANNERS)
        return simulate_study(
            folder,
            workers=each * len(MANNERS),
            seed=SEED,
            drop_out=0.0,
            careless=0.0,
            person=share,
            assisted=share,
            agent=share,
        )


def page_of(found: SimulatedStudy) -> str:
    """The page."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout
    lines = [
        "# How often do signs of language models err?",
        "",
        f"Commit {commit.strip()}, Python {platform.python_version()}. Written by `python -m benchmarks.study_validity`.",
        f"{found.workers} scripted participants walked every page of a preference study ({ITEMS} pairs with reasons, a",
        "hidden instruction, three questions of the preset `llm-traps`). Shares are of those who completed, with 95 %",
        "Wilson intervals. How they read, write and type is assumed (`trialogue.study.bots.people`): **rates of",
        "scripts, not of people**. The scripted model has 27 phrases, so near duplicates are easy to find; nobody knows how",
        "alike people's own reasons are in your study, nor what a language model of today does. Try a sign with colleagues",
        "before you rely on it. No sign excludes anybody.",
        "",
        "`person` reads, writes and types; `assisted` lets a language model write and mostly pastes it; `agent` is a",
        "program that reads the source of pages: half of them hurry, 60 % follow what the source asks for.",
        "",
        "| sign | person: false alarms | assisted: found | agent: found |",
        "|---|---|---|---|",
    ]
    for sign in (*SIGNS, *RULES):
        cells = [_cell(found, manner, sign) for manner in MANNERS]
        note = " (rule)" if sign in RULES else ""
        lines.append(f"| `{sign}`{note} | {' | '.join(cells)} |")
    lines += [
        "",
        "`pasted` and `away` are exclusion rules that a study may plan; here with their default limits.",
        "",
        "## How the similarity of near duplicates was chosen",
        "",
        "After the fact. The first default was 0.5, and an earlier run of these scripts (seed 20, 450 participants) flagged",
        "130 of 150 persons with it: among 4,050 texts of one set of phrases most are like another's. On texts of the same",
        "scripts and on the messages below 0.7 and 0.8 were then tried, and 0.8 was kept as the one of them that",
        f"flagged no scripted person. The table above is of other participants (seed {SEED}), who walked after the choice,",
        "but of the same scripts: it shows that the choice holds for new draws of them, and nothing about people.",
        "",
    ]
    lines += _of_people()
    return "\n".join(lines)


def _of_people() -> list[str]:
    """Near duplicates between real people: seekers' messages of INSPIRED, where a mirror of it is at hand."""
    mirror = os.environ.get("TRIALOGUE_DATA_MIRROR", "")
    if not mirror or not (Path(mirror) / "inspired").exists():
        return []
    texts: dict[str, list[str]] = {}
    for dialogue in gather([Path(mirror) / "inspired"]).dialogues:
        own = texts.setdefault(dialogue.user or dialogue.id, [])
        own += [each.text for each in dialogue.utterances if each.speaker == "user"]
    compared = {number: own for number, own in enumerate(texts.values()) if sum(map(bool, map(shingles, own))) >= 2}
    lines = [
        "Real people who did not copy from each other: seekers' messages of INSPIRED, by people with two messages or more",
        "that are long enough. These are messages of a chat, not reasons.",
        "",
        "| similarity | flagged |",
        "|---|---|",
    ]
    for similarity in SIMILARITIES:
        rule = Validity(similarity=similarity)
        counts = near_duplicates(compared, rule)
        flagged = sum(count >= rule.duplicates_at_least for count in counts.values())
        name = f"{similarity} (default)" if similarity == Validity().similarity else str(similarity)
        lines.append(f"| {name} | {_share(flagged, len(compared))} |")
    return [*lines, ""]


def _cell(found: SimulatedStudy, manner: str, sign: str) -> str:
    done = found.completed.get(manner, 0)
    count = (found.flags if sign in RULES else found.signals).get(manner, {}).get(sign, 0)
    return _share(count, done)


def _share(count: int, total: int) -> str:
    ends = wilson(count, total).interval
    assert ends is not None
    return f"{count}/{total} = {100 * count / total:.1f} % [{100 * ends.low:.1f}, {100 * ends.high:.1f}]"


def main() -> None:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=120, help="participants of each manner")
    found = measured(parser.parse_args().each)
    assert not found.wrong, found.wrong
    PAGE.write_text(page_of(found), encoding="utf-8")


if __name__ == "__main__":
    main()
