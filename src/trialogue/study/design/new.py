"""Create a study folder from a template."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path

from trialogue.errors import UnknownNameError, UsageError
from trialogue.records.files.jsonl import to_line
from trialogue.records.files.opening import make_folder, open_replacing, write_text
from trialogue.study.design.file import FILE, read_study
from trialogue.study.design.items import AnyItem
from trialogue.study.design.items_file import read_items

FOLDER = "templates"
_AGENTS = re.compile(r"^(?P<head>agents:.*\n)(?:[ ]+.*\n)+", re.MULTILINE)


def template_names() -> list[str]:
    """Templates that come with Trialogue."""
    entries = (files("trialogue.study.design") / FOLDER).iterdir()
    return sorted(entry.name.removesuffix(".yaml") for entry in entries if entry.name.endswith(".yaml"))


@contextmanager
def template_path(name: str) -> Iterator[Path]:
    """The study file of a template.

    Raises:
        UnknownNameError: there is no such template.
    """
    if name not in template_names():
        raise UnknownNameError("template", name, template_names())
    with as_file(files("trialogue.study.design") / FOLDER / f"{name}.yaml") as path:
        yield path


def new_study(out: Path, name: str, items: Sequence[AnyItem], *, agents: Mapping[str, str] | None = None) -> Path:
    """Write a study folder from a template.

    Args:
        out: the folder.
        name: name of the template.
        items: the items to show.
        agents: systems to chat with, by name, in place of the template's.

    Raises:
        UsageError: the folder already contains a study.
        UnknownNameError: there is no such template.
    """
    with template_path(name) as path:
        text = _with_agents(path.read_text(encoding="utf-8"), agents or {})
    return write_study(out, text, items)


def write_study(out: Path, text: str, items: Sequence[AnyItem]) -> Path:
    """Write a study folder from the text of its file, which is validated first.

    Args:
        out: the folder.
        text: text of the study file.
        items: the items to show.

    Raises:
        UsageError: the folder already contains a study.
        DataError: mistakes in the text.
    """
    if (out / FILE).exists():
        raise UsageError(f"{out / FILE} exists already. Choose another folder with --out.")
    make_folder(out)
    with open_replacing(out / "items.jsonl") as stream:
        for item in items:
            stream.write(to_line(item).encode("utf-8", "replace") + b"\n")
    write_text(out / FILE, text)
    read_items(out / "items.jsonl", read_study(out))
    return out


def _with_agents(text: str, agents: Mapping[str, str]) -> str:
    """A study file with other agents; JSON is YAML, so that no name or address needs care."""
    if not agents:
        return text
    lines = "".join(f"  {json.dumps(name)}: {json.dumps(spec)}\n" for name, spec in agents.items())
    changed, times = _AGENTS.subn(lambda found: found["head"] + lines, text)
    if times != 1:  # a template whose agents are not written as a block, one a line
        raise UsageError(f"expected one list of agents to replace in this template, found {times}.")
    return changed
