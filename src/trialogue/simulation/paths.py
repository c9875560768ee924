"""Resolve the paths in agents and users of a simulation file relative to its folder."""

from pathlib import Path

from trialogue.agents.registry import is_file
from trialogue.agents.tools.options import CATALOGUE
from trialogue.datasets import corpus_names, get_corpus
from trialogue.datasets.store import locate
from trialogue.errors import UnknownNameError
from trialogue.records import JsonValue
from trialogue.simulation.relative_paths import DEMO, resolve_path

PATHS = ("catalogue", "ratings", "wording", "phrases", "file", "folder", "cache", "personas", "style", "out")
"""Fields and options that hold a path, or, of a catalogue and an encoder, a name."""
NESTED = "understanding"
"""Option of users whose value may hold the options of a language model."""
Options = dict[str, JsonValue]


def located_agent(spec: str | Options, folder: Path) -> str | Options:
    """Agent specification with resolved paths."""
    if isinstance(spec, str):
        return resolve_path(folder, spec) if is_file(spec) else spec
    agent = spec.get("agent")
    return {**_resolve_options(spec, folder), **({"agent": resolve_path(folder, agent)} if is_file(agent) else {})}


def located_users(spec: str | Options, folder: Path) -> Options:
    """User options with resolved paths; a plain name or folder becomes options."""
    options: Options = {"users": spec} if isinstance(spec, str) else _resolve_options(spec, folder)
    users = options.get("users")
    here = folder / users if isinstance(users, str) else None
    is_path = here is not None and (here.is_dir() or (here.suffix in (".yaml", ".yml") and here.is_file()))
    return {**options, "users": resolve_path(folder, users)} if is_path else options


def _resolve_options(options: Options, folder: Path) -> Options:
    return {name: _resolve_option(name, value, folder) for name, value in options.items()}


def _resolve_option(name: str, value: JsonValue, folder: Path) -> JsonValue:
    if name == NESTED and isinstance(value, dict):
        return {key: _resolve_options(own, folder) if isinstance(own, dict) else own for key, own in value.items()}
    if name == "tools":
        return [_tool(each, folder) for each in value] if isinstance(value, list) else _tool(value, folder)
    return resolve_path(folder, value) if name in PATHS else value


def _tool(value: JsonValue, folder: Path) -> JsonValue:
    """A tool with the path of its catalogue."""
    kind, colon, file = value.partition(":") if isinstance(value, str) else ("", "", "")
    return f"{kind}:{resolve_path(folder, file)}" if kind == CATALOGUE and colon else value


def check_catalogue(name: str) -> None:
    """Check that a catalogue exists by name or as a file, without reading it.

    Raises:
        UnknownNameError: there is neither.
        MissingDataError: it is a corpus that is not on this machine.
    """
    films = [corpus for corpus in corpus_names() if corpus.startswith("movielens")]
    if name == DEMO or Path(name).is_file():
        return
    if name not in films:
        hint = "Or give a file of items (JSON Lines or CSV)."
        raise UnknownNameError("catalogue", name, [DEMO, *films], hint=hint)
    locate(get_corpus(name))
