"""Optional imports: a missing package raises an error with the command that installs it."""

import importlib
from types import ModuleType

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
