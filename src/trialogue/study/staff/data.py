"""Everything that was collected, to take away; and everything about one participant, to delete."""

import io
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from trialogue.study.export import export_study
from trialogue.study.models import Study
from trialogue.study.services import leaving
from trialogue.study.staff.access import EXPORT, MANAGE, may, staff, who
from trialogue.study.staff.frame import shown

FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of zip files: the same answers give the same bytes
INVALID = 422


@require_GET
@staff()
def data(request: HttpRequest, study: Study) -> HttpResponse:
    """What there is to take away, and to delete, for those who may."""
    names = {"approve": gettext("Approval list (CSV)"), "bonus": gettext("Bonus list (CSV)")}
    lists = [{"name": names[each], "url": reverse("study:staff-list", args=[study.slug, each])} for each in names]
    context = {
        "heading": gettext("Data"),
        "lists": lists,
        "may_export": may(request, EXPORT),
        "may_manage": may(request, MANAGE),
        "export_url": reverse("study:staff-export", args=[study.slug]),
        "erase_url": reverse("study:staff-erase", args=[study.slug]),
    }
    return shown(request, "data.html", study, **context)


@require_POST
@staff(EXPORT)
def export(request: HttpRequest, study: Study) -> HttpResponse:
    """The export as a zip file; it is logged."""
    packed = io.BytesIO()
    with tempfile.TemporaryDirectory(prefix="trialogue-export-") as room:
        written = export_study(study, Path(room), who=who(request))
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in written:
                info = zipfile.ZipInfo(f"{study.slug}-export/{path.name}", FIRST_DAY)
                info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
                archive.writestr(info, path.read_bytes())
    response = HttpResponse(packed.getvalue(), content_type="application/zip")
    response.headers["Content-Disposition"] = f'attachment; filename="{study.slug}-export.zip"'
    response.headers["Cache-Control"] = "no-store"
    return response


@require_http_methods(["GET", "POST"])
@staff(MANAGE)
def erase(request: HttpRequest, study: Study) -> HttpResponse:
    """Delete everything about one participant, by code or platform id, after a second look."""
    name = str(request.POST.get("name", request.GET.get("code", ""))).strip()
    context: dict[str, Any] = {"heading": gettext("Erase a participant"), "name": name}
    problem = ""
    if request.method == "POST" and not name:
        problem = gettext("Please write a code or a platform id.")
    elif request.method == "POST" and request.POST.get("sure") != "yes":
        problem = gettext("Please say that you are sure: what is erased cannot be brought back.")
    elif request.method == "POST":
        found = leaving.erase(study, name, who=who(request))
        if found:
            context["name"] = ""
            erased = ngettext("%(count)s participant was erased.", "%(count)s participants were erased.", found)
            context["notice"] = erased % {"count": found}
        else:
            problem = gettext("Nobody here has this code or platform id.")
    response = shown(request, "erase.html", study, **context, problem=problem)
    response.status_code = INVALID if problem else 200
    return response
