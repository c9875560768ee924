"""URLs of staff pages, under ``/staff/``."""

from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, URLResolver, path

from trialogue.study.staff.views import data, labels, launch, login, overview, report, sessions

urlpatterns: list[URLPattern | URLResolver] = [
    path("", overview.Studies.as_view(), name="staff"),
    path("login/", login.LogIn.as_view(), name="staff-login"),
    path("first/<str:token>/", login.First.as_view(), name="staff-first"),
    path("logout/", LogoutView.as_view(next_page="study:staff-login"), name="staff-logout"),
    path("<slug:slug>/", overview.Overview.as_view(), name="staff-study"),
    path("<slug:slug>/state/", overview.ChangeState.as_view(), name="staff-state"),
    path("<slug:slug>/people/", overview.People.as_view(), name="staff-people"),
    path("<slug:slug>/people/<slug:code>/", sessions.Session.as_view(), name="staff-session"),
    path("<slug:slug>/report/", report.Report.as_view(), name="staff-report"),
    path("<slug:slug>/report/page/", report.Preview.as_view(), name="staff-report-page"),
    path("<slug:slug>/data/", data.Data.as_view(), name="staff-data"),
    path("<slug:slug>/data/export/", data.Export.as_view(), name="staff-export"),
    path("<slug:slug>/data/erase/", data.Erase.as_view(), name="staff-erase"),
    path("<slug:slug>/lists/<slug:name>.csv", overview.PlatformList.as_view(), name="staff-list"),
    path("<slug:slug>/labels/", labels.Labels.as_view(), name="staff-labels"),
    path("<slug:slug>/explanations/", labels.Codes.as_view(), name="staff-codes"),
    path("<slug:slug>/launch/", launch.Launch.as_view(), name="staff-launch"),
    path("<slug:slug>/log/", overview.Log.as_view(), name="staff-log"),
]
