"""Continuous integration: simulate two versions of an agent on the same users, compare them, and write what CI systems show.

old: {agent: "command:python -m released"}   # the version in use
new: my_agent:reply                          # the version of this branch
users: [cir6-pkg]                            # and every other field of a simulation: n, needs, catalogue, max_cost, ...
n: 100
on: [lift]                                   # fields of a comparison: on, margin, failure_margin, resamples
out: runs/ci
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trialogue.errors import DataError, Problem
from trialogue.options import FailureMargin, Margin, Resamples
from trialogue.records import Dialogue, JsonValue, Record, read_records
from trialogue.records.files.opening import write_text
from trialogue.records.files.validation import mistakes_of
from trialogue.records.files.yaml_file import lines_of, read_fields
from trialogue.render.media.papers import document_markdown
from trialogue.simulating.failed_agents import FailedAgent, find_failed_agents
from trialogue.simulating.simulate import simulate
from trialogue.simulation.batch.batch import Progress
from trialogue.simulation.batch.simulation_file import SimulationFile, study_of
from trialogue.subjects.comparison.commands.compare import compare
from trialogue.subjects.comparison.gate import FAILURE_MARGIN
from trialogue.subjects.comparison.pages.ci import junit_xml
from trialogue.subjects.comparison.pages.document import pull_request_document
from trialogue.subjects.comparison.records import Comparison
from trialogue.subjects.evaluation.commands.evaluate import evaluate

OLD, NEW = "old", "new"
"""Names of the two versions, in the file and in everything that is written."""
SHOWN = 20  # dialogues on the page of failing ones; more is what the explorer of the run is for
HINT = "It has the lines 'old: AGENT' and 'new: AGENT', fields of a simulation such as 'users' and 'n', and 'on'."


class ComparisonFields(Record):
    """Fields of the file that concern the comparison."""

    on: tuple[str, ...] = ()
    """Measures that decide; none: people's ratings, else the task outcome of simulated users."""
    margin: Margin | None = None
    """Loss that counts as not worse."""
    failure_margin: FailureMargin = FAILURE_MARGIN
    """Increase in the share of failed dialogues that does not by itself make the new version worse."""
    resamples: Resamples = 10_000
    """Number of bootstrap resamples and permutations."""


@dataclass(frozen=True)
class CiResult:
    """What a build shows."""

    comparison: Comparison
    failed: tuple[FailedAgent, ...]
    """Versions that failed in more dialogues than allowed."""
    folder: Path
    """Folder with ``junit.xml``, ``comparison.md``, ``failing.md``, the run and the report."""
    report: Path
    """Page with the comparison."""

    @property
    def has_failed_too_often(self) -> bool:
        """Whether more dialogues of the new version failed than allowed, which fails the build whatever the verdict."""
        return any(each.agent == NEW for each in self.failed)


def run_ci(
    file: Path | str,
    *,
    changes: Mapping[str, JsonValue] | None = None,
    progress: Callable[[Progress], None] | None = None,
    tell: Callable[[str], None] | None = None,
) -> CiResult:
    """Simulate, evaluate and compare two versions by a file; an interrupted run is resumed.

    Args:
        file: YAML with ``old``, ``new``, and fields of a simulation and a comparison.
        changes: fields in place of those of the file.
        progress: called with the progress of the dialogues.
        tell: called with a line for each later step.

    Raises:
        DataError: every mistake in the file.
        Halted, LimitReached: see ``simulate``.
    """
    study, settings = read_ci_file(Path(file), changes or {})
    batch = simulate(study, progress=progress)
    folder = study.resolve_paths().out
    run = evaluate(batch.dialogues, resamples=settings.resamples, progress=tell)
    run.write(folder / "run")
    compared = compare(
        run,
        run,
        systems=(OLD, NEW),
        on=settings.on,
        margin=settings.margin,
        failure_margin=settings.failure_margin,
        resamples=settings.resamples,
        progress=tell,
    )
    page = compared.write(folder / "comparison")
    dialogues = list(read_records(batch.dialogues, Dialogue))
    write_text(folder / "junit.xml", junit_xml(compared.comparison))
    write_text(folder / "comparison.md", document_markdown(pull_request_document(compared.comparison)))
    write_text(folder / "failing.md", "".join(_failing_page(dialogues, compared.comparison)))
    failed = find_failed_agents(dialogues, most=study.max_failed)
    return CiResult(compared.comparison, failed, folder, page)


def read_ci_file(file: Path, changes: Mapping[str, JsonValue]) -> tuple[SimulationFile, ComparisonFields]:
    """Settings of the simulation and of the comparison.

    Raises:
        DataError: every mistake in the file.
    """
    from pydantic import ValidationError

    fields = {"out": "runs/ci", **read_fields(file, hint=HINT), **changes}
    lines = lines_of(file)
    problems: list[Problem] = []
    missing = [name for name in (OLD, NEW) if name not in fields]
    if missing:
        problems.append(Problem(f"the field {' and the field '.join(missing)} is missing.", str(file), hint=HINT))
    if "agents" in fields:
        what = "two versions are compared, not several agents."
        problems.append(Problem(what, str(file), lines(("agents",)), "agents", hint="Give them as 'old' and 'new'."))
    own: dict[str, Any] = {name: fields.pop(name) for name in list(fields) if name in ComparisonFields.model_fields}
    own = {name: [value] if name == "on" and isinstance(value, str) else value for name, value in own.items()}
    agents = {name: fields.pop(name) for name in (OLD, NEW) if name in fields}
    settings, study = ComparisonFields(), None
    try:
        settings = ComparisonFields.model_validate(own)
    except ValidationError as error:
        problems += [mistake.problem(str(file), lines) for mistake in mistakes_of(error, own, ComparisonFields)]
    if not problems or agents:
        fields.pop("agents", None)
        try:
            study = study_of(
                {**fields, "agents": agents or {OLD: "echo"}}, file=str(file), lines=lines, folder=file.parent
            )
        except DataError as error:
            problems += error.problems
    if problems or study is None:
        raise DataError(problems)
    return study, settings


def _failing_page(dialogues: Iterable[Dialogue], comparison: Comparison) -> Iterator[str]:
    """Markdown of the new version's dialogues that failed or lost most, each beside that of the old version."""
    by_user: dict[str, dict[str, Dialogue]] = {}
    for dialogue in dialogues:
        by_user.setdefault(dialogue.user or dialogue.id, {})[dialogue.system or ""] = dialogue
    failed = [user for user, own in by_user.items() if NEW in own and own[NEW].fault is not None]
    units = {each.unit for each in comparison.moved if each.after < each.before}
    lost = [
        user
        for user, own in by_user.items()
        if NEW in own and own[NEW].fault is None and any(one.id in units or user in units for one in own.values())
    ]
    yield f"# Dialogues of the new version that failed ({len(failed)}) or lost most ({len(lost)})\n"
    for user in [*failed, *lost][:SHOWN]:
        yield f"\n## {user}\n"
        for version in (NEW, OLD):
            if (shown := by_user[user].get(version)) is not None:
                yield from _transcript(shown, version)
    if len(failed) + len(lost) > SHOWN:
        yield f"\nThe first {SHOWN} of {len(failed) + len(lost)} are shown; the report of the run has all.\n"


def _transcript(dialogue: Dialogue, version: str) -> Iterator[str]:
    detail = f": {' '.join(dialogue.ending_detail.split())[:300]}" if dialogue.ending_detail else ""
    ending = dialogue.ended_by.words if dialogue.ended_by else "an unrecorded cause"
    yield f"\n**{version}** (ended by {ending}{detail})\n\n```text\n"
    for said in dialogue.utterances:
        yield f"{said.speaker:>6}: {' '.join(said.text.replace('```', '').split())}\n"
    yield "```\n"
