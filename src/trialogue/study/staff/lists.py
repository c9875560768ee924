"""Lists for the platform as CSV, such that a spreadsheet takes no cell for a formula."""

import csv
import io
from collections.abc import Iterable, Sequence

from django.http import HttpResponse

from trialogue.study.cells import neutral


def csv_response(name: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> HttpResponse:
    """A download; ``name`` is the file's, without its ending."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(columns)
    writer.writerows([neutral(cell) for cell in row] for row in rows)
    response = HttpResponse(file.getvalue(), content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    response.headers["Cache-Control"] = "no-store"
    return response
