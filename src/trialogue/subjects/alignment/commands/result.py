"""Result of an alignment run: profiles, reliability checks, and the value of more labels."""

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from trialogue.analysis.beside import MAX_PROFILE_RESAMPLES, Beside
from trialogue.analysis.infer import Estimates
from trialogue.errors import Problem
from trialogue.findings import League
from trialogue.findings.alignment_profile import alignment_profiles
from trialogue.findings.alignment_records import AlignmentProfile, alignment_sections
from trialogue.findings.label_origins import rehearsals
from trialogue.findings.languages import with_known_labels
from trialogue.inputs.inputs import InputRecords
from trialogue.metrics import Conversation, Reply, group_by_system, offline_conversations
from trialogue.metrics.alignment.behavior_alignment import FIRST
from trialogue.metrics.names import parse_parameter
from trialogue.records import Labeller, MeasureName, has_ground_truth, labeller_of, write_records
from trialogue.records.files.jsonl import warn
from trialogue.records.files.opening import write_text
from trialogue.records.runs import run_draft
from trialogue.strategies.base import CLASSES
from trialogue.subjects.alignment.commands.trust import doubts
from trialogue.subjects.alignment.labelling.pairs import counted_pairs
from trialogue.subjects.alignment.labelling.plan import (
    MIN_LABELLED,
    LabelPlan,
    fit_situations,
    label_plan,
    labelling_items,
)
from trialogue.subjects.evaluation.commands.evaluate import Run

NAIVE = ("thresholded", "mean_probability")
"""Variants of implicit alignment that take what holds for pairs of which half match."""

LEAVE_OUT = ("behavior_alignment", "implicit_alignment")
"""Metrics that leave first turns out by default."""


@dataclass(frozen=True, repr=False)
class AlignmentRun(Run):
    """A run with alignment profiles and labelling plans."""

    profiles: tuple[AlignmentProfile, ...] = ()
    """One for each system."""
    plans: tuple[LabelPlan, ...] = ()
    """Expected effect of more labels on each system's interval."""

    def write(self, folder: Path | str, *, parquet: bool = False, explorer: bool | None = None) -> Path:
        """Also write ``alignment.jsonl`` and two figures."""
        from trialogue.subjects.alignment.pages.figures import alignment_figures

        with run_draft(folder, self.findings.manifest) as draft:
            write_records(draft / "alignment.jsonl", self.profiles)
            page = super().write(draft, parquet=parquet, explorer=explorer)
            for figure in alignment_figures(self.profiles):
                write_text(draft / "figures" / f"{figure.name}.svg", figure.svg)
        return Path(folder) / page.name

    def items(self, count: int | None = None, *, seed: int = 0) -> list[dict[str, object]]:
        """Items to label: from ``count`` situations, or as many as the plans request; warns if there are fewer."""
        wanted = count or max([plan.half_width or plan.replies for plan in self.plans], default=100)
        items = labelling_items(self.material.situations, self.material.responses, wanted, seed=seed)
        there = len(fit_situations(self.material.situations, self.material.responses))
        if count is not None and count > there and items:
            texts = f"These situations contain {len(items)} texts without labels (references and replies)."
            asked = (
                f"{count} situations to label were requested, but only {there} are usable, so all of these are used."
            )
            warn(Problem(f"{asked} {texts}"))
        return items


@dataclass(frozen=True)
class AlignmentDetails:
    """What an alignment adds to estimates."""

    profiles: tuple[AlignmentProfile, ...]
    """One for each system."""
    plans: tuple[LabelPlan, ...]
    """Expected effect of more labels on each system's interval."""
    beside: Beside
    """Report sections of the profiles, and warnings."""


def details_of(inferred: Estimates, *, warnings: Iterable[str] = ()) -> AlignmentDetails:
    """Profiles, plans, reliability checks and report sections of estimates.

    Args:
        inferred: the estimates.
        warnings: further warnings, the gravest.
    """
    measured, leagues = inferred.measured, inferred.shown_leagues
    material, settings = measured.material, measured.settings
    offline = with_known_labels(
        offline_conversations(material.situations, material.responses), measured.language_mismatches
    )
    resamples = min(settings.resamples, MAX_PROFILE_RESAMPLES)
    profiles = tuple(alignment_profiles(offline, seed=settings.seed, resamples=resamples))
    measures = [league.measure.name for league in leagues]
    doubted = dict(doubts(offline)) if any(map(rests_on_beliefs, measures)) else {}
    plans = tuple(plan for plan in _plans(leagues, offline) if plan.labelled or plan.system not in doubted)
    lines = (
        *warnings,
        *rehearsals(measured.labels),
        *(f"{system}: {doubt}." for system, doubt in doubted.items()),
        *bias_warnings(measures, material),
        *first_turns(measures, offline),
        *left_out(measures, material),
    )
    sections = alignment_sections(profiles, figures=True)
    said = tuple(plan.sentence for plan in plans)
    return AlignmentDetails(profiles, plans, Beside(sections, leading=lines, warnings=said))


def _plans(leagues: Iterable[League], offline: Sequence[Conversation]) -> Iterator[LabelPlan]:
    """Plans by the first measure of alignment."""
    league = next((each for each in leagues if each.measure.is_alignment), None)
    systems = group_by_system(offline)
    name = MeasureName("" if league is None else league.measure.name)
    for standing in () if league is None or name.variant == "kappa" else league.standings:
        own = systems.get(standing.system, [])
        if not own:
            continue
        labelled = labelled_pairs(own) if name.variant == "ppi" else 0
        asked = own if rests_on_beliefs(name) else []
        plan = label_plan(standing.system, standing.estimate, asked, labelled=labelled)
        if plan is not None:
            counts_labels = not rests_on_beliefs(name) and labelled_pairs(own) >= plan.replies
            plan = replace(plan, by=labellers_of(own))
            yield replace(plan, labelled=plan.replies) if counts_labels else plan


def rests_on_beliefs(measure: str) -> bool:
    """Whether a measure uses a model's strategy distributions (or, by pair, a pair classifier)."""
    name = MeasureName(measure)
    return name.metric == "implicit_alignment" and not is_by_pair(name)


def is_by_pair(name: MeasureName) -> bool:
    """Whether a pair classifier was used instead of labels of each side."""
    return parse_parameter(name, "by") == "pair"


def labelled_pairs(conversations: Sequence[Conversation]) -> int:
    """Number of counted pairs with human labels on both sides."""
    return sum(pair.is_labelled for pair in counted_pairs(conversations))


def labellers_of(conversations: Sequence[Conversation]) -> tuple[Labeller, ...]:
    """Kinds of labellers of the reference labels of these pairs."""
    found = {by for pair in counted_pairs(conversations) for by in pair.labellers}
    return tuple(kind for kind in Labeller if kind in found)


def is_labelled(conversations: Sequence[Conversation]) -> bool:
    """Whether enough pairs of a system have human labels: 50, or all but those of first turns."""
    if labelled_pairs(conversations) >= MIN_LABELLED:
        return True
    is_first = FIRST["exclude"]
    counted = [
        reply
        for conversation in conversations
        for reply in conversation.replies
        if reply.reference is not None and reply.text.strip() and not is_first(reply)
    ]
    return bool(counted) and all(_both_by_people(reply) for reply in counted)


def _both_by_people(reply: Reply) -> bool:
    return reply.reference is not None and has_ground_truth(reply.reference) and has_ground_truth(reply.utterance)


def bias_warnings(measures: Iterable[str], material: InputRecords) -> Iterator[str]:
    """Sentence on each measure with a known bias: naive counts of beliefs, and counts of a model's labels."""
    names = [MeasureName(measure) for measure in measures]
    for name in names:
        if name.metric == "implicit_alignment" and name.variant in NAIVE:
            by_pair = is_by_pair(name)
            much = "far too much if few pairs match" if by_pair else ".27 to .35 where the true value is .15"
            where = "" if by_pair else "on held-out INSPIRED dialogues "
            inside = f"({name.parameters})" if name.parameters else ""
            yield (
                f"{name.short} is not corrected for classification errors: {where}it reports {much}. "
                f"{name.metric}{inside}@emq corrects for them."
            )
    counted = [name for name in names if name.metric == "behavior_alignment"]
    said = [one.utterance for one in material.responses]
    said += [one.reference for one in material.situations if one.reference is not None]
    ours = sum(not has_ground_truth(each) for each in said if each.text.strip())
    if counted and ours:
        yield (
            f"behavior_alignment uses a model's labels here, on {ours} of {len(said)} replies and references: "
            "its errors raise the value if few match and lower it if many do. Implicit alignment allows for "
            "that."
        )


def replacement_warnings(material: InputRecords) -> Iterator[str]:
    """Sentence if input labels include an LLM's, which the model's labels replace."""
    said = [one.utterance for one in material.responses]
    said += [one.reference for one in material.situations if one.reference is not None]
    if count := sum(labeller_of(each) is Labeller.LLM for each in said):
        yield (
            f"the labels of an LLM on {count} of {len(said)} replies and references were replaced by those of "
            "the model, whose errors are known and allowed for."
        )


def first_turns(measures: Iterable[str], conversations: Iterable[Conversation]) -> Iterator[str]:
    """Sentence if at least half of the replies are excluded because they open a conversation."""
    names = [MeasureName(measure) for measure in measures]
    leaving = [
        name for name in names if name.metric in LEAVE_OUT and parse_parameter(name, "first") in (None, "exclude")
    ]
    replies = [reply for each in conversations for reply in each.replies if reply.reference is not None]
    first = sum(FIRST["exclude"](reply) for reply in replies)
    if leaving and replies and 2 * first >= len(replies):
        short = leaving[0].metric
        yield (
            f"{first} of {len(replies)} replies belong to the first turn of a conversation, which alignment "
            "leaves out (Eq. 2): their situations contain no earlier turns. Give the whole context, or count "
            f"them with -m '{short}(first=include)'."
        )


def left_out(measures: Iterable[str], material: InputRecords) -> Iterator[str]:
    """A sentence for each system with replies without text, and one for names of strategies that are none of ours (unless a
    measure takes any)."""
    replies = Counter(one.system for one in material.responses)
    empty = Counter(one.system for one in material.responses if not one.utterance.text.strip())
    for system, count in sorted(empty.items()):
        yield (
            f"{system}: {count} of {replies[system]} replies are empty: their strategy is unknown, and they "
            "are left out."
        )
    said = [one.utterance for one in material.responses]
    said += [one.reference for one in material.situations if one.reference is not None]
    names = Counter(label.strategy for each in said if has_ground_truth(each) for label in each.strategies or ())
    unknown = {name: count for name, count in sorted(names.items()) if name not in CLASSES}
    if unknown and not any(parse_parameter(name, "taxonomy") == "any" for name in measures):
        listed = ", ".join(f"{name!r} ({count}{_guess(name)})" for name, count in unknown.items())
        yield (
            f"{sum(unknown.values())} labels name strategies that are not among the 13: {listed}. They count "
            "neither as matches nor as mismatches: the utterances are left out. Map them with --set names=FILE."
        )


def _guess(name: str) -> str:
    near = difflib.get_close_matches(re.sub(r"[\s-]+", "_", name.strip().lower()), CLASSES, n=1)
    return f"; {near[0]!r}?" if near else ""
