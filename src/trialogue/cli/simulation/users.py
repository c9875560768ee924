"""``trialogue users fit``: make simulated users from people."""

from pathlib import Path
from typing import Annotated

import typer
from annotated_types import Ge

from trialogue.cli.shared.inputs import AsIn, Format, Mapped, Ratings, refuse_unused
from trialogue.cli.shared.progress import check_folder, steps
from trialogue.errors import UsageError
from trialogue.options import Help, Seed, Setting

STYLE, PERSONAS = "style", "personas"


def fit(
    out: Annotated[
        Path,
        Help("Output: a folder for fitted users, a JSON file for style, a text file for personas.", ("--out", "-o")),
    ],
    dialogues: Annotated[
        list[str] | None, Help("Dialogues of people: files or corpora (repeatable).", ("--dialogues", "-d"))
    ] = None,
    method: Annotated[
        str,
        Help(
            "qrfa-single, cir6-single or cir6-pkg: interaction model, language understanding and wording, from dialogues "
            "with labelled acts. style: how people write (length, typing errors, examples), for users that a language model "
            "plays (option style). personas: from the people in a ratings file, for the same users (option personas)."
        ),
    ] = "cir6-pkg",
    catalogue: Annotated[str, Help("Catalogue of the items in the dialogues.")] = "demo",
    format_name: Format = None,
    mapping: Mapped = None,
    labels: Annotated[
        list[str] | None, Help("Export of a labelling study whose acts replace the acts in the dialogues (repeatable).")
    ] = None,
    as_in: AsIn = None,
    successful: Annotated[bool, Setting("Use only successful dialogues, as in the paper.")] = False,
    ratings: Ratings = None,
    n: Annotated[int, Ge(1), Setting("Number of personas.")] = 50,
    attribute: Annotated[str, Setting("Personas: attribute whose values are kinds of items.")] = "genre",
    things: Annotated[str, Setting("Personas: plural noun for the items.")] = "films",
    seed: Seed = 0,
) -> None:
    """Make simulated users from people: fitted on their dialogues, in their style, or personas from their ratings."""
    of_people = {"--dialogues": dialogues, "--format": format_name, "--mapping": mapping}
    of_fits = {"--labels": labels, "--set as": as_in, "--set successful": successful}
    of_personas = {"--set ratings": ratings, "--set n": n != 50, "--set attribute": attribute != "genre"}
    unused = of_fits | of_people if method == PERSONAS else of_personas | (of_fits if method == STYLE else {})
    refuse_unused(f"--method {method}", unused)
    if method == PERSONAS:
        _write_personas(out, catalogue, ratings, n=n, attribute=attribute, things=things, seed=seed)
        return
    if not dialogues:
        raise UsageError(f"--method {method} needs dialogues of people: give --dialogues.")
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


def _write_personas(
    out: Path, catalogue: str, ratings: str | None, *, n: int, attribute: str, things: str, seed: int
) -> None:
    """Personas based on people in a ratings file, one per line."""
    from trialogue.inputs.knowledge import load_catalogue
    from trialogue.records.files.opening import write_text
    from trialogue.simulation.llm.people_style import rating_personas

    known = load_catalogue(catalogue, ratings=ratings)
    if known.ratings is None:
        raise UsageError(f"the catalogue {catalogue!r} has no ratings: name a file of them with --set ratings=FILE.")
    lines = rating_personas(known.catalogue, known.ratings, n=n, attribute=attribute, things=things, seed=seed)
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
