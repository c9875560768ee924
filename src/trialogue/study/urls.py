"""Addresses. Those of participants hold the study's name and nothing else: no code, no step, no item."""

from django.urls import URLPattern, URLResolver, include, path

from trialogue.study.pages import arriving, chatting, leaving, steps
from trialogue.study.staff import codes, data, first, labels, login, people, report, workbench
from trialogue.study.staff.dashboard import overview
from trialogue.study.web import health

staff: list[URLPattern | URLResolver] = [
    path("", overview.studies, name="staff"),
    path("login/", login.log_in, name="staff-login"),
    path("first/<str:token>/", first.first, name="staff-first"),
    path("logout/", login.log_out, name="staff-logout"),
    path("<slug:slug>/", overview.overview, name="staff-study"),
    path("<slug:slug>/state/", overview.change_state, name="staff-state"),
    path("<slug:slug>/people/", people.people, name="staff-people"),
    path("<slug:slug>/people/<slug:code>/", workbench.session, name="staff-session"),
    path("<slug:slug>/report/", report.report, name="staff-report"),
    path("<slug:slug>/report/page/", report.page, name="staff-report-page"),
    path("<slug:slug>/data/", data.data, name="staff-data"),
    path("<slug:slug>/data/export/", data.export, name="staff-export"),
    path("<slug:slug>/data/erase/", data.erase, name="staff-erase"),
    path("<slug:slug>/lists/<slug:name>.csv", people.platform_list, name="staff-list"),
    path("<slug:slug>/labels/", labels.labels, name="staff-labels"),
    path("<slug:slug>/explanations/", codes.codes, name="staff-codes"),
    path("<slug:slug>/log/", people.log, name="staff-log"),
]
pages: list[URLPattern | URLResolver] = [
    path("", arriving.home, name="home"),
    path("health/", health.health, name="health"),
    path("metrics/", health.metrics, name="metrics"),
    path("staff/", include(staff)),
    path("<slug:slug>/", arriving.arrive, name="arrive"),
    path("<slug:slug>/step/", steps.step, name="step"),
    path("<slug:slug>/chat/", chatting.chat, name="chat"),
    path("<slug:slug>/leave/", leaving.leave, name="leave"),
    path("<slug:slug>/receipt/", leaving.by_receipt, name="receipt"),
]
urlpatterns = [path("", include((pages, "study"), namespace="study"))]

handler400 = "trialogue.study.web.error_pages.bad_request"
handler403 = "trialogue.study.web.error_pages.forbidden"
handler404 = "trialogue.study.web.error_pages.not_found"
handler500 = "trialogue.study.web.error_pages.broken"
