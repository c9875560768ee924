"""What a study collected: export, erasure of a participant's data, and the report so far with the stopping rule.

Looks at the interim report are logged, and the final report states their number.
"""

import io
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from pathlib import Path
from typing import Any, ClassVar

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, ngettext

from trialogue.study.analysing import EXPORTED, FAILED, WANTED
from trialogue.study.export import export_study
from trialogue.study.models import Study
from trialogue.study.services import leaving, previews
from trialogue.study.services.rows import file_of
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


POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"  # a page of ours without its scripts


class Report(StaffPage):
    """Whether there is a preview, and the stopping rule; with a click, a new one."""

    permission: ClassVar[str] = EXPORT
    template_name = "study/staff/report.html"

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """A new preview, unless one is being made."""
        if previews.state(self.study) == "making":
            return self.get(request, *args, **kwargs)
        _start(request, self.study)
        return redirect(request.path)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Progress of the study, and whether there is a preview."""
        study, state = self.study, previews.state(self.study)
        now, own = previews.progress(study), previews.room_of(study)
        failed = (own / FAILED).read_text("utf-8") if own and state == "failed" else ""
        numbers = {"items": now.items, "k": file_of(study).raters_per_item, "needed": now.needed, "done": now.done}
        context = {
            "heading": gettext("The report so far"),
            "rule": gettext(
                "The study ends when each of its %(items)s items has %(k)s answers: %(needed)s in total, "
                "%(done)s received so far."
            )
            % numbers,
            "ended": now.is_complete,
            "looks": len(previews.early_looks(study)),
            "state": state,
            "failed": failed,
            "possible": own is not None,
        }
        return super().get_context_data(**context, **kwargs)


class Preview(StaffAction):
    """Show the preview. Each view is logged."""

    permission: ClassVar[str] = EXPORT

    def get(self, request: HttpRequest, slug: str) -> HttpResponse:
        """The page.

        Raises:
            Http404: there is none.
        """
        path = previews.page(self.study)
        if path is None:
            raise Http404
        if request.method != "HEAD":
            previews.log_look(self.study, login_of(request))
        response = HttpResponse(path.read_bytes(), content_type="text/html; charset=utf-8")
        response.headers["Content-Security-Policy"] = POLICY
        return response


def _start(request: HttpRequest, study: Study) -> None:
    """Export the study, and analyse it in a separate process."""
    own = previews.room_of(study)
    if own is None:
        raise Http404
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir(parents=True, mode=0o700)
    own.parent.chmod(0o700)
    (own / WANTED).touch()
    export_study(study, own / EXPORTED, who=login_of(request))
    started = subprocess.Popen(
        [sys.executable, "-m", "trialogue.study.analysing", str(own)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    threading.Thread(target=started.wait, daemon=True).start()  # or it would stay a zombie until the server ends
