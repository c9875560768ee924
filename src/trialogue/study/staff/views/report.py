"""Interim report with the study's stopping rule. Looks are logged, and the final report states their number."""

import shutil
import subprocess
import sys
import threading
from typing import Any, ClassVar

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from trialogue.study.analysing import EXPORT, FAILED, WANTED
from trialogue.study.export import export_study
from trialogue.study.models import Study
from trialogue.study.services import previews
from trialogue.study.services.rows import file_of
from trialogue.study.staff.base import EXPORT as MAY_EXPORT
from trialogue.study.staff.base import StaffAction, StaffPage, login_of

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"  # a page of ours without its scripts


class Report(StaffPage):
    """Whether there is a preview, and the stopping rule; with a click, a new one."""

    permission: ClassVar[str] = MAY_EXPORT
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

    permission: ClassVar[str] = MAY_EXPORT

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
    export_study(study, own / EXPORT, who=login_of(request))
    started = subprocess.Popen(
        [sys.executable, "-m", "trialogue.study.analysing", str(own)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    threading.Thread(target=started.wait, daemon=True).start()  # or it would stay a zombie until the server ends
