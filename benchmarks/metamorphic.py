"""One conversation set in many forms: is every value the same, or the difference named?

    python -m benchmarks.metamorphic [--sets 40] [--forms 60] [--seed 0] [--out FILE]

Sets are invented (``metamorphic_sets``), and written by somebody who has not read the readers (``metamorphic_forms``).
What is read is compared with what was written, and values, intervals, n and verdicts of an evaluation with those of
Trialogue's own records. A difference that no error or note names is silent.
"""

import argparse
import json
import math
import re
import shutil
import tempfile
import time
import traceback
import unicodedata
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import trialogue
from benchmarks.metamorphic_forms import CHAT_RATING, SCALED, Form, draw_forms, headings_of, write
from benchmarks.metamorphic_sets import InventedSet, invent

NAMES = {
    "dialogues": r"repeat|left out|several conversations|same id|without a text",
    "texts": r"repeat|left out|several conversations|same id|empty|out of order",
    "thought": r"thought",
    "systems": r"(not read|Not read).*(\b(PLACES)\b)|the system|names? the system|one system",
    "persons": r"(not read|Not read).*(\b(PLACES)\b)",
    "ratings": r"(not read|Not read).*(\b(PLACES)\b)|ratings of (replies|messages)|feedback in an unknown form",
}
"""What a message must say to name a difference of each kind; PLACES: the headings in which the form wrote it."""
FOLLOWS = "evaluation"
"""Difference that needs no name of its own where its cause was named."""


def is_named(what: str, form: Form, notes: Sequence[str]) -> bool:
    """Whether a note names a difference of this kind."""
    part = {"systems": 4, "persons": 5, "ratings": 6}.get(what)
    place = "" if part is None else re.escape(headings_of(form)[part]) + "|" + "|".join(CHAT_RATING)
    return any(re.search(NAMES[what].replace("PLACES", place), note) for note in notes)


@dataclass
class Outcome:
    """What became of one form: equal, refused, named or silent (or crashed), with what differed."""

    form: Form
    seed: int
    kind: str
    differs: tuple[str, ...] = ()
    detail: str = ""
    notes: tuple[str, ...] = field(default=())


def check(invented: InventedSet, form: Form, given: Sequence[Any], expected: dict[str, Any]) -> Outcome:
    """Read and evaluate one form."""
    notes: list[str] = []
    try:
        records = list(trialogue.read(*given, note=lambda problem: notes.append(str(problem))))
        if len(given) > 1:  # a table of ratings is joined by evaluate, and read as dialogues without a text
            records = [record for record in records if getattr(record, "utterances", ())]
        found = differences(invented, form, records)
        run = trialogue.evaluate(*given, metrics=["length"], resamples=200)
    except trialogue.TrialogueError as error:
        return Outcome(form, invented.seed, "refused", (), str(error), tuple(notes))
    except Exception:  # noqa: BLE001  what must never happen is counted
        return Outcome(form, invented.seed, "crashed", (), traceback.format_exc(limit=-4))
    notes += run.findings.warnings
    found |= evaluation_differences(expected, summary(run))
    if not found:
        return Outcome(form, invented.seed, "equal", notes=tuple(notes))
    unnamed = [what for what in found if what != FOLLOWS and not is_named(what, form, notes)]
    if list(found) == [FOLLOWS]:
        unnamed = [FOLLOWS]
    detail = "; ".join(f"{what}: {text}" for what, text in found.items())
    return Outcome(form, invented.seed, "silent" if unnamed else "named", tuple(found), detail, tuple(notes))


def differences(invented: InventedSet, form: Form, records: Sequence[Any]) -> dict[str, str]:
    """What was read otherwise than it was written, by kind."""
    joined = form.format in ("two-tables", "chats+table")
    want = Counter(_wanted(invented, thought=form.thought != "none", rated=not joined))
    have = Counter(_read(record) for record in records)
    if want == have:
        return {}
    found = {}
    if want.total() != have.total():
        found["dialogues"] = f"{want.total()} written, {have.total()} read"
    for at, name in enumerate(("systems", "persons", "texts", "thought", "ratings")):
        expected, got = Counter(w[at] for w in want.elements()), Counter(h[at] for h in have.elements())
        if name in ("texts", "thought"):
            expected, got = (Counter(part for parts in c.elements() for part in parts) for c in (expected, got))
        if expected != got:
            found[name] = f"expected {_some(expected - got)}, got {_some(got - expected)}"
    return found or {"texts": "parts are combined otherwise"}


def _wanted(invented: InventedSet, *, thought: bool, rated: bool) -> list[tuple[Any, ...]]:
    return [
        (
            talk.system,
            None if talk.person is None else f"p{talk.person}",
            tuple((s.speaker, unicodedata.normalize("NFC", s.text)) for s in talk.said),
            tuple(s.thought if thought else None for s in talk.said),
            () if talk.rating is None or not rated else (float(talk.rating),),
        )
        for talk in invented.talks
    ]


def _read(record: Any) -> tuple[Any, ...]:
    said = getattr(record, "utterances", ())
    own = tuple(("utterance", rating.name, rating.value) for s in said for rating in s.ratings)
    return (
        getattr(record, "system", None),
        getattr(record, "user", None),
        tuple((s.speaker, s.text) for s in said),
        tuple(s.thought for s in said),
        (*(rating.value for rating in getattr(record, "ratings", ())), *own),
    )


def _some(counts: Counter[Any]) -> str:
    return str([f"{number} x {str(value)[:200]}" for value, number in counts.most_common(2)])


def summary(run: trialogue.Run) -> dict[str, Any]:
    """Values, intervals, n and verdicts of the human rating and of length, without the name of the rating."""
    rows: list[dict[str, Any]] = run.table("records")
    pairs: list[dict[str, Any]] = run.table("records", of="pairs")
    kept = ("value", "low", "high", "n", "clusters", "skipped", "rank_low", "rank_high", "letters", "by", "validity")
    compared = ("difference", "low", "high", "n", "p_adjusted", "verdict", "validity")
    found = {f"{_measure(r)} {r['system']}": [r[k] for k in kept] for r in rows}
    return found | {f"{_measure(r)} {r['a']}-{r['b']}": [r[k] for k in compared] for r in pairs}


def _measure(row: dict[str, Any]) -> str:
    return "human" if row["measure"].startswith("human:") else str(row["measure"])


def evaluation_differences(expected: dict[str, Any], got: dict[str, Any]) -> dict[str, str]:
    """Numbers and verdicts that differ, up to rounding in the last places."""
    wrong = [key for key in expected | got if not _same(expected.get(key), got.get(key))]
    if not wrong:
        return {}
    return {"evaluation": f"{wrong[0]}: expected {expected.get(wrong[0])}, got {got.get(wrong[0])} ({len(wrong)} rows)"}


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, float) and isinstance(other, (float, int)):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return bool(one == other)


def run_sets(sets: int, forms: int, seed: int) -> list[Outcome]:
    """Every form of every set, in a temporary folder."""
    outcomes = []
    with tempfile.TemporaryDirectory() as room:
        for number in range(seed, seed + sets):
            invented = invent(number)
            expected: dict[Form, dict[str, Any]] = {}
            for at, form in enumerate(draw_forms(invented, forms)):
                folder = Path(room) / f"{number}-{at}"
                plain = _plain_form(invented, form)
                if plain not in expected:
                    given = write(invented, plain, folder)
                    expected[plain] = summary(trialogue.evaluate(*given, metrics=["length"], resamples=200))
                outcomes.append(check(invented, form, write(invented, form, folder), expected[plain]))
                shutil.rmtree(folder, ignore_errors=True)
    return outcomes


def _plain_form(invented: InventedSet, form: Form) -> Form:
    """Own records, under the same ids (resampling goes in their order) and with the scale that the form states."""
    ids = form.ids if form.ids in ("padded", "uuid") else "int"
    stated = form.feedback if form.feedback in SCALED else "number"
    return Form("records-memory", ids=ids, feedback="0/1" if invented.binary else stated)


def print_outcomes(outcomes: Sequence[Outcome]) -> None:
    """A table of formats by outcome, and everything that is not equal, by cause."""
    kinds = ("equal", "named", "refused", "silent", "crashed")
    print(f"{'format':18}" + "".join(f"{kind:>9}" for kind in kinds))
    for name in dict.fromkeys(outcome.form.format for outcome in outcomes):
        counts = Counter(outcome.kind for outcome in outcomes if outcome.form.format == name)
        print(f"{name:18}" + "".join(f"{counts[kind]:9}" for kind in kinds))
    total = Counter(outcome.kind for outcome in outcomes)
    print(f"{'all':18}" + "".join(f"{total[kind]:9}" for kind in kinds))
    for kind in ("crashed", "silent", "named", "refused"):
        groups: dict[str, list[Outcome]] = {}
        for outcome in outcomes:
            if outcome.kind == kind:
                cause = ", ".join(outcome.differs) or _kind_of_message(outcome.detail)
                groups.setdefault(cause, []).append(outcome)
        for cause, members in sorted(groups.items(), key=lambda group: -len(group[1])):
            print(f"\n{kind.upper()} {len(members)} x {cause}")
            for outcome in members[:4]:
                print(f"  set {outcome.seed}: {outcome.form}\n    {outcome.detail[:700]}")
                print("".join(f"    note: {note[:300]}\n" for note in outcome.notes[:6]), end="")


def _kind_of_message(text: str) -> str:
    """A message without what differs between files: places, ids, numbers."""
    text = re.sub(r"\S*\b(log|talks|ratings|data)(\.\w+)*(\[\d+\])?(, line \d+)?", "FILE", text)
    text = re.sub(r"'[^']*'(, '[^']*')*", "'...'", text)
    text = re.sub(r"So (is|are) .*further ids?: '...'( and \d+ more)?", "So are further ids", text)
    text = re.sub(r"from their names: [^.]*", "from their names", text)
    return re.sub(r"(, field [\w ]+)|( and \d+ more)|\b\w+\[\d+\]|\d+", "#", text)[:170]


def main(argv: Sequence[str] | None = None) -> int:
    """Run, print, and return 1 if a difference was silent."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=40)
    parser.add_argument("--forms", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0, help="first set; sets are seeds in a row")
    parser.add_argument("--out", type=Path, help="JSON Lines with every outcome")
    options = parser.parse_args(argv)
    warnings.simplefilter("ignore")
    start = time.process_time()
    outcomes = run_sets(options.sets, options.forms, options.seed)
    if options.out:
        lines = [vars(o) | {"form": vars(o.form)} for o in outcomes]
        options.out.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    print_outcomes(outcomes)
    print(f"\n{len(outcomes)} cases in {time.process_time() - start:.0f} CPU s")
    return int(any(outcome.kind in ("silent", "crashed") for outcome in outcomes))


if __name__ == "__main__":
    raise SystemExit(main())
