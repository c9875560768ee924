"""Explorer addresses: filters and the open row are stored in the fragment after ``#``.

``#system=guided&measure=turns%7Cv1&min=2``: fields in any order, each with one name or several with commas between them. A
dialogue is a path of three names: part, system, id. The scripts write and read the same (``app/address.js``).
"""

from collections.abc import Sequence
from urllib.parse import quote

PAGE = "explorer.html"


def link(
    *,
    systems: Sequence[str] = (),
    part: str = "",
    measure: str = "",
    low: float | None = None,
    high: float | None = None,
    ending: str = "",
    threat: Sequence[str] = (),
    opened: Sequence[str] = (),
) -> str:
    """The address of the explorer with filters set.

    Args:
        systems: only their rows.
        part: only its rows.
        measure: the column to sort by and to filter, by its name in the report.
        low: only rows with at least this value of it.
        high: only rows with at most this value.
        ending: only rows that ended so: an ``Ending``, ``failure``, or ``fault-`` and a ``Fault``.
        threat: only rows that a threat is about: its key.
        opened: the dialogue to open: (part, system, id).

    >>> link(systems=["a b", "c,d"], measure="turns|v1", low=2)
    'explorer.html#system=a%20b,c%2Cd&measure=turns%7Cv1&min=2'
    """
    fields = {
        "system": ",".join(map(_quote_name, systems)),
        "part": _quote_name(part),
        "measure": _quote_name(measure),
        "min": "" if low is None else f"{low:.6g}",
        "max": "" if high is None else f"{high:.6g}",
        "ending": _quote_name(ending),
        "threat": "/".join(map(_quote_name, threat)),
        "open": "/".join(map(_quote_name, opened)),
    }
    given = "&".join(f"{name}={value}" for name, value in fields.items() if value)
    return f"{PAGE}#{given}" if given else PAGE


def _quote_name(name: str) -> str:
    return quote(name.encode("utf-8", "replace"), safe="")
