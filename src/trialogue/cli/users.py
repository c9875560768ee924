"""``trialogue users``: validity evidence for simulated users, and users made from people."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trialogue.cli.shared.app import App, reads
from trialogue.cli.shared.inputs import AsIn, Format, Mapped, Ratings, pairs_of
from trialogue.cli.shared.parameters import Call, Calls, Given
from trialogue.cli.shared.progress import check_folder, steps
from trialogue.cli.shared.results import print_findings
from trialogue.errors import UsageError
from trialogue.options import Help, Seed, Setting

if TYPE_CHECKING:
    from trialogue.subjects.simulated_users.commands.simulated_sample import PassportPlan
    from trialogue.subjects.simulated_users.records import PassportFindings

app = App(
    help="Simulated users: fit them on people's dialogues, and write their passport. To list them: trialogue list users."
)
STYLE, PERSONAS = "style", "personas"
DEFAULT_AGENTS = "reference:guided, reference:item-centred and reference:genre-led"


def _check_passport(given: Given) -> Iterator[str]:
    wrong: list[str] = []
    pairs_of("--set version", given["version"] or (), wrong=wrong)
    pairs_of("--set same", given["same"] or (), wrong=wrong)
    yield from wrong
    if "none" in (given["ways"] or ()) and len(given["ways"]) > 1:
        yield "--set sabotage_by=none cannot be combined with another way."


@app.command("passport")
@reads(
    check=_check_passport,
    plan=Calls(
        "subjects.simulated_users.commands.simulated_sample.PassportPlan",
        options="n catalogue jobs",
        settings="seeds sabotage_by=ways ratings timed seed",
    ),
    run=Calls("subjects.simulated_users.commands.passport.passport", settings="outcome resamples seed"),
)
def passport(
    users: str,
    *,
    real: list[str] | None = None,
    agent: Annotated[
        list[str] | None,
        Help(
            f"Agent that users talk to (repeatable; default: {DEFAULT_AGENTS}). The first one is also sabotaged.",
            ("--agent", "-a"),
        ),
    ] = None,
    plan: "Call[PassportPlan]",
    out: Path | None = None,
    mapping: Mapped = None,
    version: Annotated[list[str] | None, Setting()] = None,
    same: Annotated[list[str] | None, Setting()] = None,
    run: "Call[PassportFindings]",
    as_json: bool = False,
) -> None:
    """Write the passport of simulated users: behavior, ranking validity, known groups, stability, gates and cost.

    Args:
        users: Kind of users to simulate, or existing dialogues of simulated users (a file, or a simulation's folder).
        real: Dialogues of real users for comparison: a corpus or file.
        out: Folder for the results (default: 'passport' in a simulation's folder, else runs/passport).
        version: Another version of the users, such as another prompt or model: version=NAME=USERS.
        same: Match systems whose names differ: same=REAL=SIMULATED.
    """
    from trialogue.subjects.simulated_users.commands.passport import AGENTS
    from trialogue.subjects.simulated_users.commands.simulated_sample import default_folder
    from trialogue.subjects.simulated_users.pages.document import passport_document
    from trialogue.workflows.mapped import with_mapping
    from trialogue.workflows.write_findings import write_findings

    folder = out or default_folder(users)
    check_folder(folder)
    ways = plan.given.get("ways")
    planned = plan(
        agents=tuple(agent or AGENTS),
        versions=pairs_of("--set version", version or ()),
        **({} if ways is None else {"ways": () if ways == ["none"] else tuple(ways)}),
    )
    with steps() as tell:
        findings = run(
            users, with_mapping(real or [], mapping), plan=planned, same=pairs_of("--set same", same or ()), out=folder,
            progress=tell,
        )  # fmt: skip
        page = write_findings(findings, folder)
    print_findings(findings, passport_document, as_json=as_json, tell=tell, page=page)


def _check_fit(given: Given) -> Iterator[str]:
    method = given["method"]
    of_fits, of_personas = "labels as_in successful", "ratings n attribute"
    unused = {PERSONAS: f"{of_fits} dialogues format_name mapping", STYLE: f"{of_personas} {of_fits}"}
    yield from given.why_unused(f"--method {method}", unused.get(method, of_personas))
    if method != PERSONAS and not given["dialogues"]:
        yield f"--method {method} needs dialogues of people: give --dialogues."


@app.command("fit")
@reads(
    check=_check_fit, personas=Calls("simulation.llm.people_style.rating_personas", settings="n attribute things seed")
)
def fit(
    *,
    out: Path,
    dialogues: Annotated[list[str] | None, Help(flags=("--dialogues", "-d"))] = None,
    method: str = "cir6-pkg",
    catalogue: str = "demo",
    format_name: Format = None,
    mapping: Mapped = None,
    labels: list[str] | None = None,
    as_in: AsIn = None,
    successful: Annotated[bool, Setting("Use only successful dialogues, as in the paper.")] = False,
    ratings: Ratings = None,
    personas: "Call[tuple[str, ...]]",
    seed: Seed = 0,
) -> None:
    """Make simulated users from people: fitted on their dialogues, in their style, or personas from their ratings.

    Args:
        out: Output: a folder for fitted users, a JSON file for style, a text file for personas.
        dialogues: Dialogues of people: files or corpora.
        method: qrfa-single, cir6-single or cir6-pkg: interaction model, language understanding and wording, from
            dialogues with labelled acts. style: how people write (length, typing errors, examples), for users that a
            language model plays (option style). personas: from the people in a ratings file, for the same users (option
            personas).
        catalogue: Catalogue of the items in the dialogues.
        labels: Export of a labelling study whose acts replace the acts in the dialogues.
    """
    if method == PERSONAS:
        _write_personas(out, catalogue, ratings, personas)
        return
    assert dialogues
    if method == STYLE:
        _write_style(out, dialogues, format_name, mapping, seed=seed)
        return
    from trialogue.inputs.inputs import gather
    from trialogue.inputs.knowledge import load_catalogue
    from trialogue.simulation import fit_users
    from trialogue.simulation.actions import KDD2020
    from trialogue.simulation.users.options import method as options_of
    from trialogue.simulation.users.population import data_hash
    from trialogue.subjects.people.commands.act_labels import is_successful, with_labelled_acts

    options = options_of(method) if as_in is None else options_of(method).as_in(as_in)
    check_folder(out)
    with steps() as tell:
        read = gather(dialogues, format_name=format_name, mapping=mapping).dialogues
        if labels:
            given = with_labelled_acts(read, labels)
            read = list(given.dialogues)
            tell(
                f"{given.labelled:,} messages labelled, {given.undecided:,} undecided, {given.unlabelled:,} not labelled"
            )
            for export in given.rehearsals:
                tell(f"note: the labels of {export} were given by scripts, not people")
        covers = [each for each in read if is_successful(each, KDD2020.states)]
        if covers or successful:
            tell(f"{len(covers)} of {len(read)} dialogues are successful: query formulation and set retrieval occur")
        read = covers if successful else read
        tell(f"fitting {method} on {len(read)} dialogues")
        model = fit_users(read, catalogue=load_catalogue(catalogue).catalogue, options=options)
        model.save(out)
    typer.echo(f"Users: {out}")
    if model.trained is not None:
        typer.echo(f"Fitted on {len(model.trained.folds)} dialogues, data {data_hash(model.trained)}")


def _write_personas(out: Path, catalogue: str, ratings: str | None, personas: "Call[tuple[str, ...]]") -> None:
    """Personas based on people in a ratings file, one per line."""
    from trialogue.inputs.knowledge import load_catalogue
    from trialogue.records.files.opening import write_text

    known = load_catalogue(catalogue, ratings=ratings)
    if known.ratings is None:
        raise UsageError(f"the catalogue {catalogue!r} has no ratings: name a file of them with --set ratings=FILE.")
    lines = personas(known.catalogue, known.ratings)
    write_text(out, "\n".join(lines) + "\n")
    typer.echo(f"Personas: {out} ({len(lines)})")


def _write_style(out: Path, dialogues: list[str], format_name: str | None, mapping: Path | None, *, seed: int) -> None:
    """How people write, as JSON."""
    from trialogue.inputs.inputs import gather
    from trialogue.simulation.llm.people_style import style_of_people, write_style

    found = style_of_people(gather(dialogues, format_name=format_name, mapping=mapping).dialogues, seed=seed)
    write_style(found, out)
    typos = "unknown (too few words)" if found.typos is None else f"{100 * found.typos:.2g}% of the longer words"
    typer.echo(
        f"Style: {out} ({found.people:,} people, {found.messages:,} messages of {found.mean_words:g} words on average, "
        f"80% of them with at most {found.words} words; typing errors: {typos})"
    )
