"""A column and an index that today's release does not know."""

from typing import ClassVar

from django.db import migrations, models

from tests.study.later import LATEST


class Migration(migrations.Migration):
    """What a later release may do to tables that hold answers."""

    dependencies: ClassVar = [("study", LATEST)]
    operations: ClassVar = [
        migrations.AddField("participant", "mood", models.CharField(max_length=20, null=True)),
        migrations.AddIndex("submission", models.Index(fields=["step"], name="submission_step")),
    ]
