"""Rows that compare one number of the paper with ours, and the page of all of them."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from trialogue.records import Estimate, Record
from trialogue.records.files.jsonl import to_line
from trialogue.records.files.opening import write_text
from trialogue.subjects.alignment.differentiation_records import Differentiation

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
    """Description."""
    on: str
    """The data that our number is based on."""
    paper: float | None = None
    """As printed; None: not in the paper."""
    ours: Estimate | None = None
    """None: not computed."""
    status: Status
    """Whether it is reproduced."""
    why: str | None = None
    """Why not, or how to read it."""


@dataclass(frozen=True)
class Reproduction:
    """All reproduced numbers, and those that could not be reproduced."""

    rows: tuple[Row, ...]
    figures: dict[str, tuple[Differentiation, ...]]
    """Figure 3 on different pairs, by description."""

    def write(self, folder: Path) -> Path:
        """Write ``reproduction.md``, ``reproduction.jsonl`` and a figure for each set of pairs; returns the page."""
        from trialogue.reproduce.behavior_alignment.paper_tables import as_markdown, paper_tables
        from trialogue.subjects.alignment.pages.mixtures_figure import mixtures

        lines = [to_line(row) for row in self.rows]
        lines += [to_line(one) for found in self.figures.values() for one in found]
        write_text(folder / "reproduction.jsonl", "".join(f"{line}\n" for line in lines))
        pictures = []
        for number, (title, found) in enumerate(self.figures.items(), start=1):
            figure = mixtures(found, name=f"differentiation-{number}")
            write_text(folder / f"{figure.name}.svg", figure.svg)
            pictures.append(f"### {title}\n\n![{figure.alt}]({figure.name}.svg)\n\n{figure.caption}\n")
        page = folder / "reproduction.md"
        write_text(
            page,
            "\n".join(
                [HEAD, *map(as_markdown, paper_tables(self.rows)), *(["## Figure 3\n"] if pictures else []), *pictures]
            ),
        )
        return page


HEAD = """# Behavior Alignment (SIGIR 2024): the paper's numbers next to ours

Yang, Chen & Fang (2024), "Behavior Alignment: A New Perspective of Evaluating LLM-based Conversational Recommendation
Systems". Numbers in brackets are 95% intervals that resample whole dialogues, people or sentences, never individual
pairs, unless noted.
"""


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
