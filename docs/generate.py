"""Write what comes from the code: the generated pages of the reference, pages of rooms, the picture of the house.

For ``make docs``. ``PAGES`` are kept in the repository, so that they can be read there; a test compares them. The worked
examples of the troubleshooting page are run if their message changed; with ``--run``, all are.
"""

import importlib
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import house
import troubleshooting
import typer
import yaml
from describe import classes, described, function, module

import trialogue
from trialogue.cli.app import app
from trialogue.cli.shared.parameters import Parameter
from trialogue.cli.shared.settings import example_of, help_of, is_mapping
from trialogue.datasets import corpus_names, format_names, get_corpus, get_format
from trialogue.metrics import get_card, metric_names
from trialogue.records import Card
from trialogue.records.card import FAILED_TEXTS

REFERENCE = Path(__file__).parent / "reference"
ROOMS = REFERENCE / "rooms"
SOURCE = Path(__file__).parent.parent / "src" / "trialogue"
FAMILIES = {
    "text": "Text",
    "recommendation": "Recommendation",
    "dialogue": "Dialogue",
    "alignment": "Behavior alignment",
    "simulation": "Simulation",
}


def metrics_page() -> str:
    cards = [get_card(name) for name in metric_names()]
    parts = [
        "# Metrics\n",
        "Every metric has a card; this page is generated from the cards. A name such as `distinct(n=2)@ratio` states the "
        "metric, its parameters and the variant; two variants of a metric are two measures and never share a column.\n",
    ]
    for family, heading in FAMILIES.items():
        members = [card for card in cards if card.family == family]
        if members:
            parts.append(f"## {heading}\n")
            parts.extend(map(card_section, members))
    return "\n".join(parts)


def card_section(card: Card) -> str:
    low = "unbounded" if card.low is None else f"{card.low:g}"
    high = "unbounded" if card.high is None else f"{card.high:g}"
    lines = [
        f"### {card.title} (`{card.name}`)\n",
        f"{card.summary}\n",
        f"Unit: {card.unit}. Range: {low} to {high}. Better: {card.better}. One value per {card.level}. "
        f"Needs: {', '.join(card.needs) or 'text only'}. "
        f"{FAILED_TEXTS[card.failure_policy]} "
        f"Languages: {card.text.languages_text if card.text is not None else 'any'}.\n",
    ]
    lines += [f"- Parameter `{key}`: {text}" for key, text in card.parameters.items()]
    lines.append("")
    for key, variant in card.variants.items():
        default = " (default)" if key == card.default else ""
        lines.append(f"`@{key}`{default}\n: {variant.summary} *Source:* {variant.source}\n")
    lines += [f"- Caveat: {text}" for text in card.caveats]
    if card.extra:
        lines.append(f"\nInstall with `pip install 'trialogue[{card.extra}]'`.")
    if card.citation:
        lines.append(f"\nCite: {card.citation}")
    return "\n".join(lines) + "\n"


def corpora_page() -> str:
    parts = [
        "# Corpora\n",
        "Trialogue does not redistribute corpora. `trialogue data get NAME` downloads one from its publisher, at a pinned "
        "revision.\n",
    ]
    for name in corpus_names():
        source = get_corpus(name).source
        counts = ", ".join(f"{count:,} {what}" for what, count in source.counts.items())
        parts.append(f"## {source.title} (`{name}`)\n\n{source.summary}\n")
        parts.append(f"- From: <{source.homepage}>, revision {source.revision}\n- Licence: {source.licence}")
        parts.append(f"- Cite: {source.citation}")
        if counts:
            parts.append(f"- Contents: {counts}")
        parts.extend(f"- Known defect: {defect}" for defect in source.defects)
        parts.append("")
    return "\n".join(parts)


def formats_page() -> str:
    formats = [get_format(name) for name in format_names()]
    rows = [f"| `{name}` | {each.summary} |" for name, each in zip(format_names(), formats, strict=True)]
    tried = [f"| `{each.name}` | {each.tried} |" for each in formats if getattr(each, "tried", "")]
    return "\n".join(
        [
            "# Formats\n",
            "Formats are detected from the content; `--format NAME` overrides the detection.\n",
            "| name | what it is |",
            "|---|---|",
            *rows,
            "\nFormats of other tools, and what each reader was tested with. Other versions of a tool may write different "
            "files.\n",
            "| name | tested with |",
            "|---|---|",
            *tried,
            "",
        ]
    )


def room_page(name: str) -> str:
    """What a room is, its folders and modules in one line each, and what it exports: all from its own docstrings."""
    folder = folder_of(name)
    parts = [f"# `{folder.relative_to(SOURCE).as_posix().replace('/', '.')}`\n", described(folder / "__init__.py"), ""]
    for inside in [folder, *sorted(path for path in folder.rglob("*") if (path / "__init__.py").is_file())]:
        modules = sorted(path for path in inside.glob("*.py") if path.name != "__init__.py" and described(path))
        if inside != folder:
            parts += [
                f"## `{inside.relative_to(SOURCE).as_posix().replace('/', '.')}`\n",
                described(inside / "__init__.py"),
                "",
            ]
        if modules:
            parts += ["| module | what it is |", "|---|---|"]
            parts += [
                f"| `{path.stem}` | {described(path).splitlines()[0].replace('|', chr(92) + '|')} |" for path in modules
            ]
            parts.append("")
    return "\n".join(parts)


def folder_of(name: str) -> Path:
    """The folder of a room or a subject."""
    return SOURCE / name if (SOURCE / name).is_dir() else SOURCE / house.SUBJECTS / name


def rooms_index(names: list[str]) -> str:
    return "\n".join(
        [
            "# Rooms\n",
            "Each room (top-level package) and subject of [the architecture](../../design/architecture.md) has a page.\n",
            "```{toctree}",
            *names,
            "```",
            "",
        ]
    )


STATUS = {
    "exact": "reproduced exactly",
    "within error": "reproduced within error",
    "deviates": "deviates",
    "not attempted": "not attempted",
    "impossible": "impossible",
}
PAPERS_HEAD = """# The three papers, item by item

Trialogue began as the implementation of three papers. Every table, figure, formula, procedure and screen of theirs has
a row here, with its status and a command that shows it. This page is generated from
`docs/background/papers.yaml`, and tests run the commands.

| status | meaning |
|---|---|
| reproduced exactly | the published numbers to the last digit; of anything else, what the paper describes |
| reproduced within error | within the sampling error of the paper and of ours |
| deviates | how is stated |
| not attempted | it can be done, at the cost that is stated |
| impossible | it needs what was not published |

The reproductions need the papers' data: `trialogue data get kdd2020 movielens-latest-small inspired`. How the commands
are used: [Reproductions](reproductions.md), [the paper and its code](simulation.md#the-paper-and-its-code).
"""


def papers_page() -> str:
    papers = yaml.safe_load((REFERENCE.parent / "background" / "papers.yaml").read_text(encoding="utf-8"))
    return "\n".join([PAPERS_HEAD, *(paper_section(paper) for paper in papers)])


def paper_section(paper: dict[str, Any]) -> str:
    rows = [
        f"| {row['item']} | {STATUS[row['status']]} | {row['how'] or '–'} | {code(row.get('command'))} |"
        for row in paper["items"]
    ]
    head = f"## {paper['title']} ({paper['venue']})\n"
    return "\n".join([head, "| item | status | how | shown by |", "|---|---|---|---|", *rows, ""])


def code(command: str | None) -> str:
    return f"`{command}`" if command else "–"


API_HEAD = """# Python: functions and classes

Everything that `import trialogue` offers, then the parts of metrics and the statistics. Generated from the docstrings.
[Python](python.md) shows how the pieces are used.
"""
FURTHER = ("trialogue.metrics.base", "trialogue.stats")


def api_page() -> str:
    found = {name: getattr(trialogue, name) for name in sorted(trialogue.__all__, key=str.lower)}
    functions = [function(f"trialogue.{name}", one) for name, one in found.items() if inspect.isfunction(one)]
    kinds = {name: one for name, one in found.items() if inspect.isclass(one)}
    errors = [classes(f"trialogue.{name}", one) for name, one in kinds.items() if issubclass(one, Exception)]
    others = [classes(f"trialogue.{name}", one) for name, one in kinds.items() if not issubclass(one, Exception)]
    parts = ["## Functions\n", *functions, "## Classes\n", *others, "## Errors\n", *errors]
    return "\n".join([API_HEAD, *parts, *(module(importlib.import_module(name)) for name in FURTHER)])


RECORDS_HEAD = """# Records

The lines of Trialogue's files (JSON Lines), and what its functions exchange. Each line names its kind, as in
`{"kind": "dialogue", ...}`. Generated from the records. `?` and `None` mean that a field may be left out.
"""
RECORD_MODULES = (
    *("dialogue", "kinds.endings", "completion", "situation", "score", "scale", "scores.measured_units"),
    *("scores.score_block", "estimate", "files.manifest"),
)


def records_page() -> str:
    parts = [RECORDS_HEAD]
    for name in RECORD_MODULES:
        found = importlib.import_module(f"trialogue.records.{name}")
        own = [one for one in vars(found).values() if inspect.isclass(one) and one.__module__ == found.__name__]
        parts += [f"## {name.split('.')[-1].replace('_', ' ').capitalize()}\n"]
        parts += [classes(one.__name__, one, with_methods=False) for one in own if not one.__name__.startswith("_")]
    return "\n".join(parts)


OPTIONS_HEAD = """# Options

The options and settings of every command, as `trialogue COMMAND --help` prints them, generated from the program.
`--seed`, `--json`, `--quiet` and `--help` may stand anywhere after a command. A setting is given as `--set NAME=VALUE`;
[Commands](command.md#options-and-settings) explains both.
"""


def options_page() -> str:
    parts = [OPTIONS_HEAD]
    waiting = [("trialogue", typer.main.get_command(app))]
    while waiting:
        words, command = waiting.pop(0)
        inside = getattr(command, "commands", None)
        if inside is not None:
            waiting[:0] = [(f"{words} {name}", one) for name, one in inside.items()]
            continue
        parts += [f"## `{words}`\n", inspect.cleandoc(str(command.help)).replace("|", "\\|"), ""]
        parts += [*map(option_line, command.params), ""]
        if command.settings:
            parts += ["Settings:\n", *(setting_line(name, one) for name, one in command.settings.items()), ""]
    return "\n".join(parts)


def option_line(parameter: Any) -> str:
    is_option = parameter.param_type_name == "option"
    names = [*parameter.opts, *parameter.secondary_opts] if is_option else [parameter.name.upper()]
    return f"- {', '.join(f'`{name}`' for name in names)}: {' '.join(str(parameter.help or '').split())}"


def setting_line(name: str, setting: Parameter) -> str:
    shown = f"{name}.NAME=VALUE" if is_mapping(setting.kind) else f"{name}={example_of(setting.kind, setting.default)}"
    return f"- `{shown}`: {help_of(setting.kind, setting.about)}"


PAGES: dict[str, Callable[[], str]] = {
    "background/papers.md": papers_page,
    "reference/api.md": api_page,
    "reference/corpora.md": corpora_page,
    "reference/formats.md": formats_page,
    "reference/metrics.md": metrics_page,
    "reference/options.md": options_page,
    "reference/records.md": records_page,
    "troubleshooting.md": lambda: troubleshooting.page(troubleshooting.outputs_kept),
}
"""Pages that are kept, by their path below ``docs``."""


def main() -> None:
    outputs = troubleshooting.outputs_now if "--run" in sys.argv else troubleshooting.outputs_fresh
    troubleshooting.PAGE.write_text(troubleshooting.page(outputs), encoding="utf-8")
    for name, page in PAGES.items():
        (REFERENCE.parent / name).write_text(page().rstrip() + "\n", encoding="utf-8")
    ROOMS.mkdir(exist_ok=True)
    names = [name for floor in house.floors_of(SOURCE.parent.parent) for name in floor if folder_of(name).is_dir()]
    for name in names:
        (ROOMS / f"{name}.md").write_text(room_page(name), encoding="utf-8")
    (ROOMS / "index.md").write_text(rooms_index(names), encoding="utf-8")
    house.draw(REFERENCE.parent.parent, REFERENCE.parent / "static" / "house.svg")


if __name__ == "__main__":
    main()
