"""Export of all collected data, and erasure of a participant's data."""

import io
import tempfile
import zipfile
from pathlib import Path
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext, ngettext

from trialogue.study.export import export_study
from trialogue.study.services import leaving
from trialogue.study.staff.base import EXPORT, MANAGE, StaffAction, StaffForm, StaffPage, login_of, may
from trialogue.study.staff.forms import EraseForm

FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of zip files: the same answers give the same bytes


class Data(StaffPage):
    """Export and deletion, for staff with permission."""

    template_name = "study/staff/data.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Links to both."""
        study, request = self.study, self.request
        names = {"approve": gettext("Approval list (CSV)"), "bonus": gettext("Bonus list (CSV)")}
        lists = [{"name": names[each], "url": reverse("study:staff-list", args=[study.slug, each])} for each in names]
        return super().get_context_data(
            heading=gettext("Data"),
            lists=lists,
            may_export=may(request, EXPORT),
            may_manage=may(request, MANAGE),
            export_url=reverse("study:staff-export", args=[study.slug]),
            erase_url=reverse("study:staff-erase", args=[study.slug]),
            **kwargs,
        )


class Export(StaffAction):
    """The export as a zip file; it is logged."""

    permission: ClassVar[str] = EXPORT

    def post(self, request: HttpRequest, slug: str) -> HttpResponse:
        """The file."""
        packed = io.BytesIO()
        with tempfile.TemporaryDirectory(prefix="trialogue-export-") as room:
            written = export_study(self.study, Path(room), who=login_of(request))
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                for path in written:
                    info = zipfile.ZipInfo(f"{slug}-export/{path.name}", FIRST_DAY)
                    info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
                    archive.writestr(info, path.read_bytes())
        response = HttpResponse(packed.getvalue(), content_type="application/zip")
        response.headers["Content-Disposition"] = f'attachment; filename="{slug}-export.zip"'
        response.headers["Cache-Control"] = "no-store"
        return response


class Erase(StaffForm):
    """Delete everything about one participant, by code or platform id, after a second look."""

    permission: ClassVar[str] = MANAGE
    form_class = EraseForm
    template_name = "study/staff/erase.html"

    def form_valid(self, form: EraseForm) -> HttpResponse:
        """Erase data, and show the page again with the number of participants."""
        count = leaving.erase(self.study, form.cleaned_data["name"], who=login_of(self.request))
        if not count:
            form.add_error("name", gettext("No participant has this code or platform ID."))
            return self.form_invalid(form)
        erased = ngettext(
            "The data of %(count)s participant were erased.", "The data of %(count)s participants were erased.", count
        )
        context = self.get_context_data(form=form, notice=erased % {"count": count}, name="")
        return self.render_to_response(context)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Participant named by the address or the form."""
        given = self.request.POST.get("name", self.request.GET.get("code", ""))
        return super().get_context_data(
            **{"heading": gettext("Erase a participant's data"), "name": given.strip(), **kwargs}
        )
