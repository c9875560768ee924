"""Deletes a column, and then something that is not there."""

from typing import ClassVar

from django.db import migrations

from tests.study.later import LATEST


class Migration(migrations.Migration):
    """What must leave nothing behind."""

    dependencies: ClassVar = [("study", LATEST)]
    operations: ClassVar = [
        migrations.RunSQL("DELETE FROM study_submission"),
        migrations.RunSQL("DROP TABLE study_nothing"),
    ]
