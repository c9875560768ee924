"""URLs of participant pages.

They contain the study's name only: no participant code, step or item.
"""

from django.urls import URLPattern, URLResolver, path

from trialogue.study.pages.views import arriving, chatting, health, leaving, steps

urlpatterns: list[URLPattern | URLResolver] = [
    path("", arriving.home, name="home"),
    path("health/", health.health, name="health"),
    path("metrics/", health.metrics, name="metrics"),
    path("<slug:slug>/", arriving.arrive, name="arrive"),
    path("<slug:slug>/step/", steps.step, name="step"),
    path("<slug:slug>/chat/", chatting.chat, name="chat"),
    path("<slug:slug>/leave/", leaving.leave, name="leave"),
    path("<slug:slug>/receipt/", leaving.Receipt.as_view(), name="receipt"),
]
