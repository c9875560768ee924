"""URLs: staff pages, and participant pages, which contain the study's name only: no participant code, step or item."""

from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, URLResolver, include, path

from trialogue.study.pages import steps, views
from trialogue.study.staff.views import data, labels, launch, login, overview, sessions

staff: list[URLPattern | URLResolver] = [
    path("", overview.Studies.as_view(), name="staff"),
    path("login/", login.LogIn.as_view(), name="staff-login"),
    path("first/<str:token>/", login.First.as_view(), name="staff-first"),
    path("logout/", LogoutView.as_view(next_page="study:staff-login"), name="staff-logout"),
    path("<slug:slug>/", overview.Overview.as_view(), name="staff-study"),
    path("<slug:slug>/state/", overview.ChangeState.as_view(), name="staff-state"),
    path("<slug:slug>/people/", overview.People.as_view(), name="staff-people"),
    path("<slug:slug>/people/<slug:code>/", sessions.Session.as_view(), name="staff-session"),
    path("<slug:slug>/report/", data.Report.as_view(), name="staff-report"),
    path("<slug:slug>/report/page/", data.Preview.as_view(), name="staff-report-page"),
    path("<slug:slug>/data/", data.Data.as_view(), name="staff-data"),
    path("<slug:slug>/data/export/", data.Export.as_view(), name="staff-export"),
    path("<slug:slug>/data/erase/", data.Erase.as_view(), name="staff-erase"),
    path("<slug:slug>/lists/<slug:name>.csv", overview.PlatformList.as_view(), name="staff-list"),
    path("<slug:slug>/labels/", labels.Labels.as_view(), name="staff-labels"),
    path("<slug:slug>/explanations/", labels.Codes.as_view(), name="staff-codes"),
    path("<slug:slug>/launch/", launch.Launch.as_view(), name="staff-launch"),
    path("<slug:slug>/log/", overview.Log.as_view(), name="staff-log"),
]
# The staff's before those of studies, since no study has that name.
pages: list[URLPattern | URLResolver] = [
    path("staff/", include(staff)),
    path("", views.home, name="home"),
    path("health/", views.health, name="health"),
    path("metrics/", views.metrics, name="metrics"),
    path("<slug:slug>/", views.arrive, name="arrive"),
    path("<slug:slug>/step/", steps.step, name="step"),
    path("<slug:slug>/chat/", views.chat, name="chat"),
    path("<slug:slug>/leave/", views.leave, name="leave"),
    path("<slug:slug>/receipt/", views.Receipt.as_view(), name="receipt"),
]
urlpatterns = [path("", include((pages, "study"), namespace="study"))]

handler400 = "trialogue.study.web.middleware.bad_request"
handler403 = "trialogue.study.web.middleware.forbidden"
handler404 = "trialogue.study.web.middleware.not_found"
handler500 = "trialogue.study.web.middleware.server_error"
