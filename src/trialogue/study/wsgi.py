"""WSGI application of the pages, for any server: ``TRIALOGUE_STUDY=my_study gunicorn trialogue.study.wsgi``."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "trialogue.study.settings")
application = get_wsgi_application()
