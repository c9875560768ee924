"""For servers that want a file: ``TRIALOGUE_STUDY=my_study gunicorn wsgi:application``, in this folder."""

from trialogue.study.wsgi import application

__all__ = ["application"]
