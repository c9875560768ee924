"""Root URLs: ``/staff/`` before those of studies, since no study has that name."""

from django.urls import URLPattern, URLResolver, include, path

pages: list[URLPattern | URLResolver] = [
    path("staff/", include("trialogue.study.staff.urls")),
    path("", include("trialogue.study.pages.urls")),
]
urlpatterns = [path("", include((pages, "study"), namespace="study"))]

handler400 = "trialogue.study.web.middleware.bad_request"
handler403 = "trialogue.study.web.middleware.forbidden"
handler404 = "trialogue.study.web.middleware.not_found"
handler500 = "trialogue.study.web.middleware.server_error"
