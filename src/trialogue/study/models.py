"""Database models, with constraints that hold whatever the pages do.

Only ``services`` writes; pages and exports read. Times are UTC.
"""

from datetime import UTC, datetime
from typing import ClassVar

from django.db import models
from django.db.models import Q


class Study(models.Model):
    """One study: the study file as it was when it was loaded, and whether it runs."""

    class State(models.TextChoices):
        """Whether people may enter."""

        DRAFT = "draft"
        RUNNING = "running"
        PAUSED = "paused"
        CLOSED = "closed"

    slug = models.SlugField(max_length=64, unique=True)
    configuration = models.JSONField()
    """The study file, validated: ``StudyFile.model_validate(study.configuration)``; see ``services.rows.file_of``."""
    sha256 = models.CharField(max_length=64)
    """Hash of the study file and its items at launch."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    seed = models.BigIntegerField()
    first_people = models.PositiveIntegerField(null=True)
    """Soft launch: number of participants who may hold places until staff go on; None: no soft launch, or it is over."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        permissions: ClassVar = [
            ("export_study", "May export answers and lists"),
            ("manage_study", "May pause, adjudicate, erase"),
        ]

    def __str__(self) -> str:
        return self.slug

    @property
    def remote_id(self) -> str:
        """The study's id at the platform, as its draft was answered; "" if it was not made through the API."""
        draft = self.platform_requests.filter(kind="draft", state="confirmed").last()
        return draft.remote_id if draft is not None else ""


class Item(models.Model):
    """A displayed item: a task, or an item created for training or checks."""

    class Kind(models.TextChoices):
        """Purpose of an item."""

        TASK = "task"
        TRAINING = "training"
        CHECK = "check"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="items")
    key = models.CharField(max_length=200)
    dialogue = models.CharField(max_length=300, blank=True)
    """Source dialogue, of which a participant sees at most one item if the study says so; "" without one."""
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.TASK)
    content = models.JSONField()
    """An item record of ``design.items``, as JSON with its ``kind``."""
    expected = models.JSONField(default=dict)
    """For training items and checks: the right answer by field name."""
    needed = models.PositiveIntegerField(default=0)
    taken = models.PositiveIntegerField(default=0)
    """Slots that are held or done; kept in step by ``services.assigning`` so that the emptiest item is found quickly."""
    rank = models.PositiveIntegerField(default=0)
    """A place in a shuffled order, from the seed: breaks ties."""

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "kind", "key"], name="item_key"),
            models.CheckConstraint(condition=Q(taken__lte=models.F("needed")), name="item_never_more_than_k"),
        ]
        indexes: ClassVar = [models.Index(fields=["study", "kind", "taken", "rank"], name="item_emptiest")]

    def __str__(self) -> str:
        return self.key


class Slot(models.Model):
    """One of the k ratings that an item gets, with the order in which the systems are shown."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="slots")
    number = models.PositiveIntegerField()
    order = models.JSONField()
    """Names of the systems (or sides), as shown from first to last."""
    stratum = models.CharField(max_length=40, blank=True)
    """Stratum of the participants who may have it; "" if the study has no strata."""

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["item", "number"], name="slot_number")]

    def __str__(self) -> str:
        return f"{self.item_id}/{self.number}"


class Participant(models.Model):
    """A participant, identified by a random code."""

    class State(models.TextChoices):
        """Progress or outcome of a participant."""

        ARRIVED = "arrived"
        CONSENTED = "consented"
        SCREENED = "screened"
        ACTIVE = "active"
        COMPLETED = "completed"
        FAILED = "failed"
        WITHDREW = "withdrew"
        RETURNED = "returned"
        TIMED_OUT = "timed_out"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="participants")
    code = models.CharField(max_length=32, unique=True)
    """Public and random; in exports, in staff lists, on receipts of staff. Never derived from a platform id."""
    number = models.PositiveIntegerField()
    """Running number of the participant within the study, from 1; seed of their random choices."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.ARRIVED, db_index=True)
    reason = models.CharField(max_length=40, blank=True)
    """Why a failed one failed: no_consent, screened_out, comprehension, training, attention, full."""
    reached = models.CharField(max_length=10, choices=State.choices, default=State.ARRIVED)
    """The furthest of arrived, consented, screened, active, completed."""
    language = models.CharField(max_length=20, default="en")
    plan = models.JSONField(default=list)
    """Step keys, in order."""
    step = models.PositiveIntegerField(default=0)
    """Index of the current step in the plan."""
    stratum = models.CharField(max_length=40, blank=True)
    """Stratum by the answers to the screening questions; "" before, or if the study has no strata."""
    consent_version = models.CharField(max_length=64, blank=True)
    consented_at = models.DateTimeField(null=True)
    arrived_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField(auto_now_add=True)
    """Time of the last request."""
    finished_at = models.DateTimeField(null=True)
    platform = models.CharField(max_length=20, default="none")
    identity_hash = models.CharField(max_length=64, null=True)
    """Keyed hash of the platform id: the same person enters a study once. None after erasure, or without an id."""
    receipt_hash = models.CharField(max_length=64, db_index=True)
    """Hash of the receipt code, which allows withdrawal later."""
    flags = models.JSONField(default=list)
    """Names of the exclusion rules that they hit, set when they finish."""
    signed = models.BooleanField(default=False)
    """Whether the link that they came by was signed; unsigned ids are taken at their word and marked."""

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "identity_hash"], name="participant_enters_once"),
            models.UniqueConstraint(fields=["study", "number"], name="participant_number"),
        ]
        indexes: ClassVar = [models.Index(fields=["study", "state"], name="participant_state")]

    def __str__(self) -> str:
        return self.code


OVER = frozenset(
    {
        Participant.State.COMPLETED,
        Participant.State.FAILED,
        Participant.State.WITHDREW,
        Participant.State.RETURNED,
        Participant.State.TIMED_OUT,
    }
)
"""States in which a session has ended."""


class Identity(models.Model):
    """Platform ids as given: apart from everything else, so that they can be erased."""

    participant = models.OneToOneField(Participant, on_delete=models.CASCADE, related_name="identity")
    ids = models.JSONField()
    """By name of the platform's parameter, such as ``{"PROLIFIC_PID": ...}``."""

    def __str__(self) -> str:
        return f"identity of {self.participant_id}"


FOREVER = datetime(9999, 1, 1, tzinfo=UTC)


class Assignment(models.Model):
    """A slot assigned to a participant. A database constraint allows at most one active assignment per slot."""

    class State(models.TextChoices):
        """State of a slot's assignment."""

        LEASED = "leased"
        DONE = "done"
        RELEASED = "released"
        ABANDONED = "abandoned"
        """Answered, and reassigned because this participant returned, timed out, failed or stayed away."""
        REPLACED = "replaced"
        """Completed, and reassigned because this participant is excluded; they are paid."""
        REJECTED = "rejected"
        """The same, since the platform rejected this participant's work; they are not paid."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="assignments")
    slot = models.ForeignKey(Slot, on_delete=models.PROTECT, related_name="assignments")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="assignments")
    position = models.PositiveIntegerField()
    """Place in the session, from 1."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.LEASED)
    lease_until = models.DateTimeField()
    """Until when the slot is kept for a participant who has not completed; ``FOREVER`` for one who has."""
    done_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["slot"], condition=Q(state__in=["leased", "done"]), name="assignment_one_lives_per_slot"
            ),
            models.UniqueConstraint(fields=["participant", "item"], name="assignment_item_once"),
            models.UniqueConstraint(fields=["participant", "position"], name="assignment_position"),
        ]
        indexes: ClassVar = [models.Index(fields=["state", "lease_until"], name="assignment_lease")]

    def __str__(self) -> str:
        return f"{self.participant_id}:{self.position}"


class Submission(models.Model):
    """Answers of one step. Written once, never changed."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="submissions")
    step = models.CharField(max_length=80)
    """Key of the step in the participant's plan."""
    assignment = models.OneToOneField(Assignment, null=True, on_delete=models.CASCADE, related_name="submission")
    answers = models.JSONField()
    """Validated answers by field name: ``q`` or ``r2-q`` for the reply at position 2."""
    received_at = models.DateTimeField(auto_now_add=True)
    seconds = models.FloatField(null=True)
    """Since the step was first shown, by our clock."""
    client_seconds = models.FloatField(null=True)
    """The same by the browser's clock, if reported; evidence only."""

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["participant", "step"], name="submission_once")]

    def __str__(self) -> str:
        return f"{self.participant_id}:{self.step}"


class Event(models.Model):
    """An event reported by the browser: evidence, never a verdict."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="events")
    step = models.CharField(max_length=80)
    kind = models.CharField(max_length=20)
    """focus, blur, paste, copy, hidden, visible, change, ..."""
    milliseconds = models.BigIntegerField()
    """Since the page was shown, by the browser's clock."""
    detail = models.CharField(max_length=100, blank=True)
    received_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.kind


class Check(models.Model):
    """An attention or comprehension check that was answered."""

    class Kind(models.TextChoices):
        """Kind of check."""

        ATTENTION = "attention"
        COMPREHENSION = "comprehension"
        TRAINING = "training"

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="checks")
    step = models.CharField(max_length=80)
    kind = models.CharField(max_length=20, choices=Kind.choices)
    passed = models.BooleanField()
    evidence = models.JSONField(default=dict)
    """Expected and given answers."""

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["participant", "step", "kind"], name="check_once")]

    def __str__(self) -> str:
        return f"{self.participant_id}:{self.step}"


class Chat(models.Model):
    """A conversation with a system, saved as it happens."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="chats")
    step = models.CharField(max_length=80)
    number = models.PositiveIntegerField(default=1)
    """1, or 2 for the second of two systems that are compared."""
    system = models.CharField(max_length=200)
    started_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)
    ended_by = models.CharField(max_length=20, blank=True)
    """user, system, limit, failure."""
    waiting_since = models.DateTimeField(null=True)
    """Set while the system is asked for a reply, so that a message that is sent twice is answered once."""

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["participant", "step", "number"], name="chat_once")]

    def __str__(self) -> str:
        return f"{self.participant_id}:{self.step}/{self.number}"


class ChatTurn(models.Model):
    """One message of a conversation."""

    chat = models.ForeignKey(Chat, on_delete=models.CASCADE, related_name="turns")
    number = models.PositiveIntegerField()
    speaker = models.CharField(max_length=6, choices=[("user", "user"), ("system", "system")])
    text = models.TextField()
    answers = models.JSONField(default=dict)
    """Ratings of this message, where the study asks for them at each turn."""
    said_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["chat", "number"], name="turn_number")]
        ordering: ClassVar = ["chat", "number"]

    def __str__(self) -> str:
        return f"{self.chat_id}/{self.number}"


class Code(models.Model):
    """A completion code: bound to a participant and an outcome, made once, only when the work is counted."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="codes")
    outcome = models.CharField(max_length=20)
    """completed, screened_out, no_consent, failed_check, full."""
    code = models.CharField(max_length=80)
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["participant", "outcome"], name="code_once")]

    def __str__(self) -> str:
        return self.outcome


class Adjudication(models.Model):
    """The final label of an item, decided over those of the annotators."""

    item = models.OneToOneField(Item, on_delete=models.CASCADE, related_name="adjudication")
    answers = models.JSONField()
    by = models.CharField(max_length=150)
    """Login of the member of staff."""
    at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"adjudication of {self.item_id}"


class Coding(models.Model):
    """Codes that a member of staff gave to an explanation."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="codings")
    codes = models.JSONField()
    by = models.CharField(max_length=150)
    at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["submission", "by"], name="coding_once")]

    def __str__(self) -> str:
        return f"coding of {self.submission_id} by {self.by}"


class Decision(models.Model):
    """Staff decision on a participant's work. Appended, never changed: the last of its kind counts."""

    class Kind(models.TextChoices):
        """Kind of decision."""

        ACCEPT = "accept"
        """The work is paid."""
        REFUSE = "refuse"
        """It is not paid."""
        BONUS = "bonus"
        """An amount on top; several add up."""
        EXCLUDE = "exclude"
        """Left out of the analysis, by hand."""
        READMIT = "readmit"
        """No longer left out by hand."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="decisions")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    reason = models.CharField(max_length=500, blank=True)
    """As worded by the member of staff who decided; the report quotes those of exclusions."""
    amount = models.DecimalField(max_digits=9, decimal_places=2, null=True)
    """Amount of a bonus, in the platform's currency."""
    by = models.CharField(max_length=150)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        return f"{self.kind} of {self.participant_id}"


class PlatformRequest(models.Model):
    """A request to the recruitment platform that spends money, decides, or changes the study there.

    The row is committed before the request is sent and is never deleted, so it is in every backup. Ids of people are not
    stored: a person's submission is found through the participant.
    """

    class Kind(models.TextChoices):
        """What is requested."""

        DRAFT = "draft"
        PUBLISH = "publish"
        PLACES = "places"
        PAUSE = "pause"
        START = "start"
        STOP = "stop"
        APPROVE = "approve"
        REJECT = "reject"
        BONUS = "bonus"

    class State(models.TextChoices):
        """Whether the platform carried it out."""

        SENT = "sent"
        """Sent, or about to be; without an answer yet. After a crash: unknown until reconciled."""
        UNKNOWN = "unknown"
        """The answer was lost, or does not say whether the request was carried out."""
        ACCEPTED = "accepted"
        """The platform said that it will be carried out; a bonus is paid minutes later."""
        CONFIRMED = "confirmed"
        """Carried out, according to the platform's answer or its lists."""
        REFUSED = "refused"
        """Not carried out. Another request may follow."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="platform_requests")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    key = models.CharField(max_length=120, blank=True)
    """Of requests about the study: what must not happen twice, such as the number of places. "" for people."""
    participant = models.ForeignKey(Participant, null=True, on_delete=models.SET_NULL, related_name="platform_requests")
    amount_cents = models.PositiveBigIntegerField(default=0)
    """What the participant gets by it, in hundredths of the currency, without the platform's fee."""
    batch = models.CharField(max_length=80, blank=True)
    """``bonus``: the platform's id of the payment that this is a line of; "" for a payment found on its list."""
    remote_id = models.CharField(max_length=80, blank=True)
    """``draft``: the study's id at the platform."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.SENT)
    by = models.CharField(max_length=150)
    sent_at = models.DateTimeField(auto_now_add=True)
    settled_by = models.CharField(max_length=150, blank=True)
    """``answer``, ``platform`` (its lists), or the login of who settled it."""
    settled_at = models.DateTimeField(null=True)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["study", "kind", "key"],
                condition=Q(participant=None, state__in=["sent", "unknown", "accepted", "confirmed"]) & ~Q(key=""),
                name="request_once_per_study",
            ),
            models.UniqueConstraint(
                fields=["participant"],
                condition=Q(kind="bonus", state__in=["sent", "unknown"]),
                name="request_one_open_bonus_per_person",
            ),
            models.UniqueConstraint(
                fields=["participant"],
                condition=Q(kind__in=["approve", "reject"], state__in=["sent", "unknown"]),
                name="request_one_open_decision_per_person",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["study", "kind", "state"], name="request_kind_state")]

    def __str__(self) -> str:
        return f"{self.kind} {self.key or self.participant_id}: {self.state}"


class Audit(models.Model):
    """Audit log: every export, deletion and decision, with its time and author. Holds codes, never platform ids."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="audits")
    who = models.CharField(max_length=150)
    what = models.CharField(max_length=40)
    detail = models.JSONField(default=dict)
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.what
