"""``trialogue users passport``: validity evidence for simulated users."""

from pathlib import Path
from typing import Annotated

import typer
from annotated_types import Ge

from trialogue.cli.shared.inputs import Mapped, Ratings, pairs_of
from trialogue.cli.shared.progress import check_folder, steps
from trialogue.cli.shared.results import print_findings
from trialogue.errors import UsageError
from trialogue.options import Help, Jobs, Resamples, Seed, Setting

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
        list[str] | None, Help("Dialogues of real users for comparison: a corpus or file (repeatable).")
    ] = None,
    agent: Annotated[
        list[str] | None,
        Help(
            f"Agent that users talk to (repeatable; default: {DEFAULT_AGENTS}). The first one is also sabotaged.",
            ("--agent", "-a"),
        ),
    ] = None,
    n: Annotated[int, Ge(1), Help("Number of dialogues with each agent.", ("-n",))] = 100,
    out: Annotated[
        Path | None,
        Help(
            "Folder for the results (default: 'passport' in a simulation's folder, else runs/passport).",
            ("--out", "-o"),
        ),
    ] = None,
    catalogue: Annotated[str, Help("Catalogue of items that users know.")] = "demo",
    mapping: Mapped = None,
    jobs: Jobs = 1,
    seeds: Annotated[int, Ge(1), Setting("Number of seeds to simulate. Shares of variance need at least five.")] = 5,
    version: Annotated[
        list[str] | None,
        Setting("Another version of the users, such as another prompt or model: version=NAME=USERS (repeatable)."),
    ] = None,
    sabotage_by: Annotated[
        list[str] | None,
        Setting(
            "Replacement of replies: off-topic, repeated, lower-ranked, none, or an agent (repeatable; default: off-topic)."
        ),
    ] = None,
    outcome: Annotated[str, Setting("Measure for sabotaged agents, seeds and versions.")] = "need_met",
    same: Annotated[
        list[str] | None, Setting("Match systems whose names differ: same=REAL=SIMULATED (repeatable).")
    ] = None,
    ratings: Ratings = None,
    timed: Annotated[bool, Setting("Measure seconds. The output is then not reproducible byte for byte.")] = False,
    resamples: Resamples = 2_000,
    seed: Seed = 0,
    as_json: bool = False,
) -> None:
    """Write the passport of simulated users: behavior, ranking validity, known groups, stability, gates and cost."""
    from trialogue.subjects.simulated_users.commands.passport import AGENTS
    from trialogue.subjects.simulated_users.commands.passport import passport as run_passport
    from trialogue.subjects.simulated_users.commands.simulated_sample import PassportPlan, default_folder
    from trialogue.subjects.simulated_users.pages.document import passport_document
    from trialogue.workflows.mapped import with_mapping
    from trialogue.workflows.write_findings import write_findings

    wrong: list[str] = []
    versions = pairs_of("--set version", version or (), wrong=wrong)
    names = pairs_of("--set same", same or (), wrong=wrong)
    ways = tuple(sabotage_by or ["off-topic"])
    if "none" in ways and len(ways) > 1:
        wrong.append("--set sabotage_by=none cannot be combined with another way.")
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
    with steps() as tell:
        findings = run_passport(
            users, with_mapping(real or [], mapping), plan=plan, outcome=outcome, same=names, out=folder, seed=seed,
            resamples=resamples, progress=tell,
        )  # fmt: skip
        page = write_findings(findings, folder)
    print_findings(findings, passport_document, as_json=as_json, tell=tell, page=page)
