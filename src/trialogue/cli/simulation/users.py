"""``trialogue users``: fit, list and show simulated users."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trialogue.cli.shared.app import App
from trialogue.cli.shared.inputs import Mapped
from trialogue.cli.shared.options import AS_HELP
from trialogue.cli.shared.progress import check_folder, steps
from trialogue.cli.simulation.passport import passport
from trialogue.errors import UsageError
from trialogue.options import Seed

if TYPE_CHECKING:
    from trialogue.simulation import UserModel
    from trialogue.simulation.users.kinds import HasPrompts

app = App(
    help=("Simulated users: list them, fit them on annotated dialogues, show them, write their passport."),
    no_args_is_help=True,
)
app.command("passport")(passport)

Model = Annotated[
    str, typer.Argument(help="A kind of user (see: trialogue users list), a folder of fitted users, or a YAML file.")
]


@app.command("fit")
def fit(
    dialogues: Annotated[list[str], typer.Option("--dialogues", "-d", help="Annotated dialogues: files or corpora.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Output folder for the fitted users.")],
    method: Annotated[str, typer.Option(help="qrfa-single, cir6-single or cir6-pkg.")] = "cir6-pkg",
    catalogue: Annotated[str, typer.Option(help="Catalogue of the items in the dialogues.")] = "demo",
    format_name: Annotated[str | None, typer.Option("--format", help="Input format (default: auto-detect).")] = None,
    mapping: Mapped = None,
    source: Annotated[str | None, typer.Option("--as", help=AS_HELP)] = None,
    labels: Annotated[
        list[str] | None,
        typer.Option(help="Export of a labelling study whose acts replace the acts in the dialogues (repeatable)."),
    ] = None,
    successful: Annotated[
        bool, typer.Option("--successful", help="Use only successful dialogues, as in the paper.")
    ] = False,
) -> None:
    """Fit the interaction model, language understanding and wording on dialogues of real users with labelled acts."""
    from trialogue.simulation import fit_users
    from trialogue.simulation.actions import KDD2020
    from trialogue.simulation.users.fit import data_hash
    from trialogue.simulation.users.options import method as options_of
    from trialogue.workflows.inputs.inputs import gather
    from trialogue.workflows.inputs.knowledge import load_catalogue
    from trialogue.workflows.simulation.act_labels import is_successful, with_labelled_acts

    options = options_of(method) if source is None else options_of(method).as_in(source)
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


@app.command("list")
def list_users() -> None:
    """List the kinds of simulated users, including kinds from other packages."""
    from trialogue.plugins import load, plugins_of
    from trialogue.simulation import METHODS, UserModel
    from trialogue.simulation.users.kinds import GROUP, KindFamily, load_kind

    for name, options in METHODS.items():
        typer.echo(f"{name}: agenda {options.agenda}, preferences {options.preferences}")
    for name in sorted(set(plugins_of(GROUP)) - set(METHODS)):
        where = plugins_of(GROUP)[name].value
        family = load(GROUP, name, kind="kind of simulated users")
        if isinstance(family, KindFamily):
            for member, summary in family.members.items():
                typer.echo(f"{name}:{member}: {summary}")
            continue
        kind = load_kind(name)
        about = ""
        if isinstance(kind, UserModel):
            about = f"agenda {kind.options.agenda}, preferences {kind.options.preferences} "
        typer.echo(f"{name}: {about}({where})")


@app.command("personas")
def personas(
    out: Annotated[Path, typer.Option("--out", "-o", help="Output file for the personas, one per line.")],
    catalogue: Annotated[str, typer.Option(help="Catalogue with the items.")] = "demo",
    ratings: Annotated[str | None, typer.Option(help="Ratings file (default: the catalogue's ratings).")] = None,
    n: Annotated[int, typer.Option("-n", min=1, help="Number of personas.")] = 50,
    attribute: Annotated[str, typer.Option(help="Attribute whose values are kinds of items.")] = "genre",
    things: Annotated[str, typer.Option(help="Plural noun for the items.")] = "films",
    seed: Seed = 0,
) -> None:
    """Write personas based on people in a ratings file, for users that a language model plays (option personas)."""
    from trialogue.records.files.opening import write_text
    from trialogue.simulation.llm.people_style import rating_personas
    from trialogue.workflows.inputs.knowledge import load_catalogue

    known = load_catalogue(catalogue, ratings=ratings)
    if known.ratings is None:
        raise UsageError(f"the catalogue {catalogue!r} has no ratings: name a file of them with --ratings.")
    lines = rating_personas(known.catalogue, known.ratings, n=n, attribute=attribute, things=things, seed=seed)
    write_text(out, "\n".join(lines) + "\n")
    typer.echo(f"Personas: {out} ({len(lines)})")


@app.command("style")
def style(
    dialogues: Annotated[list[str], typer.Option("--dialogues", "-d", help="Dialogues of people: files or corpora.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Output JSON file for the style.")],
    format_name: Annotated[str | None, typer.Option("--format", help="Input format (default: auto-detect).")] = None,
    mapping: Mapped = None,
    seed: Seed = 0,
) -> None:
    """Measure how people write (length, typing errors, examples), for users that a language model plays (option style)."""
    from trialogue.simulation.llm.people_style import style_of_people, write_style
    from trialogue.workflows.inputs.inputs import gather

    found = style_of_people(gather(dialogues, format_name=format_name, mapping=mapping).dialogues, seed=seed)
    write_style(found, out)
    typos = "unknown (too few words)" if found.typos is None else f"{100 * found.typos:.2g}% of the longer words"
    typer.echo(
        f"Style: {out} ({found.people:,} people, {found.messages:,} messages of {found.mean_words:g} words on average, "
        f"80% of them with at most {found.words} words; typing errors: {typos})"
    )


@app.command("show")
def show(
    model: Model,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the state machine to this SVG file.")] = None,
    level: Annotated[
        str | None,
        typer.Option(
            help=(
                "coarse: actions of CIR6; classes: classes of QRFA; fine: all labels (default: as in the users' model)."
            )
        ),
    ] = None,
    source: Annotated[str | None, typer.Option("--as", help=AS_HELP)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Show the transition probabilities of simulated users, or the prompts of a language model that plays them."""
    from trialogue.records.files.opening import write_text
    from trialogue.simulation import UserModel, load_users
    from trialogue.simulation.users.course import two_step
    from trialogue.simulation.users.kinds import HasPrompts, is_users_file, load_kind
    from trialogue.simulation.users.state_diagram import flatten, to_svg, transitions

    changes = {} if source is None else {"as": source}
    if is_users_file(model) or ":" in model:
        kind = load_kind(model, **changes)
        if isinstance(kind, HasPrompts):
            if out is not None:
                raise UsageError(f"{kind.name} has no state machine to draw: omit --out.")
            _show_prompts(kind, as_json=as_json)
            return
        if not isinstance(kind, UserModel):
            raise UsageError(f"{kind.name} has neither transition probabilities nor prompts to show.")
        users = kind
    else:
        users = load_users(model, **changes)
    level = level or ("classes" if users.options.is_qrfa else "coarse")
    course = users.options.course(users.interaction)
    if level == "coarse" and course.level == "action":  # the chain that these users walk
        counts = flatten(course.transitions)
    else:
        counts = transitions(course.model, level=level, qrfa=course.qrfa)  # type: ignore[arg-type]
    if out is not None:
        write_text(out, to_svg(course.model, level=level, qrfa=course.qrfa, counts=counts))  # type: ignore[arg-type]
    if as_json:
        rows = [{"from": pair[0], "to": pair[1], "count": count} for pair, count in counts.items()]
        known = {"name": users.name, "dialogues": users.interaction.dialogues, "options": users.options.to_json()}
        if users.understanding_prompt is not None:
            known |= {"signature": users.signature, "prompts": {"understanding": users.understanding_prompt}}
        if level == "classes":
            known["two_step"] = two_step(course.model, course.qrfa)
        typer.echo(json.dumps({**known, "level": level, "transitions": rows}, ensure_ascii=False, indent=1))
    else:
        for line in _successor_lines(users, counts):
            typer.echo(line)
        if level == "classes":
            typer.echo("Next class of the user, summed over the agent's class in between (sum of P(b | a) P(a' | b)):")
            for state, shares in two_step(course.model, course.qrfa).items():
                typer.echo(f"  {state} → " + ", ".join(f"{after} {share:.2f}" for after, share in shares.items()))
        if users.understanding_prompt is not None:
            typer.echo(
                f"\n{users.name}, signature {users.signature}\n\n--- understanding\n{users.understanding_prompt}"
            )
    if out is not None and not as_json:
        typer.echo(f"Drawing: {out}")


def _show_prompts(kind: "HasPrompts", *, as_json: bool) -> None:
    """The prompts of a kind of users that a model plays, and their signature."""
    if as_json:
        shown = {"name": kind.name, "signature": kind.signature, "prompts": dict(kind.prompts)}
        typer.echo(json.dumps(shown, ensure_ascii=False, indent=1))
        return
    typer.echo(f"{kind.name}, signature {kind.signature}")
    for what, text in kind.prompts.items():
        typer.echo(f"\n--- {what}\n{text}")


def _successor_lines(users: "UserModel", counts: dict[tuple[str, str], int]) -> list[str]:
    """Successors of each state, the most probable first."""
    options = users.options
    lines = [f"{users.name}: {users.interaction.dialogues} dialogues, agenda {options.agenda}, {options.preferences}"]
    for state in dict.fromkeys(pair[0] for pair in counts):
        following = {after: count for (before, after), count in counts.items() if before == state}
        whole = sum(following.values())
        ranked = sorted(following, key=lambda after: -following[after])
        shares = ", ".join(f"{'end' if after == '<end>' else after} {following[after] / whole:.2f}" for after in ranked)
        lines.append(f"  {state} → {shares}")
    return lines
