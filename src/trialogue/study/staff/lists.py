"""Lists for the platform as CSV, such that a spreadsheet takes no cell for a formula."""

from collections.abc import Iterable, Sequence

from django.http import HttpResponse

from trialogue.records.files.cells import csv_text


def csv_response(name: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> HttpResponse:
    """A download; ``name`` is the file's, without its ending."""
    text = csv_text(columns, rows, line_end="\r\n")
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    response.headers["Cache-Control"] = "no-store"
    return response
