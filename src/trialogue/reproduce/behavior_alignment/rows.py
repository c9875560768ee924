"""Rows that compare one number of the paper with ours, and the page of all of them."""

from typing import ClassVar, Literal

from trialogue.records import Estimate, Record

Status = Literal["same", "differs", "sample", "ours", "not here", "not attempted", "impossible"]
"""The paper's number again; another one; one from a part of its data; one that the paper does not print; data not on this
machine; something that could be computed at a cost; data that were never released."""

STATUS: dict[str, str] = {
    "same": "reproduced",
    "differs": "differs",
    "sample": "from part of the data",
    "ours": "ours alone",
    "not here": "data not available here",
    "not attempted": "not attempted",
    "impossible": "cannot be reproduced",
}


class Row(Record):
    """Comparison of one number."""

    kind: ClassVar[str] = "reproduced_number"

    part: str
    """Table or figure of the paper."""
    what: str
    """The number in words: whose it is, and which measure."""
    on: str
    """The data that our number is based on."""
    paper: float | None = None
    """As printed; None: not in the paper."""
    ours: Estimate | None = None
    """Our estimate; None: not computed."""
    status: Status
    """Whether it is reproduced."""
    why: str | None = None
    """Why not, or how to read it."""


def three_decimals(value: float | None) -> str:
    """Format a number with three decimals; — for None."""
    return "—" if value is None else f"{value:.3f}"


def render_estimate(estimate: Estimate | None) -> str:
    """Format an estimate with its interval."""
    if estimate is None:
        return "—"
    return estimate.render("{:z.{}f}".format, 3, undefined=f"undefined ({estimate.why})")


def compare_row(part: str, what: str, on: str, paper: float, ours: Estimate, *, why: str | None = None) -> Row:
    """Compare one number; ``same`` if ours rounds to the printed three decimals."""
    same = ours.value is not None and round(ours.value, 3) == round(paper, 3)
    return Row(part=part, what=what, on=on, paper=paper, ours=ours, status="same" if same else "differs", why=why)
