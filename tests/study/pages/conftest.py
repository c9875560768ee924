"""Django, set up once, with a database in memory."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "trialogue.study.settings")

import django

django.setup()
