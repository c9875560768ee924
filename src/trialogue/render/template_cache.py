"""Compiled page templates kept in the user's cache folder: to compile them takes a quarter of a second in each command.

Jinja compares the checksum of a template's text and the versions of Python and of itself before it uses what was kept.
"""

import contextlib
from typing import TYPE_CHECKING

from jinja2 import BytecodeCache

from trialogue.cache import cache_folder
from trialogue.errors import UsageError
from trialogue.records.files.opening import open_replacing

if TYPE_CHECKING:
    from pathlib import Path

    from jinja2.bccache import Bucket


class TemplateCache(BytecodeCache):
    """Cache that is left out where its folder cannot be read or written."""

    def load_bytecode(self, bucket: "Bucket") -> None:
        """Read a template, if it was kept."""
        with contextlib.suppress(OSError, EOFError, ValueError, TypeError), self._path(bucket).open("rb") as stream:
            bucket.load_bytecode(stream)

    def dump_bytecode(self, bucket: "Bucket") -> None:
        """Keep a template."""
        with contextlib.suppress(OSError, UsageError), open_replacing(self._path(bucket)) as stream:
            bucket.write_bytecode(stream)

    def _path(self, bucket: "Bucket") -> "Path":
        return cache_folder() / "templates" / bucket.key
