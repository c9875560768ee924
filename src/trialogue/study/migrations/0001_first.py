"""The first tables, as Django wrote them, with what all of them repeat written once."""

from typing import Any

from django.db import migrations, models


def _key() -> tuple[str, Any]:
    return ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))


def _of(model: str, related_name: str, *, one: bool = False, on_delete: Any = models.CASCADE, **options: Any) -> Any:
    kind: Any = models.OneToOneField if one else models.ForeignKey
    return kind(on_delete=on_delete, related_name=related_name, to=f"study.{model}", **options)


def _one_of(*names: str, **options: Any) -> Any:
    choices = [(name, name.replace("_", " ").title()) for name in names]
    return models.CharField(choices=choices, **{"max_length": 10, **options})


def _once(name: str, *fields: str, **options: Any) -> Any:
    return models.UniqueConstraint(fields=fields, name=name, **options)


STATES = ("arrived", "consented", "screened", "active", "completed", "failed", "withdrew", "returned", "timed_out")


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Study",
            fields=[
                _key(),
                ("slug", models.SlugField(max_length=64, unique=True)),
                ("configuration", models.JSONField()),
                ("sha256", models.CharField(max_length=64)),
                ("state", _one_of("draft", "running", "paused", "closed", default="draft")),
                ("seed", models.BigIntegerField()),
                ("first_people", models.PositiveIntegerField(null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "permissions": [
                    ("export_study", "May export answers and lists"),
                    ("manage_study", "May pause, adjudicate, erase"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Item",
            fields=[
                _key(),
                ("key", models.CharField(max_length=200)),
                ("dialogue", models.CharField(blank=True, max_length=300)),
                ("kind", _one_of("task", "training", "check", default="task")),
                ("content", models.JSONField()),
                ("expected", models.JSONField(default=dict)),
                ("needed", models.PositiveIntegerField(default=0)),
                ("taken", models.PositiveIntegerField(default=0)),
                ("rank", models.PositiveIntegerField(default=0)),
                ("study", _of("study", "items")),
            ],
            options={
                "indexes": [models.Index(fields=["study", "kind", "taken", "rank"], name="item_emptiest")],
                "constraints": [
                    _once("item_key", "study", "kind", "key"),
                    models.CheckConstraint(
                        condition=models.Q(("taken__lte", models.F("needed"))), name="item_never_more_than_k"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Participant",
            fields=[
                _key(),
                ("code", models.CharField(max_length=32, unique=True)),
                ("number", models.PositiveIntegerField()),
                ("state", _one_of(*STATES, db_index=True, default="arrived")),
                ("reason", models.CharField(blank=True, max_length=40)),
                ("reached", _one_of(*STATES, default="arrived")),
                ("language", models.CharField(default="en", max_length=20)),
                ("plan", models.JSONField(default=list)),
                ("step", models.PositiveIntegerField(default=0)),
                ("stratum", models.CharField(blank=True, max_length=40)),
                ("consent_version", models.CharField(blank=True, max_length=64)),
                ("consented_at", models.DateTimeField(null=True)),
                ("arrived_at", models.DateTimeField(auto_now_add=True)),
                ("seen_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("platform", models.CharField(default="none", max_length=20)),
                ("identity_hash", models.CharField(max_length=64, null=True)),
                ("receipt_hash", models.CharField(db_index=True, max_length=64)),
                ("flags", models.JSONField(default=list)),
                ("signed", models.BooleanField(default=False)),
                ("study", _of("study", "participants")),
            ],
            options={
                "indexes": [models.Index(fields=["study", "state"], name="participant_state")],
                "constraints": [
                    _once("participant_enters_once", "study", "identity_hash"),
                    _once("participant_number", "study", "number"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Adjudication",
            fields=[
                _key(),
                ("answers", models.JSONField()),
                ("by", models.CharField(max_length=150)),
                ("at", models.DateTimeField(auto_now=True)),
                ("item", _of("item", "adjudication", one=True)),
            ],
        ),
        migrations.CreateModel(
            name="Identity",
            fields=[
                _key(),
                ("ids", models.JSONField()),
                ("participant", _of("participant", "identity", one=True)),
            ],
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                _key(),
                ("step", models.CharField(max_length=80)),
                ("kind", models.CharField(max_length=20)),
                ("milliseconds", models.BigIntegerField()),
                ("detail", models.CharField(blank=True, max_length=100)),
                ("received_at", models.DateTimeField(auto_now_add=True)),
                ("participant", _of("participant", "events")),
            ],
        ),
        migrations.CreateModel(
            name="Decision",
            fields=[
                _key(),
                ("kind", _one_of("accept", "refuse", "bonus", "exclude", "readmit")),
                ("reason", models.CharField(blank=True, max_length=500)),
                ("amount", models.DecimalField(decimal_places=2, max_digits=9, null=True)),
                ("by", models.CharField(max_length=150)),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("participant", _of("participant", "decisions")),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="Chat",
            fields=[
                _key(),
                ("step", models.CharField(max_length=80)),
                ("number", models.PositiveIntegerField(default=1)),
                ("system", models.CharField(max_length=200)),
                ("started_at", models.DateTimeField(auto_now_add=True)),
                ("ended_at", models.DateTimeField(null=True)),
                ("ended_by", models.CharField(blank=True, max_length=20)),
                ("waiting_since", models.DateTimeField(null=True)),
                ("participant", _of("participant", "chats")),
            ],
            options={"constraints": [_once("chat_once", "participant", "step", "number")]},
        ),
        migrations.CreateModel(
            name="Slot",
            fields=[
                _key(),
                ("number", models.PositiveIntegerField()),
                ("order", models.JSONField()),
                ("stratum", models.CharField(blank=True, max_length=40)),
                ("item", _of("item", "slots")),
            ],
            options={"constraints": [_once("slot_number", "item", "number")]},
        ),
        migrations.CreateModel(
            name="Assignment",
            fields=[
                _key(),
                ("position", models.PositiveIntegerField()),
                (
                    "state",
                    _one_of("leased", "done", "released", "abandoned", "replaced", "rejected", default="leased"),
                ),
                ("lease_until", models.DateTimeField()),
                ("done_at", models.DateTimeField(null=True)),
                ("item", _of("item", "assignments", on_delete=models.PROTECT)),
                ("participant", _of("participant", "assignments")),
                ("slot", _of("slot", "assignments", on_delete=models.PROTECT)),
            ],
            options={
                "indexes": [models.Index(fields=["state", "lease_until"], name="assignment_lease")],
                "constraints": [
                    _once(
                        "assignment_one_lives_per_slot",
                        "slot",
                        condition=models.Q(("state__in", ["leased", "done"])),
                    ),
                    _once("assignment_item_once", "participant", "item"),
                    _once("assignment_position", "participant", "position"),
                ],
            },
        ),
        migrations.CreateModel(
            name="PlatformRequest",
            fields=[
                _key(),
                (
                    "kind",
                    _one_of("draft", "publish", "places", "pause", "start", "stop", "approve", "reject", "bonus"),
                ),
                ("key", models.CharField(blank=True, max_length=120)),
                ("amount_cents", models.PositiveBigIntegerField(default=0)),
                ("batch", models.CharField(blank=True, max_length=80)),
                ("remote_id", models.CharField(blank=True, max_length=80)),
                ("state", _one_of("sent", "unknown", "accepted", "confirmed", "refused", default="sent")),
                ("by", models.CharField(max_length=150)),
                ("sent_at", models.DateTimeField(auto_now_add=True)),
                ("settled_by", models.CharField(blank=True, max_length=150)),
                ("settled_at", models.DateTimeField(null=True)),
                (
                    "participant",
                    _of("participant", "platform_requests", on_delete=models.SET_NULL, null=True),
                ),
                ("study", _of("study", "platform_requests")),
            ],
            options={
                "ordering": ["pk"],
                "indexes": [models.Index(fields=["study", "kind", "state"], name="request_kind_state")],
                "constraints": [
                    _once(
                        "request_once_per_study",
                        "study",
                        "kind",
                        "key",
                        condition=models.Q(
                            ("participant", None),
                            ("state__in", ["sent", "unknown", "accepted", "confirmed"]),
                            models.Q(("key", ""), _negated=True),
                        ),
                    ),
                    _once(
                        "request_one_open_bonus_per_person",
                        "participant",
                        condition=models.Q(("kind", "bonus"), ("state__in", ["sent", "unknown"])),
                    ),
                    _once(
                        "request_one_open_decision_per_person",
                        "participant",
                        condition=models.Q(("kind__in", ["approve", "reject"]), ("state__in", ["sent", "unknown"])),
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Audit",
            fields=[
                _key(),
                ("who", models.CharField(max_length=150)),
                ("what", models.CharField(max_length=40)),
                ("detail", models.JSONField(default=dict)),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("study", _of("study", "audits")),
            ],
        ),
        migrations.CreateModel(
            name="Submission",
            fields=[
                _key(),
                ("step", models.CharField(max_length=80)),
                ("answers", models.JSONField()),
                ("received_at", models.DateTimeField(auto_now_add=True)),
                ("seconds", models.FloatField(null=True)),
                ("client_seconds", models.FloatField(null=True)),
                ("assignment", _of("assignment", "submission", one=True, null=True)),
                ("participant", _of("participant", "submissions")),
            ],
            options={"constraints": [_once("submission_once", "participant", "step")]},
        ),
        migrations.CreateModel(
            name="Coding",
            fields=[
                _key(),
                ("codes", models.JSONField()),
                ("by", models.CharField(max_length=150)),
                ("at", models.DateTimeField(auto_now=True)),
                ("submission", _of("submission", "codings")),
            ],
            options={"constraints": [_once("coding_once", "submission", "by")]},
        ),
        migrations.CreateModel(
            name="ChatTurn",
            fields=[
                _key(),
                ("number", models.PositiveIntegerField()),
                ("speaker", models.CharField(choices=[("user", "user"), ("system", "system")], max_length=6)),
                ("text", models.TextField()),
                ("answers", models.JSONField(default=dict)),
                ("said_at", models.DateTimeField(auto_now_add=True)),
                ("chat", _of("chat", "turns")),
            ],
            options={"ordering": ["chat", "number"], "constraints": [_once("turn_number", "chat", "number")]},
        ),
        migrations.CreateModel(
            name="Code",
            fields=[
                _key(),
                ("outcome", models.CharField(max_length=20)),
                ("code", models.CharField(max_length=80)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("participant", _of("participant", "codes")),
            ],
            options={"constraints": [_once("code_once", "participant", "outcome")]},
        ),
        migrations.CreateModel(
            name="Check",
            fields=[
                _key(),
                ("step", models.CharField(max_length=80)),
                ("kind", _one_of("attention", "comprehension", "training", max_length=20)),
                ("passed", models.BooleanField()),
                ("evidence", models.JSONField(default=dict)),
                ("participant", _of("participant", "checks")),
            ],
            options={"constraints": [_once("check_once", "participant", "step", "kind")]},
        ),
    ]
