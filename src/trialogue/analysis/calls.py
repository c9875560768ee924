"""Manifests of commands: what was called with which arguments, in a form that can be called again.

Files are named without their folder and with their sha256, so that a manifest says the same on every machine. What was given
in memory is named by its type: it cannot be called again.
"""

import hashlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from trialogue.analysis.saved_results import OF_RUN, holds_run
from trialogue.inputs.locations import Input, names_corpus
from trialogue.records import JsonValue, Manifest, sha256_of
from trialogue.records.files.manifest import versions_of
from trialogue.records.files.opening import is_file
from trialogue.records.runs.placing import read_manifest

PACKAGES = ("trialogue", "numpy", "scipy", "sacrebleu", "pydantic", "matplotlib")
PATH, BEFORE, AFTER, SHA256, MEMORY = "path", "before", "after", "sha256", "memory"
"""Keys of an argument that is a file or folder: its name, what stood before and after it (``NAME=FILE``, ``FILE:COLUMN``),
its hash. The last one is the key of an argument that was given in memory."""
TEXTS = ("references", "contexts")
"""Parameters whose texts are data."""
NOT_CONTENT = ("progress", "note", "out", "cache", "jobs", "cluster")
"""Parameters that change no result."""


def manifest_of(
    command: str,
    call: Mapping[str, JsonValue],
    *,
    config: Mapping[str, JsonValue],
    inputs: Mapping[str, str],
    seed: int | None,
) -> Manifest:
    """The manifest of a command's results.

    Args:
        command: its name.
        call: its arguments (``arguments_of``).
        config: every option that changes a number, resolved.
        inputs: sha256 by input name.
        seed: random seed; None: nothing was random.
    """
    return Manifest(
        command=command,
        call=dict(call),
        config=dict(config),
        seed=seed,
        inputs=dict(inputs),
        versions=versions_of(*PACKAGES),
    )


def arguments_of(function: Callable[..., object], given: Mapping[str, object]) -> dict[str, JsonValue]:
    """Arguments of a call that differ from their defaults.

    Args:
        function: what is called.
        given: its parameters and their values: ``locals()``, before there is anything else.
    """
    found: dict[str, JsonValue] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        value = given[name]
        if name in NOT_CONTENT or _is_default(value, parameter.default):
            continue
        found[name] = _in_memory(value) if name in TEXTS else _encode(value)
    return found


def _is_default(value: object, default: object) -> bool:
    return value is default or (isinstance(value, str | int | float | tuple) and value == default)


_PLAIN = (str, int, float, Path, Input, type(None))


def _encode(value: object) -> JsonValue:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Input):
        return {MEMORY: "a file with a mapping of its columns"} if value.reader else _text(value.given)
    if isinstance(value, str):
        return _text(str(value))
    if isinstance(value, Path):
        return _locate(value, {})
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: _encode(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping) and all(isinstance(each, _PLAIN) for each in value.values()):
        return {str(name): _encode(each) for name, each in value.items()}
    if isinstance(value, list | tuple) and all(isinstance(each, _PLAIN) for each in value):
        return [_encode(each) for each in value]
    return _in_memory(value)


def _in_memory(value: object) -> JsonValue:
    several = value if isinstance(value, tuple) else (value,)
    return {MEMORY: ", ".join(dict.fromkeys(type(each).__name__ for each in several))}


def _text(text: str) -> JsonValue:
    """A text, which may be or hold the path of something that is there."""
    before, path, after = ("", None, text) if names_corpus(text) else _around_path(text)
    return text if path is None else _locate(path, {BEFORE: before, AFTER: after})


def _around_path(text: str) -> tuple[str, Path | None, str]:
    """(what stands before it, a path, what stands after it); None: the text holds no path of anything that is there."""
    name, equals, rest = text.partition("=")
    start, colon, column = text.rpartition(":")
    for before, path, after in (("", text, ""), (name + equals, rest, ""), ("", start, colon + column)):
        if path and _exists(Path(path)):
            return before, Path(path), after
    return "", None, text


def short_name(given: object) -> str:
    """An input as reports and manifests name it: without the folder that it is in."""
    before, path, after = _around_path(str(given))
    return before + (path.name if path is not None else "") + after


def _locate(path: Path, how: dict[str, JsonValue]) -> JsonValue:
    found = {name: value for name, value in how.items() if value}
    return {PATH: path.resolve().name, **found, **({SHA256: digest_of(path)} if _exists(path) else {})}


def _exists(path: Path) -> bool:
    try:
        return path.is_file() or path.is_dir()
    except (OSError, ValueError):
        return False


def digest_of(path: Path) -> str:
    """sha256 of a file; of a folder, one over its files; of a run, one over what later commands read (without pages)."""
    if is_file(path):
        return sha256_of(path)
    manifest = read_manifest(path) if holds_run(path) else None
    if manifest is not None:
        digests = {name: digest for name, (digest, _) in manifest.files.items() if name in OF_RUN}
    else:
        files = sorted(each for each in path.rglob("*") if each.is_file() and each.name[0] not in "._")
        digests = {each.relative_to(path).as_posix(): sha256_of(each) for each in files}
    lines = "\n".join(f"{name} {digest}" for name, digest in sorted(digests.items()))
    return hashlib.sha256(lines.encode("utf-8", "replace")).hexdigest()


def decode(value: JsonValue, find: Callable[[str, str], Path], *, is_text: bool) -> Any:
    """An argument that means what was given.

    Args:
        value: as it is in the manifest.
        find: gets the name and hash of each file or folder, and says where it is.
        is_text: whether paths become texts.

    Raises:
        LookupError: something was given in memory.
    """
    if isinstance(value, list):
        return [decode(each, find, is_text=is_text) for each in value]
    if not isinstance(value, dict):
        return value
    if MEMORY in value:
        raise LookupError(str(value[MEMORY]))
    if PATH not in value:
        return {name: decode(each, find, is_text=is_text) for name, each in value.items()}
    path = find(str(value[PATH]), str(value.get(SHA256)))
    around = (value.get(BEFORE, ""), value.get(AFTER, ""))
    return f"{around[0]}{path}{around[1]}" if any(around) or is_text else path
