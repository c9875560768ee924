"""Exports of INFACT's web application (Manzoor & Jannach, KaRS 2022): human ratings of three systems' responses.

The application writes ``CRS_Study/<visitor>/<trial>`` with a response and a rating of each system, the dialogue's number and
the situation's text; its own parser expects other spellings of the keys and so reads nothing. Here keys are compared
ignoring case, blanks and underscores, so both spellings are read.

Participants who failed the attention check (its response asks for a rating below 3; INFACT only looks at the system it calls
"our") are excluded, as in INFACT, and counted. Visitors are identified by a cookie that served as a credential: it is
replaced by a code. Trials whose responses differ from those shown to others in the same situation are excluded and counted,
because the application files old responses under new situations when a page is submitted twice.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from trialogue.datasets.base import Head, SimpleFormat
from trialogue.datasets.json_documents import ParseReport, read_json
from trialogue.records import JsonValue, Rating, Response, Situation, Speaker, Utterance
from trialogue.records.files.jsonl import Note, warn

NAME = "infact-firebase"
CRITERION, LOW, HIGH = "meaningfulness", 1.0, 5.0
CHECK = "i am reading this carefully"
PASSES_BELOW = 3  # INFACT's rule for its check
OUR = "our"
SYSTEMS = {"our": "our", "deepcrs": "deep_crs", "kgsf": "kgsf", "kbrd": "kbrd"}
TAG = re.compile(r"\s*(USER|SEEKER|CHAT-?BOT|GROUND TRUTH|SYSTEM)\s*:\s*(.*)", re.IGNORECASE)

Entry = Mapping[str, JsonValue]


@dataclass(frozen=True)
class Trial:
    """One submitted page of one visitor."""

    visitor: str
    situation: str
    dialogue: str
    fragment: str
    said: dict[str, str]
    ratings: dict[str, float]

    @property
    def is_check(self) -> bool:
        """Whether it is the attention check."""
        return any(text.lower().lstrip().startswith(CHECK) for text in self.said.values())


def read_export(path: Path, *, note: Note = warn) -> Iterator[Situation | Response]:
    """Read every rated situation, followed by the systems' responses with their ratings.

    Args:
        path: the exported JSON document.
        note: called with each repair or omission.

    Raises:
        DataError: it is no JSON, or holds no visitors.
    """
    report = ParseReport(str(path), note)
    visitors = _visitors(read_json(path, report))
    if not visitors:
        report.wrong("CRS_Study contains no visitors.", hint="Export the whole database as JSON, from its root.")
    trials = [trial for name, entries in visitors.items() for trial in _trials(name, entries, report)]
    kept = _attentive(trials, report)
    texts = _commonest_texts(kept)
    fitting = [trial for trial in kept if trial.said == texts[trial.situation]]
    for _ in range(len(kept) - len(fitting)):
        report.mend("a page with other responses than the rest of its situation was left out")
    report.settle()
    yield from _records(fitting, texts)


def _visitors(document: JsonValue) -> dict[str, Entry]:
    """Entries by visitor, wherever ``CRS_Study`` stands."""
    if not isinstance(document, dict):
        return {}
    root = next((value for key, value in document.items() if _plain(key) == "crsstudy"), document)
    if not isinstance(root, dict):
        return {}
    return {name: _index_by_key(entries) for name, entries in root.items() if isinstance(entries, dict | list)}


def _index_by_key(entries: JsonValue) -> Entry:
    """Firebase turns keys 1, 2, 3 into a list, whose first place is null."""
    if isinstance(entries, list):
        return {str(place): entry for place, entry in enumerate(entries) if entry is not None}
    return entries if isinstance(entries, dict) else {}


def _trials(visitor: str, entries: Entry, report: ParseReport) -> Iterator[Trial]:
    # The keys of Firebase are ids of browsers: hashed, so that no record names one, and stable across exports.
    code = "W" + hashlib.sha256(visitor.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    for key, entry in entries.items():
        if not key.strip().isdigit() or not isinstance(entry, dict):
            continue
        fields = {_plain(name): value for name, value in entry.items()}
        said, ratings = {}, {}
        for prefix, system in SYSTEMS.items():
            text = fields.get(f"{prefix}response")
            if not isinstance(text, str):
                continue
            said[system] = text.strip()
            rating = _rating(fields.get(f"{prefix}rating"))
            if rating is None:
                report.mend("a rating that is not a number from 1 to 5 was left out", f"{visitor[:6]}….{key}")
            else:
                ratings[system] = rating
        fragment = str(fields.get("fragment") or "")
        dialogue = str(fields.get("dialogid") or fields.get("dialogueid") or "")
        if not said or not fragment:
            report.mend("a trial without responses or situation was left out", f"{visitor[:6]}….{key}")
            continue
        digest = hashlib.sha256(fragment.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        yield Trial(code, f"{dialogue or '?'}#{digest}", dialogue, fragment, said, ratings)


def _plain(key: str) -> str:
    return re.sub(r"[^a-z0-9]", "", key.lower())


def _rating(value: JsonValue) -> float | None:
    try:
        number = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else None
    except ValueError:
        return None
    return number if number is not None and LOW <= number <= HIGH else None


def _attentive(trials: list[Trial], report: ParseReport) -> list[Trial]:
    """Trials of visitors who passed the check, without the checks themselves."""
    failed = {trial.visitor for trial in trials if trial.is_check and not trial.ratings.get(OUR, HIGH) < PASSES_BELOW}
    checked = {trial.visitor for trial in trials if trial.is_check}
    for _ in failed:
        report.mend("a visitor failed the attention check and was left out")
    for _ in {trial.visitor for trial in trials} - checked:
        report.mend("a visitor who never saw the attention check was left out, as in INFACT")
    return [trial for trial in trials if trial.visitor in checked - failed and not trial.is_check]


def _commonest_texts(trials: list[Trial]) -> dict[str, dict[str, str]]:
    """The responses that most visitors saw in each situation; of equals, those seen first."""
    seen: dict[str, Counter[tuple[tuple[str, str], ...]]] = {}
    for trial in trials:
        seen.setdefault(trial.situation, Counter())[tuple(trial.said.items())] += 1
    return {situation: dict(counts.most_common(1)[0][0]) for situation, counts in seen.items()}


def _records(trials: list[Trial], texts: Mapping[str, Mapping[str, str]]) -> Iterator[Situation | Response]:
    by_situation: dict[str, list[Trial]] = {}
    for trial in trials:
        by_situation.setdefault(trial.situation, []).append(trial)
    for situation, found in by_situation.items():
        yield Situation(
            id=situation,
            context=_context(found[0].fragment),
            dialogue_id=found[0].dialogue or None,
            source=NAME,
        )
        for system, text in texts[situation].items():
            ratings = tuple(
                Rating(name=CRITERION, value=trial.ratings[system], rater=trial.visitor, low=LOW, high=HIGH)
                for trial in found
                if system in trial.ratings
            )
            said = Utterance(speaker="system", text=text, ratings=ratings)
            yield Response(situation_id=situation, system=system, utterance=said)


def _context(fragment: str) -> tuple[Utterance, ...]:
    """The situation's lines by their tags; a text without tags, or that ends on the system, is one user utterance."""
    lines: list[Utterance] = []
    for line in fragment.replace("<s>", "").replace("</s>", "").splitlines():
        tagged = TAG.match(line)
        if tagged:
            speaker: Speaker = "user" if tagged[1].upper() in ("USER", "SEEKER") else "system"
            lines.append(Utterance(speaker=speaker, text=tagged[2].strip()))
        elif lines and line.strip():
            lines[-1] = lines[-1].model_copy(update={"text": f"{lines[-1].text} {line.strip()}"})
    if not lines or lines[-1].speaker != "user":
        return (Utterance(speaker="user", text=fragment.strip()),)
    return tuple(lines)


def _is_firebase_export(head: Head) -> bool:
    return head.is_json_object and re.search(r'"CRS_?Study"\s*:', head.text, re.IGNORECASE) is not None


FORMAT = SimpleFormat(
    name=NAME,
    summary="Exports of INFACT's web application: ratings of three systems' responses, in both spellings of its keys.",
    recognise=_is_firebase_export,
    reader=lambda path, note: read_export(path, note=note),
)
