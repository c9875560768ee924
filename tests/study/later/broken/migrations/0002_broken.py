"""Deletes a column, and then something that is not there."""

from typing import ClassVar

from django.db import migrations


class Migration(migrations.Migration):
    """What must leave nothing behind."""

    dependencies: ClassVar = [("study", "0001_first")]
    operations: ClassVar = [
        migrations.RunSQL("DELETE FROM study_submission"),
        migrations.RunSQL("DROP TABLE study_nothing"),
    ]
