"""Result of ``agree``: findings that render as tables and figures."""

from typing import TYPE_CHECKING, Any

from trialogue.errors import UsageError
from trialogue.subjects.agreement.records import AgreementFindings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from trialogue.render.exports import Form


class Agreement(AgreementFindings):
    """Agreement of measures with people, with tables and figures."""

    def table(self, form: "Form" = "frame") -> Any:
        """All coefficients, one per row, as in ``agreement.csv``.

        A data frame (pandas, polars, else records), records, LaTeX or Markdown.

        Raises:
            UsageError: no such form.
        """
        from trialogue.render.exports import export_rows
        from trialogue.subjects.agreement.pages.tables import numbers_table

        return export_rows(numbers_table(self).tidy(), form)

    def to_markdown(self) -> str:
        """All coefficients, in Markdown."""
        return str(self.table("markdown"))

    def figure(self, place: int = 0) -> "Figure":
        """A figure of the page, as a matplotlib figure: one per question, then one for preferences.

        Raises:
            UsageError: there is none at this place.
        """
        from trialogue.subjects.agreement.pages.figure import agreement_figures

        drawn = agreement_figures(self)
        if not 0 <= place < len(drawn):
            raise UsageError(f"there is no figure {place}; figures are numbered 0 to {len(drawn) - 1}.")
        return drawn[place].matplotlib()

    def _repr_html_(self) -> str:
        """The answer and the coefficients, in a notebook."""
        from trialogue.render.exports import rows_html
        from trialogue.subjects.agreement.pages.tables import numbers_table

        return rows_html(self.title, self.answer, numbers_table(self).tidy())
