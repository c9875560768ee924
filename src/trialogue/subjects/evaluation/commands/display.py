"""Display of results in Python: short ``repr``, notebook HTML, tables and figures."""

from typing import TYPE_CHECKING, Any, Literal

from trialogue.errors import UsageError
from trialogue.records import Score

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from trialogue.findings import Findings
    from trialogue.render.exports import Form
    from trialogue.render.plots import FigureKind

LONGEST = 300  # characters of an answer in a repr


class ShowsFindings:
    """Mixin that renders ``findings`` as tables and figures."""

    findings: "Findings"

    def table(self, form: "Form" = "frame", *, of: Literal["systems", "pairs"] = "systems") -> Any:
        """Numbers of the report as a table.

        Args:
            form: ``"frame"``: a data frame of pandas, else polars, where one is installed, else records; ``"records"``: a
                list of dictionaries; ``"latex"``: booktabs; ``"markdown"``. Frames and records have a row for each system
                and measure (or pair of systems and measure), as ``summary.csv`` (``pairs.csv``); texts of systems are the
                league table, systems by measures.
            of: systems, or pairs of them.

        Raises:
            UsageError: no such form or table.
        """
        from trialogue.render.exports import export_rows
        from trialogue.render.media.papers import document_latex, document_markdown
        from trialogue.subjects.evaluation.pages.document import league_document
        from trialogue.subjects.evaluation.pages.summary import pairs_table, standings_table

        if of not in ("systems", "pairs"):
            raise UsageError(f"a table is of 'systems' or of 'pairs', got {of!r}.")
        if of == "systems" and form == "latex":
            return document_latex(league_document(self.findings))
        if of == "systems" and form == "markdown":
            return document_markdown(league_document(self.findings))
        table = standings_table(self.findings) if of == "systems" else pairs_table(self.findings)
        return export_rows(table.tidy(), form)

    def to_markdown(self) -> str:
        """The league table in Markdown."""
        return str(self.table("markdown"))

    def to_latex(self) -> str:
        """League table for a paper, with booktabs."""
        return str(self.table("latex"))

    def figure(self, kind: "FigureKind" = "forest", measure: str | None = None) -> "Figure":
        """Figure of the report as an editable matplotlib figure.

        Args:
            kind: forest, differences (of two systems), pairs, spread or votes.
            measure: which one, by full name or the beginning of it; None: the one on which the answer is based.

        Raises:
            UsageError: there is nothing to draw; UnknownNameError: no such figure or measure.
        """
        from trialogue.render.plots import figure_of

        return figure_of(self.findings, kind, measure).matplotlib()

    def _repr_html_(self) -> str:
        """The answer and the league table, in a notebook."""
        from trialogue.render.media.papers import document_html
        from trialogue.subjects.evaluation.pages.document import league_document

        return document_html(league_document(self.findings))

    def _summary(self) -> str:
        """Type, size, and the beginning of the answer."""
        from trialogue.findings.systems.answer import texts_of

        found = self.findings
        answer = shortened_to(" ".join(texts_of(found.answer)), LONGEST)
        title = shortened_to(found.title, 60)
        return (
            f"<{type(self).__name__} {title!r}: {len(found.systems)} systems, {len(found.leagues)} measures. {answer}>"
        )


class Scores(list[Score]):
    """List of scores that renders as a table."""

    def table(self, form: "Form" = "frame") -> Any:
        """Scores as a data frame (pandas, polars, else records), records, LaTeX or Markdown; one row per score."""
        from trialogue.render.exports import export_rows

        return export_rows(self._rows(), form)

    def to_markdown(self) -> str:
        """Scores in Markdown."""
        return str(self.table("markdown"))

    def __repr__(self) -> str:
        shown = ", ".join(f"{_score_label(score)} {_value(score)}" for score in self[:4])
        return f"<{len(self)} scores: {shorter(shown)}{', ...' if len(self) > 4 else ''}>"

    def _repr_html_(self) -> str:
        from trialogue.render.exports import rows_html

        return rows_html(f"{len(self)} scores", [], self._rows())

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {
                "measure": score.measure,
                "system": score.system,
                "versus": score.versus,
                "value": score.value,
                "low": score.interval.low if score.interval else None,
                "high": score.interval.high if score.interval else None,
                "n": score.n,
                "p": score.p,
                "p_adjusted": score.p_adjusted,
                "why": None if score.why is None else str(score.why),
            }
            for score in self
        ]


def shorter(text: str) -> str:
    """Truncate a text for a repr."""
    return shortened_to(text, LONGEST)


def shortened_to(text: str, longest: int) -> str:
    """Truncate a text, with an ellipsis."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _score_label(score: Score) -> str:
    pair = f"{score.system} - {score.versus}" if score.versus else score.system
    return f"{pair} {score.measure}"


def _value(score: Score) -> str:
    return "undefined" if score.value is None else f"{score.value:.4g}"
