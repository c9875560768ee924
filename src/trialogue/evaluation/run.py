"""Evaluate: the main job. Conversations of several recommenders in; which is better, by how much and how sure, out."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from trialogue.errors import DataError, Problem, UsageError
from trialogue.evaluation.attach import attach_ratings
from trialogue.evaluation.calibration_notes import without_calibration_error
from trialogue.evaluation.choose import FLOORS, LEARNED, default_metrics, needs_offline
from trialogue.evaluation.domains import domain_fits, domain_lines
from trialogue.evaluation.floors import with_floors
from trialogue.evaluation.label_origins import label_counts
from trialogue.evaluation.material import Material, gather
from trialogue.evaluation.shared_situations import on_shared_situations, other_situations
from trialogue.evaluation.training_data import training_exposures, training_lines, unknown_training_lines
from trialogue.metaeval import Findings, League, Measure, Sensitivity, SystemFacts
from trialogue.metaeval.alignment_findings import alignment_sections
from trialogue.metaeval.alignment_profile import alignment_profiles
from trialogue.metaeval.answer import answer, primary_league, small_samples
from trialogue.metaeval.disagreement import disagreements
from trialogue.metaeval.examples import examples
from trialogue.metaeval.findings import Section
from trialogue.metaeval.floor_section import floor_methods, floor_sections
from trialogue.metaeval.league import leagues
from trialogue.metaeval.sensitivity import sensitivity
from trialogue.metaeval.validity import at_chance
from trialogue.metaeval.votes import votes_of
from trialogue.metrics import (
    AnyMetric,
    Conversation,
    Settings,
    all_variants,
    conversations_of,
    get_metrics,
    measure,
    offline_conversations,
)
from trialogue.metrics.engine import MOST_COMPARED
from trialogue.metrics.human import rating_scores, ratings_among
from trialogue.records import Manifest, Preference, Role, Score, write_records
from trialogue.records.files import write_text
from trialogue.records.garbage import few_collections
from trialogue.records.jsonl import to_line
from trialogue.records.manifest import versions_of

Progress = Callable[[str], None]
OF_AGREEMENT = ("validity.json", "agreement.html", "agreement.json", "agreement.csv")
PACKAGES = ("trialogue", "numpy", "scipy", "sacrebleu", "pydantic", "matplotlib")


@dataclass(frozen=True)
class Run:
    """What came out of an evaluation."""

    findings: Findings
    """What a report shows."""
    scores: tuple[Score, ...]
    """Every score: people's single ratings, units, systems, differences; where people judged, of the floors, too."""
    preferences: tuple[Preference, ...] = ()
    """People's votes, as they were read."""

    @property
    def answer(self) -> str:
        """The answer, in sentences."""
        return " ".join(self.findings.answer)

    def league(self, measure: str) -> League:
        """The league of one measure, by full name or by the beginning of it.

        Raises:
            KeyError: no measure begins so.
        """
        for league in self.findings.leagues:
            if league.measure.name == measure or league.measure.measured.is_called(measure):
                return league
        raise KeyError(f"{measure!r} is none of {', '.join(each.measure.name for each in self.findings.leagues)}")

    def write(self, folder: Path | str) -> Path:
        """Write scores, findings, manifest, tables, figures and the report; returns the path of the report.

        What ``trialogue agree`` made of earlier scores in the same folder is removed, since it would be taken for these'.
        """
        from trialogue.report import write_report

        folder = Path(folder)
        write_records(folder / "scores.jsonl", self.scores)
        _write_votes(folder / "preferences.jsonl", self.preferences)
        for name in OF_AGREEMENT:
            (folder / name).unlink(missing_ok=True)
        report = write_report(self.findings, folder)
        write_text(folder / "manifest.json", to_line(self.findings.manifest) + "\n")
        return report


@few_collections()
def evaluate(
    *given: str | Path,
    metrics: Sequence[str] | Callable[[], Sequence[str]] | None = None,
    variants_of: Sequence[str] = (),
    format_name: str | None = None,
    mapping: Path | None = None,
    title: str | None = None,
    seed: int = 0,
    resamples: int = 10_000,
    alpha: float = 0.05,
    prepare: Callable[[Material], Material] | None = None,
    floors: bool = True,
    progress: Progress | None = None,
) -> Run:
    """Measure every system found in the given corpora and files, and compare them.

    Args:
        given: names of corpora (``"crsarena-dial"``), paths, or ``"SYSTEM=path"`` to name a file's system.
        metrics: names such as ``"distinct(n=2)@ratio"``, or a function that gives them once the material is prepared; by
            default all that the data allow, one variant of each.
        variants_of: metrics to show under every variant, to see whether the order of systems depends on it.
        format_name: format of the files, where it is not to be recognised.
        mapping: YAML file that says which column of a table is what.
        title: heading of the report.
        seed: seed of everything random.
        resamples: bootstrap resamples and permutations.
        alpha: level at which differences are called, after correction.
        prepare: applied to the material before anything is measured, such as a title linker.
        floors: whether recommenders that do not listen stand beside measures of alignment.
        progress: called with a line now and then.

    Raises:
        DataError: unreadable input, or nothing to evaluate in it.
        UsageError: an unknown metric, variant or parameter.
        MissingDataError: a corpus that is not on this machine.
    """
    _check_options(metrics, resamples, alpha, seed)
    if not given:
        raise UsageError("there is nothing to evaluate: name corpora or files.")
    tell = progress or (lambda _line: None)
    tell("reading " + ", ".join(map(str, given)))
    material = attach_ratings(gather(given, format_name=format_name, mapping=mapping))
    if prepare is not None:
        material = prepare(material)
    if not material:
        raise DataError(Problem("no conversations and no responses are among it.", file=", ".join(map(str, given))))
    online = list(conversations_of(material.dialogues))
    offline = offline_conversations(material.situations, material.responses)
    if callable(metrics):
        metrics = metrics()
    chosen = get_metrics(metrics) if metrics else default_metrics([*online, *offline])
    families = {name: [m for m in all_variants(name) if m.card.extra is None] for name in variants_of}
    extra = [metric for family in families.values() for metric in family]
    if _people_judged(material):
        extra += get_metrics(FLOORS)  # not shown, but agreement with people is held against them
    config = {
        "inputs": [str(one) if not Path(one).exists() else Path(one).name for one in given],
        "metrics": [metric.measure for metric in chosen],
        "variants_of": list(variants_of),
        "resamples": resamples,
        "alpha": alpha,
    }
    manifest = Manifest(
        command="evaluate", config=config, seed=seed, inputs=material.hashes, versions=versions_of(*PACKAGES)
    )
    settings = Settings(seed=seed, resamples=resamples, permutations=resamples)
    scores, measures = _measured(online, offline, _once([*chosen, *extra]), settings, manifest.data_hash, tell)
    told: list[str] = []
    if floors:
        scores, told = with_floors(scores, offline, material.situations, chosen, settings=settings)
    met = {conversation.system for conversation in online}
    held = [each for each in _once([*chosen, *extra]) if needs_offline(each) or not met]
    scores = on_shared_situations(scores, offline, held, settings=settings, tell=tell)
    everything = leagues(scores, measures, alpha=alpha)
    if not everything:
        raise DataError(_nothing_to_measure(given, chosen))
    tell("drawing conclusions")
    exposures = training_exposures(chosen, online)
    domains = domain_fits(chosen if metrics else get_metrics(LEARNED), online, are_measured=bool(metrics))
    votes = votes_of(material.preferences, seed=seed, resamples=min(resamples, 2_000), alpha=alpha)
    shown = _shown(everything, chosen)
    findings = Findings(
        title=title or "Evaluation of " + ", ".join(_short(one) for one in given),
        answer=answer(shown, votes),
        systems=_facts([*online, *(each for each in offline if each.system not in met)]),
        dialogues=len(online) or len({conversation.cluster for conversation in offline}),
        people=len({dialogue.user for dialogue in material.dialogues if dialogue.user}) or None,
        leagues=shown,
        primary=primary.measure.name if (primary := primary_league(shown)) else None,
        votes=votes,
        labels=label_counts(offline),
        sensitivity=_sensitivities(everything, families),
        sections=floor_sections(shown) + _lost_alignment(offline, shown, seed=seed, resamples=min(resamples, 1_000)),
        examples=(
            *examples(
                primary_league(shown),
                material.dialogues,
                scores,
                beside=[league.measure.name for league in shown],
            ),
            *disagreements(shown, material.dialogues, scores),
        ),
        warnings=(
            *_left_out(everything, chosen),
            *other_situations(offline),
            *_rests_on_chance(primary_league(shown)),
            *domain_lines(domains),
            *training_lines(exposures),
            *unknown_training_lines(chosen),
            *_too_many(len({conversation.system for conversation in (*online, *offline)})),
            *without_calibration_error(scores),
            *told,
            *material.warnings,
            *small_samples(shown),
        ),
        domains=domains,
        training_data=exposures,
        methods=floor_methods(shown),
        alpha=alpha,
        manifest=manifest,
    )
    return Run(findings, tuple(_adjusted(scores, everything)), tuple(material.preferences))


def _write_votes(path: Path, votes: Sequence[Preference]) -> None:
    """Write votes; where there are none, none of an earlier run stay."""
    if votes:
        write_records(path, votes)
    else:
        path.unlink(missing_ok=True)


def _people_judged(material: Material) -> bool:
    """Whether there is anything that agreement with people could be computed on."""
    said = (utterance for dialogue in material.dialogues for utterance in dialogue.utterances)
    return bool(
        material.preferences
        or any(dialogue.ratings for dialogue in material.dialogues)
        or any(response.utterance.ratings for response in material.responses)
        or any(utterance.ratings for utterance in said)
    )


MOST_PROFILED = 20_000  # replies; of more, `trialogue align` says where alignment is lost


def _lost_alignment(
    offline: Sequence[Conversation], shown: Sequence[League], *, seed: int, resamples: int
) -> tuple[Section, ...]:
    """Where alignment is lost, if it was measured."""
    measured = any(league.measure.measured.metric == "behavior_alignment" for league in shown)
    if not measured or sum(len(each.replies) for each in offline) > MOST_PROFILED:
        return ()
    return alignment_sections(alignment_profiles(offline, seed=seed, resamples=resamples))


def _nothing_to_measure(given: Sequence[str | Path], chosen: Sequence[AnyMetric]) -> Problem:
    needs = "; ".join(f"{metric.measure} needs {', '.join(metric.card.needs) or 'replies'}" for metric in chosen)
    return Problem(
        f"there is nothing to measure here{f': {needs}' if needs else ''}.",
        file=", ".join(map(str, given)),
        hint="Choose other metrics (see: trialogue metrics), or give situations with references and the responses.",
    )


def _left_out(everything: Sequence[League], chosen: Sequence[AnyMetric]) -> list[str]:
    """A line for each metric asked for that has no league."""
    found = {league.measure.name for league in everything}
    return [
        f"{metric.measure} is left out: it needs {', '.join(metric.card.needs) or 'replies'}, which the data lack."
        for metric in chosen
        if metric.measure not in found
    ]


def _rests_on_chance(primary: League | None) -> list[str]:
    """A line where the answer rests on a metric that is known to tell people nothing."""
    if primary is None or primary.measure.by == "people":
        return []
    known = at_chance(primary.measure.name)
    return [f"The answer rests on a metric of little worth: {known}"] if known else []


def _too_many(systems: int) -> list[str]:
    if systems <= MOST_COMPARED:
        return []
    return [f"{systems} systems are not compared in pairs, only up to {MOST_COMPARED}. Evaluate fewer at a time."]


def _check_options(metrics: object, resamples: int, alpha: float, seed: int) -> None:
    if isinstance(metrics, str):
        raise UsageError(f"metrics must be a list of names, got the text {metrics!r}. Write metrics=[{metrics!r}].")
    if not isinstance(resamples, int) or resamples < 1:
        raise UsageError(f"resamples must be a whole number of at least 1, got {resamples!r}.")
    if not 0 < alpha < 1:
        raise UsageError(f"alpha must be between 0 and 1, got {alpha!r}.")
    if not isinstance(seed, int):
        raise UsageError(f"seed must be a whole number, got {seed!r}.")


def _once(metrics: Iterable[AnyMetric]) -> list[AnyMetric]:
    return list({metric.measure: metric for metric in metrics}.values())


def _measured(
    online: list[Conversation],
    offline: list[Conversation],
    metrics: list[AnyMetric],
    settings: Settings,
    data_hash: str,
    tell: Progress,
) -> tuple[list[Score], list[Measure]]:
    """All scores, and what was measured.

    Metrics that need a reference or targets are for replies to situations. The others take the dialogues that a system
    had, and its replies to situations only where it had no dialogues: of one system the two are never pooled.
    """
    scores: list[Score] = []
    measures: list[Measure] = []
    for conversations in (online, offline):
        humans = ratings_among(conversations)
        if conversations and humans:
            tell(f"people's ratings of {len(conversations)} conversations")
            for conversation in conversations:
                scores.extend(rating_scores(conversation))
            scores.extend(measure(conversations, humans, settings=settings, data_hash=data_hash))
            measures.extend(_measure(human, "people") for human in humans)
    met = {conversation.system for conversation in online}
    anywhere = [*online, *(conversation for conversation in offline if conversation.system not in met)]
    for conversations, for_offline in ((anywhere, False), (offline, True)):
        fitting = [metric for metric in metrics if needs_offline(metric) == for_offline]
        if conversations and fitting:
            tell(f"{len(fitting)} metrics over {len(conversations)} conversations")
            units: list[Score] = []
            totals = measure(conversations, fitting, settings=settings, data_hash=data_hash, sink=units.append)
            scores.extend(units)
            scores.extend(totals)
            measures.extend(_measure(metric, "metric") for metric in fitting)
    return scores, measures


def _measure(metric: AnyMetric, by: str) -> Measure:
    card = metric.card
    return Measure(
        name=metric.measure,
        title=card.title,
        by="people" if by == "people" else "metric",
        better=card.better,
        unit=card.unit,
        card=None if by == "people" else card,
    )


def _shown(everything: Sequence[League], chosen: Sequence[AnyMetric]) -> tuple[League, ...]:
    names = {metric.measure for metric in chosen}
    return tuple(each for each in everything if each.measure.by == "people" or each.measure.name in names)


def _sensitivities(everything: Sequence[League], families: dict[str, list[AnyMetric]]) -> tuple[Sensitivity, ...]:
    by_name = {league.measure.name: league for league in everything}
    return tuple(
        sensitivity(name, [by_name[metric.measure] for metric in family if metric.measure in by_name])
        for name, family in families.items()
    )


def _facts(conversations: Iterable[Conversation]) -> tuple[SystemFacts, ...]:
    talks: dict[str, int] = {}
    replies: dict[str, int] = {}
    people: dict[str, set[str]] = {}
    baselines: set[str] = set()
    for conversation in conversations:
        if conversation.role is Role.BASELINE:
            baselines.add(conversation.system)
        talks[conversation.system] = talks.get(conversation.system, 0) + 1
        replies[conversation.system] = replies.get(conversation.system, 0) + len(conversation.replies)
        if conversation.dialogue is not None and conversation.dialogue.user:
            people.setdefault(conversation.system, set()).add(conversation.dialogue.user)
    return tuple(
        SystemFacts(
            system=system,
            dialogues=talks[system],
            replies=replies[system],
            people=len(people[system]) if system in people else None,
        )
        for system in sorted(talks.keys() - baselines or talks)
    )


def _adjusted(scores: Iterable[Score], everything: Sequence[League]) -> Iterable[Score]:
    """Differences with the corrected p-values that the findings hold."""
    corrected = {
        (league.measure.name, contrast.a, contrast.b): contrast.p_adjusted
        for league in everything
        for contrast in (*league.contrasts, *league.above_floor)
    }
    for score in scores:
        if score.level == "difference":
            key = (score.measure, score.system or "", score.versus or "")
            yield score.model_copy(update={"p_adjusted": corrected.get(key)})
        else:
            yield score


def _short(given: str | Path) -> str:
    text = str(given)
    return Path(text).name if Path(text).exists() else text
