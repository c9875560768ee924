"""Imports that are made when they are needed: of optional packages, and of what a package exports."""

import importlib
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from trialogue.errors import MissingExtraError


def need(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import an optional module; raises MissingExtraError with the install command if it is missing.

    Args:
        module: dotted name, such as ``"openpyxl"``.
        extra: the extra of this package that brings it, such as ``"data"``.
        purpose: what it is needed for, as the end of "... is needed to".
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        if missing.name is None or not module.startswith(missing.name):
            raise  # the package is there and broken: a bug to see, not an extra to install
        raise MissingExtraError(
            f"{module} is needed to {purpose}, but is not installed. Install it with: pip install 'trialogue[{extra}]'"
        ) from missing


def importer(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """``__getattr__`` of a package that imports what it exports when it is first used.

    Args:
        package: its name.
        modules: names, separated by blanks, by the module that has them.
    """
    places = {name: module for module, names in modules.items() for name in names.split()}

    def find(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(places[name]), name)

    return find
