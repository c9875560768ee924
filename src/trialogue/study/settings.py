"""Django settings, from environment variables; the defaults are safe.

=============================  =============================================================================================
``TRIALOGUE_STUDY``            a study folder: database and secret key lie in it
``DATABASE_URL``               PostgreSQL (or another SQLite file) instead of ``study.sqlite3`` in the folder
``TRIALOGUE_HOSTS``            host names that pages are served under, separated by commas
``TRIALOGUE_SECURE``           ``1``: served over HTTPS, so cookies and redirects are made for that
``TRIALOGUE_TRUSTED_PROXIES``  how many proxies requests come through; the client's address is what the outermost saw
``TRIALOGUE_LOG``              ``json``: a line of JSON for each request and error, without anything about a person
``TRIALOGUE_METRICS_TOKEN``    lets a machine that sends it as bearer token read ``/metrics/``
``TRIALOGUE_PREVIEW``          ``1``: every page says that nothing is stored; ``study serve --preview`` sees to that
=============================  =============================================================================================

Without a folder there is an in-memory database and a random secret: enough for type checks, tests and previews.
"""

import os
import secrets
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from trialogue.study.databases import database

_folder = os.environ.get("TRIALOGUE_STUDY", "")
FOLDER = Path(_folder) if _folder else None
SECURE = os.environ.get("TRIALOGUE_SECURE") == "1"
_proxies = os.environ.get("TRIALOGUE_TRUSTED_PROXIES") or "0"
if not (_proxies.isascii() and _proxies.isdigit()):
    raise ImproperlyConfigured(f"TRIALOGUE_TRUSTED_PROXIES must be a number of proxies, such as 1, got {_proxies!r}.")
TRUSTED_PROXIES = int(_proxies)
JSON_LOG = os.environ.get("TRIALOGUE_LOG") == "json"
METRICS_TOKEN = os.environ.get("TRIALOGUE_METRICS_TOKEN", "").strip()
PREVIEW = os.environ.get("TRIALOGUE_PREVIEW") == "1"

DEBUG = False
_key_file = FOLDER / "secret.key" if FOLDER else None
SECRET_KEY = (
    _key_file.read_text(encoding="ascii").strip()
    if _key_file and _key_file.is_file()
    else secrets.token_urlsafe(48)  # a process of its own: preview, tests, the first start before the key is made
)
ALLOWED_HOSTS = [host for host in os.environ.get("TRIALOGUE_HOSTS", "").split(",") if host] or [
    "localhost",
    "127.0.0.1",
    "[::1]",
    "testserver",
]
PUBLIC_HOSTS = [host for host in ALLOWED_HOSTS if host not in ("localhost", "127.0.0.1", "[::1]")]
"""Names for which a platform may issue tokens; anybody's machine is "localhost"."""

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "trialogue.study.apps.StudyConfig",
]
MIDDLEWARE = [
    *(["trialogue.study.web.access_log.AccessLogMiddleware"] if JSON_LOG else []),
    "trialogue.study.web.throttle.ProxiesMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "trialogue.study.web.middleware.HeadersMiddleware",
    "trialogue.study.web.middleware.SavedSessionMiddleware",
    "trialogue.study.web.middleware.LanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    "trialogue.study.web.middleware.TroubleMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
]
ROOT_URLCONF = "trialogue.study.urls"
WSGI_APPLICATION = None
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "trialogue.study.web.middleware.preview",
            ]
        },
    }
]
DATABASES = {"default": database(os.environ.get("DATABASE_URL", ""), FOLDER)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"

STATIC_URL = "/static/"
STATIC_ROOT = None
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False

SESSION_ENGINE = "trialogue.study.web.middleware"
SESSION_COOKIE_NAME = "trialogue"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = SECURE
SESSION_COOKIE_AGE = 30 * 24 * 3600  # people come back after days
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = SECURE
CSRF_FAILURE_VIEW = "trialogue.study.web.middleware.csrf_failure"
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in ALLOWED_HOSTS] if SECURE else []
SECURE_SSL_REDIRECT = SECURE
SECURE_REDIRECT_EXEMPT = [r"^health/$", r"^metrics/$"]  # asked from within, without the proxy
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if SECURE else None
SECURE_HSTS_SECONDS = 30 * 24 * 3600 if SECURE else 0
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "no-referrer"
LOGIN_URL = "study:staff-login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000_000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_000
FILE_UPLOAD_HANDLERS = ["trialogue.study.web.middleware.NoUploads"]

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "trialogue.study.web.access_log.JsonFormatter"}},
    "handlers": {"console": {"class": "logging.StreamHandler", **({"formatter": "json"} if JSON_LOG else {})}},
    "loggers": {
        "django": {"handlers": ["console"], "level": "WARNING", "propagate": False},
        "trialogue.study": {"handlers": ["console"], "level": "INFO", "propagate": not JSON_LOG},
        "trialogue.access": {"handlers": ["console"], "level": "INFO", "propagate": False},
    },
}
