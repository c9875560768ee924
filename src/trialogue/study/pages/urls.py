"""URLs of participant pages.

They contain the study's name only: no participant code, step or item.
"""

from django.urls import URLPattern, URLResolver, path

from trialogue.study.pages import steps, views

urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.home, name="home"),
    path("health/", views.health, name="views"),
    path("metrics/", views.metrics, name="metrics"),
    path("<slug:slug>/", views.arrive, name="arrive"),
    path("<slug:slug>/step/", steps.step, name="step"),
    path("<slug:slug>/chat/", views.chat, name="chat"),
    path("<slug:slug>/leave/", views.leave, name="leave"),
    path("<slug:slug>/receipt/", views.Receipt.as_view(), name="receipt"),
]
