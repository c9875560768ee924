"""Django app configuration of the study."""

from django.apps import AppConfig


class StudyConfig(AppConfig):
    """Registers the models under the label ``study``."""

    name = "trialogue.study"
    label = "study"
    verbose_name = "Human study"
    default_auto_field = "django.db.models.BigAutoField"
