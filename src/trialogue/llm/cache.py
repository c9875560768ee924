"""On-disk cache of completions, so that no request is made, or paid for, twice.

The key contains everything that could change the answer: the endpoint, the whole request body (model, messages, every
sampling parameter, seed) and the trial. Two trials never share an answer: repeating a dialogue samples again, resuming one
does not.

One file per answer, named by the sha256 of its key and written atomically, so that processes may share a folder.
"""

import contextlib
import hashlib
import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trialogue.errors import UsageError
from trialogue.records.files.opening import write_text

VERSION = 1  # of the files; raised when their meaning changes, which forgets the old ones


def key_of(base_url: str, body: Mapping[str, Any], trial: str) -> str:
    """Cache key of a request: 64 hexadecimal digits."""
    # The trial is part of the key, so that ten answers to one prompt are ten draws and not one draw ten times.
    everything = {"v": VERSION, "base_url": base_url, "body": body, "trial": trial}
    text = json.dumps(everything, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Cache:
    """Folder of cached answers."""

    def __init__(self, folder: Path) -> None:
        """Store the path; nothing is read or created yet."""
        self._folder = folder

    def get(self, key: str) -> dict[str, Any] | None:
        """The answer for a key; None if there is none, or its file is damaged."""
        try:
            kept = json.loads(self._path(key).read_bytes())
        except (OSError, ValueError):
            return None
        answer = kept.get("answer") if isinstance(kept, dict) else None
        return answer if isinstance(answer, dict) else None

    def put(self, key: str, answer: Mapping[str, Any], *, model: str) -> Mapping[str, Any]:
        """Store an answer; returns the stored one, which is the first if there are several.

        Two threads or processes may have asked the same at the same time, and a model may answer twice in two ways. Both
        go on with what was kept first: what is replayed from the cache is then what happened.

        Raises:
            UsageError: the folder cannot be written.
        """
        text = json.dumps({"model": model, "answer": answer}, ensure_ascii=False, separators=(",", ":"))
        path = self._path(key)
        own = path.with_name(f"{path.stem}.{os.getpid()}.{threading.get_ident()}.own")
        try:
            write_text(own, text)
            try:
                # A link fails where the file is there already, in one step: so it is known who was first.
                os.link(own, path)
            except FileExistsError:
                if (kept := self.get(key)) is not None:
                    return kept
                own.replace(path)  # the file there is damaged
            except OSError:  # a disk without links: of two at the same time the later one stays
                own.replace(path)
            return answer
        except OSError as error:
            raise UsageError(f"The cache {self._folder} cannot be written ({error.strerror or error}).") from error
        finally:
            with contextlib.suppress(OSError):  # the folder may not be one
                own.unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key[2:]}.json"
