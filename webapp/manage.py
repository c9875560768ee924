"""Django's own commands on a study: ``TRIALOGUE_STUDY=my_study python manage.py createsuperuser``."""

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "trialogue.study.settings")
    execute_from_command_line(sys.argv)
