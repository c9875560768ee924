"""``trialogue users passport``: validity evidence for simulated users."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.shared.inputs import Mapped
from trialogue.cli.shared.progress import check_folder, steps
from trialogue.errors import UsageError
from trialogue.options import Jobs, Resamples, Seed

DEFAULT_AGENTS = "reference:guided, reference:item-centred and reference:genre-led"


def passport(
    users: Annotated[
        str,
        typer.Argument(
            help=(
                "Kind of users to simulate, or existing dialogues of simulated users (a file, or a "
                "simulation's folder)."
            )
        ),
    ],
    real: Annotated[
        list[str] | None, typer.Option(help="Dialogues of real users for comparison: a corpus or file (repeatable).")
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            "--agent",
            "-a",
            help=f"Agent that users talk to (repeatable; default: {DEFAULT_AGENTS}). The first one is also sabotaged.",
        ),
    ] = None,
    n: Annotated[int, typer.Option("-n", min=1, help="Number of dialogues with each agent.")] = 100,
    seeds: Annotated[
        int, typer.Option(min=1, help="Number of seeds to simulate. Shares of variance need at least five.")
    ] = 5,
    version: Annotated[
        list[str] | None,
        typer.Option(help="Another version of the users as NAME=USERS, such as another prompt or model (repeatable)."),
    ] = None,
    sabotage_by: Annotated[
        list[str] | None,
        typer.Option(
            "--sabotage-by",
            help="Replacement of replies: off-topic, repeated, lower-ranked, none, or an agent (repeatable; default: "
            "off-topic).",
        ),
    ] = None,
    outcome: Annotated[str, typer.Option(help="Measure for sabotaged agents, seeds and versions.")] = "need_met",
    same: Annotated[
        list[str] | None,
        typer.Option(help="Match systems whose names differ, as REAL=SIMULATED (repeatable)."),
    ] = None,
    mapping: Mapped = None,
    catalogue: Annotated[str, typer.Option(help="Catalogue of items that users know.")] = "demo",
    ratings: Annotated[str | None, typer.Option(help="Ratings file from which users are sampled.")] = None,
    jobs: Jobs = 1,
    timed: Annotated[
        bool, typer.Option("--timed", help="Measure seconds. The output is then not reproducible byte for byte.")
    ] = False,
    seed: Seed = 0,
    resamples: Resamples = 2_000,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Folder for the results (default: 'passport' in a simulation's folder, else runs/passport).",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result.")] = False,
) -> None:
    """Write the passport of simulated users: behavior, ranking validity, known groups, stability, gates and cost."""
    from trialogue.records.files.jsonl import to_line
    from trialogue.report.passport.document import passport_document
    from trialogue.report.render.terminal import document_text
    from trialogue.workflows.mapped import with_mapping
    from trialogue.workflows.passport.passport import AGENTS
    from trialogue.workflows.passport.passport import passport as run_passport
    from trialogue.workflows.passport.simulated_sample import PassportPlan, default_folder
    from trialogue.workflows.pipeline import report

    wrong: list[str] = []
    versions = _pairs("--version", version or [], wrong)
    names = _pairs("--same", same or [], wrong)
    ways = tuple(sabotage_by or ["off-topic"])
    if "none" in ways and len(ways) > 1:
        wrong.append("--sabotage-by none cannot be combined with another way.")
    if wrong:
        raise UsageError("\n".join(wrong))
    folder = out or default_folder(users)
    check_folder(folder)
    plan = PassportPlan(
        agents=tuple(agent or AGENTS),
        n=n,
        seeds=seeds,
        ways=() if ways == ("none",) else ways,
        versions=versions,
        catalogue=catalogue,
        ratings=ratings,
        jobs=jobs,
        seed=seed,
        timed=timed,
    )
    with steps(quiet=quiet) as tell:
        findings = run_passport(
            users, with_mapping(real or [], mapping), plan=plan, outcome=outcome, same=names, out=folder, seed=seed,
            resamples=resamples, progress=tell,
        )  # fmt: skip
        page = report(findings, folder)
        for warning in findings.warnings:
            tell.say(f"note: {warning}")
    typer.echo(to_line(findings) if as_json else document_text(passport_document(findings)))
    if not as_json:
        typer.echo(f"\nPage: {page}")


def _pairs(option: str, given: Sequence[str], wrong: list[str]) -> Mapping[str, str]:
    """Parse ``NAME=VALUE`` into a mapping; invalid entries are added to the mistakes."""
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            wrong.append(f"{option} must be NAME=VALUE, got {text!r}.")
        elif name in found:
            wrong.append(f"{option} gives {name!r} twice.")
        else:
            found[name] = value
    return found
