"""``trialogue list``: what there is to name in other commands, and what each of it is."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from trialogue.cli.shared.app import reads
from trialogue.cli.shared.inputs import AsIn
from trialogue.cli.shared.parameters import Given
from trialogue.errors import UnknownNameError, UsageError
from trialogue.options import Setting

if TYPE_CHECKING:
    from trialogue.records import Card
    from trialogue.simulation import UserModel

Row = Mapping[str, Any]
"""A name, what it is in a line (``about``), and what else is known of it."""


@dataclass(frozen=True)
class Shown:
    """One thing, as text and as JSON."""

    text: str
    data: Any


@dataclass(frozen=True)
class Kind:
    """A kind of things that have names."""

    about: str
    rows: Callable[[], list[Row]]
    show: Callable[[str], Shown]


def _check(given: Given) -> Iterator[str]:
    what, name = given["what"], given["name"]
    if what is not None and what not in KINDS:
        raise UnknownNameError("kind of things", what, KINDS)
    yield from given.why_unused("This list", "" if what == "users" and name else "out level as_in")
    yield from given.why_unused("This list", "" if what == "rubrics" and name else "prompt")
    if name is not None and not name.strip():
        yield "the name is blank."


@reads(check=_check)
def list_names(
    what: str | None = None,
    name: str | None = None,
    *,
    out: Path | None = None,
    level: Annotated[Literal["coarse", "classes", "fine"] | None, Setting()] = None,
    as_in: AsIn = None,
    prompt: Annotated[Literal["pointwise", "pairwise"] | None, Setting()] = None,
    as_json: bool = False,
) -> None:
    """List what can be named: agents, users, rubrics, strategies, models, encoders, datasets, formats, metrics, schemas.

    Args:
        what: Kind of things (default: list the kinds).
        name: One of them, to show it; files and folders of your own, too.
        out: users: write the state machine of these users to this SVG file.
        level: users: actions of CIR6 (coarse), classes of QRFA, or all labels (default: as in the users' model).
        prompt: rubrics: print the prompt of a judge of dialogues, or of pairs of them, instead of the file.
    """
    if what is None:
        rows: list[Row] = [{"name": each, "about": kind.about} for each, kind in KINDS.items()]
    elif name is None:
        rows = KINDS[what].rows()
    else:
        if what == "users":
            shown = _user(name, out=out, level=level, as_in=as_in)
        elif what == "rubrics":
            shown = _rubric(name, prompt=prompt)
        else:
            shown = KINDS[what].show(name)
        typer.echo(json.dumps(shown.data, ensure_ascii=False, indent=1) if as_json else shown.text)
        return
    if as_json:
        typer.echo(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    width = max(len(str(row["name"])) for row in rows)
    for row in rows:
        typer.echo(f"{row['name']:<{width}}  {row['about']}")


def _agents() -> list[Row]:
    from trialogue.agents.registry import GROUP
    from trialogue.plugins import plugins_of

    texts = {name: (each.load().__doc__ or "").strip() for name, each in plugins_of(GROUP).items()}
    return [
        {"name": name, "about": text.partition("\n")[0].removeprefix(f"``{name}``: "), "text": text}
        for name, text in sorted(texts.items())
    ]


def _users() -> list[Row]:
    from trialogue.plugins import load, plugins_of
    from trialogue.simulation import METHODS, UserModel
    from trialogue.simulation.users.kinds import GROUP, KindFamily, load_kind

    rows = {name: f"agenda {each.agenda}, preferences {each.preferences}" for name, each in METHODS.items()}
    for name in sorted(set(plugins_of(GROUP)) - set(METHODS)):
        where = plugins_of(GROUP)[name].value
        family = load(GROUP, name, kind="kind of simulated users")
        if isinstance(family, KindFamily):
            rows |= {f"{name}:{member}": summary for member, summary in family.members.items()}
            continue
        kind = load_kind(name)
        is_model = isinstance(kind, UserModel)
        about = f"agenda {kind.options.agenda}, preferences {kind.options.preferences} " if is_model else ""  # type: ignore[attr-defined]  # of a model
        rows[name] = f"{about}({where})"
    return [{"name": name, "about": about} for name, about in rows.items()]


def _user(model: str, *, out: Path | None = None, level: str | None = None, as_in: str | None = None) -> Shown:
    """Transition probabilities of simulated users, or the prompts of a language model that plays them."""
    from trialogue.records.files.opening import write_text
    from trialogue.simulation import UserModel, load_users
    from trialogue.simulation.users.course import two_step
    from trialogue.simulation.users.kinds import HasPrompts, is_users_file, load_kind
    from trialogue.simulation.users.state_diagram import flatten, to_svg, transitions

    changes = {} if as_in is None else {"as": as_in}
    if is_users_file(model) or ":" in model:
        kind = load_kind(model, **changes)
        if isinstance(kind, HasPrompts):
            if out is not None:
                raise UsageError(f"{kind.name} has no state machine to draw: omit --out.")
            prompts = "".join(f"\n\n--- {what}\n{text}" for what, text in kind.prompts.items())
            data = {"name": kind.name, "signature": kind.signature, "prompts": dict(kind.prompts)}
            return Shown(f"{kind.name}, signature {kind.signature}{prompts}", data)
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
    rows = [{"from": pair[0], "to": pair[1], "count": count} for pair, count in counts.items()]
    known = {"name": users.name, "dialogues": users.interaction.dialogues, "options": users.options.to_json()}
    lines = _successor_lines(users, counts)
    if level == "classes":
        known["two_step"] = two_step(course.model, course.qrfa)
        lines.append("Next class of the user, summed over the agent's class in between (sum of P(b | a) P(a' | b)):")
        lines += [
            f"  {state} → " + ", ".join(f"{after} {share:.2f}" for after, share in shares.items())
            for state, shares in two_step(course.model, course.qrfa).items()
        ]
    if users.understanding_prompt is not None:
        known |= {"signature": users.signature, "prompts": {"understanding": users.understanding_prompt}}
        lines.append(f"\n{users.name}, signature {users.signature}\n\n--- understanding\n{users.understanding_prompt}")
    lines += [] if out is None else [f"Drawing: {out}"]
    return Shown("\n".join(lines), {**known, "level": level, "transitions": rows})


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


def _rubrics() -> list[Row]:
    from trialogue.judges import load_rubric, rubric_names

    rows: list[Row] = []
    for each in map(load_rubric, rubric_names()):
        scales = {(each.scale_of(aspect).low, each.scale_of(aspect).high) for aspect in each.aspects}
        points = ", ".join(f"{low} to {high}" for low, high in sorted(scales))
        rows.append({"name": each.id, "about": f"{each.title} ({each.level.value}, {points})"})
    return rows


def _rubric(name: str, *, prompt: str | None = None) -> Shown:
    """A rubric as a template for one's own, the prompt of a judge, or whether a file is valid."""
    from trialogue.judges import Form, load_rubric, rubric_names
    from trialogue.judges.prompts import signature_of, task_of
    from trialogue.judges.rubric import rubric_source

    rubric = load_rubric(name)
    if prompt is not None:
        form = Form(prompt)
        if not rubric.allows(form):
            raise UsageError(f"The rubric {rubric.id} is {rubric.form.value} and cannot be used {form.value}.")
        text = f"# {rubric.signature} {signature_of()}\n{task_of(rubric, form, reasons=True)}"
    elif name in rubric_names():
        text = f"# {rubric.signature}\n{rubric_source(name)}".rstrip("\n")
    else:
        text = f"{name} is valid: {rubric.signature}"
    return Shown(text, rubric.to_json())


def _strategies() -> list[Row]:
    from trialogue.strategies.taxonomy import TAXONOMY

    return [{"about": each.definition, **each.to_json()} for each in TAXONOMY.values()]


def _strategy(name: str) -> Shown:
    from trialogue.strategies.taxonomy import TAXONOMY, bundled_examples

    if name not in TAXONOMY:
        raise UnknownNameError("strategy", name, TAXONOMY)
    data = TAXONOMY[name].to_json()
    examples = [each.text for each in bundled_examples() if each.label == name][:5]
    lines = [f"{field}: {value}" for field, value in data.items()] + [f"  for example: {text}" for text in examples]
    return Shown("\n".join(lines), data)


def _models() -> list[Row]:
    from trialogue.subjects.alignment.commands.align import find_model

    return [
        {"name": "default", "about": f"the bundled strategy model, {find_model(None).origin}; or a folder of your own"}
    ]


def _model(name: str) -> Shown:
    from trialogue.strategies.card import card_lines
    from trialogue.subjects.alignment.commands.align import find_model

    card = find_model(None if name == "default" else name).card
    return Shown("\n".join(card_lines(card)), card.to_json())


def _encoders() -> list[Row]:
    return [
        {"name": "minilm", "about": "the sentence encoder of neural strategy models; or a folder, or a name on a hub"}
    ]


def _encoder(name: str) -> Shown:
    from trialogue.strategies.encoders.encoder import find_encoder, is_bert

    folder = find_encoder(None if name == "minilm" else name)
    config = folder.config
    sizes = f"{config.get('num_hidden_layers', '?')} layers of {config.get('hidden_size', '?')}"
    kind, runs_in = config.get("model_type", "unknown"), "numpy" if is_bert(config) else "torch"
    text = f"{folder.path}: {kind}, {sizes}, {folder.pooling} pooling\nfingerprint {folder.fingerprint()}; "
    data = {"path": str(folder.path), "kind": kind, "pooling": folder.pooling, "fingerprint": folder.fingerprint()}
    return Shown(text + ("runs in numpy" if runs_in == "numpy" else "needs torch"), {**data, "runs_in": runs_in})


def _datasets() -> list[Row]:
    from trialogue.datasets import corpus_names, get_corpus
    from trialogue.datasets.store import is_here

    rows: list[Row] = []
    for name in corpus_names():
        corpus = get_corpus(name)
        here, title = is_here(corpus), corpus.source.title
        rows.append(
            {"name": name, "about": f"{'here      ' if here else 'not here  '}{title}", "here": here, "title": title}
        )
    return rows


def _dataset(name: str) -> Shown:
    from trialogue.datasets import get_corpus

    source = get_corpus(name).source
    lines = [f"{source.title}\n  {source.summary}\n  from: {source.homepage} ({source.revision})"]
    lines.append(f"  licence: {source.licence}\n  cite: {source.citation}")
    if source.counts:
        lines.append("  holds: " + ", ".join(f"{count:,} {what}" for what, count in source.counts.items()))
    lines += [f"  known defect: {defect}" for defect in source.defects]
    lines += [f"  file: {file.path}  {file.url}" for file in source.files]
    return Shown("\n".join(lines), source.to_json())


def _formats() -> list[Row]:
    from trialogue.datasets import format_names, get_format

    return [{"name": name, "about": get_format(name).summary} for name in format_names()]


def _metrics() -> list[Row]:
    from trialogue.metrics import get_card, metric_names

    cards = map(get_card, metric_names())
    return [
        {"about": f"{card.title}: {', '.join('@' + each for each in card.variants)}", **card.to_json()}
        for card in cards
    ]


def _metric(name: str) -> Shown:
    from trialogue.metrics import get_card

    card = get_card(name.split("(")[0].split("@")[0])
    return Shown(_card(card), card.to_json())


def _card(card: "Card") -> str:
    from trialogue.records.card import FAILED_TEXTS

    low, high = ("-inf" if card.low is None else f"{card.low:g}"), ("inf" if card.high is None else f"{card.high:g}")
    lines = [
        f"{card.title} ({card.name}), version {card.version}",
        f"  {card.summary}",
        f"  unit: {card.unit}; range {low} to {high}; better: {card.better}; level: {card.level}",
        f"  needs: {', '.join(card.needs) or 'nothing but text'}",
        f"  failures: {FAILED_TEXTS[card.failure_policy]}",
        f"  languages: {card.text.languages_text if card.text is not None else 'any'}",
    ]
    lines += [f"  parameter {key}: {text}" for key, text in card.parameters.items()]
    for key, variant in card.variants.items():
        default = " (default)" if key == card.default else ""
        version = f", version {variant.version}" if variant.version else ""
        lines += [f"  @{key}{default}{version}: {variant.summary}", f"      {variant.source}"]
        lines += [f"      languages: {variant.text.languages_text}"] if variant.text is not None else []
    lines += _validity(card.name)
    lines += [f"  caveat: {text}" for text in card.caveats]
    if card.extra:
        lines.append(f"  install with: pip install 'trialogue[{card.extra}]'")
    if card.citation:
        lines.append(f"  {card.citation}")
    return "\n".join(lines)


def _validity(name: str) -> list[str]:
    """Measured agreement with people of a metric's variants."""
    from trialogue.findings.validity import bundled_validity, validity_lines

    lines = []
    for each in bundled_validity():
        if each.measure.partition("(")[0].partition("@")[0] == name:
            first, *rest = validity_lines(each)
            lines += [f"  {each.measure.partition('|')[0]} {first}", *(f"      {line}" for line in rest)]
    return lines


def _schema(name: str) -> Shown:
    from trialogue.subjects.board.reported import rows_schema

    _row_of(name, [{"name": "rows"}], "schema")
    schema = rows_schema()
    return Shown(json.dumps(schema, indent=2, ensure_ascii=False), schema)


def _row_of(name: str, rows: list[Row], kind: str) -> Row:
    """The row of a name; UnknownNameError if there is none."""

    found = {str(row["name"]): row for row in rows}
    if name not in found:
        raise UnknownNameError(kind, name, found)
    return found[name]


def _shown_row(rows: Callable[[], list[Row]], kind: str) -> Callable[[str], Shown]:
    """What shows the text of one row."""

    def show(name: str) -> Shown:
        row = _row_of(name, rows(), kind)
        return Shown(str(row.get("text", row["about"])), dict(row))

    return show


KINDS = {
    "agents": Kind(
        "systems under test, by the kind of their connection", _agents, _shown_row(_agents, "kind of agent")
    ),
    "users": Kind("kinds of simulated users, and folders and files of your own", _users, _user),
    "rubrics": Kind("questions that judges answer; a file of your own is checked", _rubrics, _rubric),
    "strategies": Kind("recommendation strategies, with examples", _strategies, _strategy),
    "models": Kind("models that label strategies, with their cards", _models, _model),
    "encoders": Kind("sentence encoders of neural strategy models", _encoders, _encoder),
    "datasets": Kind("corpora, and whether they are on this machine", _datasets, _dataset),
    "formats": Kind("file formats that Trialogue reads", _formats, _shown_row(_formats, "format")),
    "metrics": Kind("metrics, with formulas, caveats and sources", _metrics, _metric),
    "schemas": Kind(
        "JSON Schemas of files", lambda: [{"name": "rows", "about": "results reported by others, for a board"}], _schema
    ),
}
