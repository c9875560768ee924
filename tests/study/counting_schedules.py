"""Random histories of a study: arrivals, drop-outs, returns, late pages, exclusions, replacements, rejections, withdrawals.

After each, the database, the staff page, the export and what the report makes of it must say the same about every item.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from tests.study.walking import answers, running
from trialogue.inputs.study_files import read_export
from trialogue.study.design.checks import BLANK
from trialogue.study.design.pages import Step, phase_of
from trialogue.study.export import export_study
from trialogue.study.models import Decision, Item, Participant, Study, Submission
from trialogue.study.services import assigning, deciding, entering, leaving, steps
from trialogue.study.services.deciding import decide
from trialogue.study.services.reconciliation import reconcile_rows
from trialogue.study.staff.dashboard import coverage

STATUSES = ("RETURNED", "TIMED-OUT", "REJECTED", "AWAITING REVIEW", "APPROVED")


class History:
    """One random history of a study of its own.

    Args:
        seed: of the history.
        strata: whether participants are of groups, each with its own number of ratings per item, or of none.
    """

    def __init__(self, seed: int, *, strata: bool = False) -> None:
        self.rng, self.now = random.Random(seed), datetime(2026, 1, 5, 9, tzinfo=UTC)
        k, each = self.rng.choice((1, 2, 3)), self.rng.choice((2, 3))
        more = stratified(k := k + 1, self.rng) if strata else {}
        self.k = k
        self.study: Study = running(
            items=self.rng.choice((3, 4, 6)),
            name=f"history-{seed}",
            raters_per_item=k,
            items_per_participant=each,
            platform={"name": "prolific"},
            exclusion=["failed_checks"],
            attention={"checks": 1, "allowed_failures": 0, "min_seconds_per_item": 0},
            replace_at_most=self.rng.choice((0, 1, 2, 20)),
            phases=["consent", *(["screening"] if strata else []), "tasks", "after", "exit"],
            after=[{"questions": [{"name": "age", "question": "How old are you?", "number": {"low": 1, "high": 120}}]}],
            **more,
        )
        self.people: list[Participant] = []
        self.shown: list[tuple[Participant, Step]] = []
        """Pages that are open somewhere."""
        self.acknowledged: dict[tuple[int, str], Any] = {}
        self.situations: dict[tuple[int, str], str] = {}
        """Step that showed a person a situation, by the person and the situation's last line."""
        self.wrong: list[str] = []

    def run(self, *, events: int = 40) -> list[str]:
        """The history, and then careful people until nothing is left to do; what is wrong."""
        acts: tuple[Callable[[], object], ...] = (
            self._arrive, self._go_on, self._late_page, self._pass_time, self._platform, self._staff, self._withdraw,
        )  # fmt: skip
        with patch("django.utils.timezone.now", lambda: self.now):
            for _ in range(events):
                self.rng.choices(acts, (4, 16, 3, 1, 1.5, 2, 0.4))[0]()
            self._check()
            self._finish()
            self._check(full=True)
        return self.wrong

    def _arrive(self) -> Participant | None:
        name = f"p{len(self.people)}"
        came = entering.enter(self.study, {"PROLIFIC_PID": name, "SESSION_ID": f"e{name}"}).participant
        if came is not None:
            self.people.append(came)
        return came

    def _go_on(self) -> None:
        if self.people:
            self._advance(self.rng.choice(self.people), careful=self.rng.random() < 0.8)

    def _advance(self, person: Participant, *, careful: bool) -> bool:
        """Open the current page and send it, or leave it open; False at the end."""
        step = steps.current(person)
        if step is None or step.kind == "exit":
            return False
        self.shown.append((person, step))
        self._note_situation(person, step)
        if careful or self.rng.random() < 0.9:
            self._send(person, step, careful=careful)
        return True

    def _note_situation(self, person: Participant, step: Step) -> None:
        """No page of a person, be it a task or a check, shows the situation of another one."""
        lines = getattr(step.content, "context", ())
        if not lines or lines[-1].text == BLANK:
            return
        before = self.situations.setdefault((person.pk, lines[-1].text), step.key)
        if before != step.key and "check" in (phase_of(before), phase_of(step.key)):
            self.wrong.append(f"{person.number}: {step.key} repeats the situation of {before}")

    def _send(self, person: Participant, step: Step, *, careful: bool) -> None:
        posted = answers(step)
        if phase_of(step.key) == "screening":
            posted["group"] = [self.rng.choice(GROUPS)]
        if phase_of(step.key) == "check":
            expected = asked_answers(person, step)
            posted |= expected if careful else {}
        before = Submission.objects.filter(participant=person, step=step.key).first()
        outcome = steps.submit(person, step.token, posted)
        after = Submission.objects.filter(participant=person, step=step.key).first()
        if outcome.kind == "stored":
            self.acknowledged[person.pk, step.key] = after.answers if after else None
        elif (before is None) != (after is None) or (before and after and before.answers != after.answers):
            self.wrong.append(f"{outcome.kind} changed what is stored of {step.key}")

    def _late_page(self) -> None:
        if self.shown:
            person, step = self.rng.choice(self.shown)
            self._send(person, step, careful=True)

    def _pass_time(self) -> None:
        self.now += timedelta(minutes=self.rng.choice((10, 61, 200)))
        assigning.release_expired(self.study)

    def _platform(self) -> None:
        if self.people:
            number = self.rng.randrange(len(self.people))
            reconcile_rows(self.study, [(f"p{number}", self.rng.choice(STATUSES))])

    def _staff(self) -> None:
        if self.people:
            person = self.rng.choice(self.people)
            kind = self.rng.choice((Decision.Kind.EXCLUDE, Decision.Kind.READMIT))
            decide(person, kind, who="test", reason="wrote nonsense")

    def _withdraw(self) -> None:
        if self.people:
            person = self.rng.choice(self.people)
            leaving.withdraw(person)
            self.acknowledged = {key: value for key, value in self.acknowledged.items() if key[0] != person.pk}

    def _finish(self) -> None:
        """Who is at work ends or stays away; others come until all places are taken."""
        for person in self.people:
            while self.rng.random() < 0.9 and self._advance(person, careful=True):
                pass
        for _ in range(200):
            self.now += timedelta(hours=5)
            came = self._arrive()
            if came is None:
                return
            while self._advance(came, careful=True):
                pass
        self.wrong.append("people are let in for ever")

    def _check(self, *, full: bool = False) -> None:
        items = {each.key: each for each in deciding.counts_by_item(self.study)}
        for each in Item.objects.filter(study=self.study, kind=Item.Kind.TASK):
            now = items[each.key]
            if now.counted + now.pending + now.leased + now.left_out != each.taken or each.taken > self.k:
                self.wrong.append(f"{each.key}: {now}, taken {each.taken}")
            if full and now.counted + now.left_out != self.k:
                self.wrong.append(f"{each.key}: {now} at the end, instead of {self.k}")
        shown = {cell["key"]: cell["done"] for cell in coverage(self.study)["cells"]}
        exported = analysed(self.study)
        for key, now in items.items():
            if not shown[key] == exported[key] == now.counted:
                self.wrong.append(f"{key}: staff page {shown[key]}, report {exported[key]}, counted {now.counted}")
        if full:
            left_out = sum(each.left_out for each in items.values())
            self.wrong += [f"position {spread}"] if (spread := imbalance(self.study)) > 1 + left_out else []
            self._check_strata()
        stored = Submission.objects.filter(participant__study=self.study).exclude(participant__state="withdrew")
        there = {(each.participant_id, each.step): each.answers for each in stored}
        if there != self.acknowledged:
            self.wrong.append(f"stored and acknowledged differ: {there.keys() ^ self.acknowledged.keys()}")

    def _check_strata(self) -> None:
        """Every item has its ratings of every stratum, given by members, and positions are balanced in each, too."""
        for row in deciding.counts_by_stratum(self.study):
            if (row.open, row.running) != (0, 0):
                self.wrong.append(f"stratum {row}")
            if row.key and (spread := imbalance(self.study, stratum=row.key)) > 1 + row.left_out:
                self.wrong.append(f"position {spread} in {row.key}")
        for held in deciding.counted_assignments(self.study):
            if held.slot.stratum != held.participant.stratum:
                self.wrong.append(f"{held.participant.stratum} in a place of {held.slot.stratum}")


GROUPS = ("a", "b", "neither")


def stratified(k: int, rng: random.Random) -> dict[str, Any]:
    """Two strata with k ratings together, and people who are in none of them."""
    first = rng.randint(1, k - 1)
    asked = {"name": "group", "question": "Which group?", "choice": list(GROUPS)}
    return {
        "screening": {"questions": [asked]},
        "strata": [
            {"name": name, "when": {"group": [name]}, "raters": raters}
            for name, raters in zip(GROUPS, (first, k - first), strict=False)
        ],
    }


def asked_answers(person: Participant, step: Step) -> dict[str, list[str]]:
    """The right answers of an attention check."""
    from trialogue.study.services.asking import item_at

    shows = item_at(person, step.key)
    assert shows is not None
    return {
        part.prefix + name: [str(value)]
        for part in step.parts
        for name, value in shows.expected.items()
        if name in {question.name for question in part.questions}
    }


def analysed(study: Study) -> Counter[str]:
    """Raters of each item in the report's main analysis, read from an export."""
    with TemporaryDirectory() as folder:
        export_study(study, folder, who="test")
        data, _ = read_export(folder)
    people = data.countable_people
    counted = [score for score in data.system_ratings if people is None or score.rater in people]
    pairs = {(score.dialogue_id, score.rater) for score in counted}
    keys = dict(Item.objects.filter(study=study, kind=Item.Kind.TASK).values_list("dialogue", "key"))
    return Counter(keys[str(dialogue)] for dialogue, _ in pairs)


def imbalance(study: Study, *, stratum: str = "") -> int:
    """Largest difference between positions of a system among answers that count, of everybody or of a stratum."""
    places: dict[str, Counter[int]] = {}
    of_stratum = (each for each in deciding.counted_assignments(study) if stratum in ("", each.slot.stratum))
    for each in of_stratum:
        for place, system in enumerate(each.slot.order):
            places.setdefault(system, Counter())[place] += 1
    return max((max(row.values()) - min(row[place] for place in range(len(row))) for row in places.values()), default=0)


def failures(seeds: Iterable[int], *, strata: bool = False) -> dict[int, list[str]]:
    """Histories after which something is wrong."""
    return {seed: wrong for seed in seeds if (wrong := History(seed, strata=strata).run())}
