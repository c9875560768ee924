from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("study", "0002_decision"),
    ]

    operations = [
        migrations.AlterField(
            model_name="assignment",
            name="state",
            field=models.CharField(
                choices=[
                    ("leased", "Leased"),
                    ("done", "Done"),
                    ("released", "Released"),
                    ("replaced", "Replaced"),
                    ("rejected", "Rejected"),
                ],
                default="leased",
                max_length=10,
            ),
        ),
    ]
