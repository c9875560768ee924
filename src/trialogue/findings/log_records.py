"""Records of the engineer's part of a report: measures by version, slices, worst dialogues, and who is to blame."""

from enum import StrEnum

from pydantic import Field

from trialogue.records import Estimate, Reason, Record


class Party(StrEnum):
    """Who is to blame for a failed dialogue."""

    MODEL = "model"
    """The system's language model, or the server before it."""
    TOOL = "tool"
    """A tool that the system called."""
    USER = "user"
    """The person or simulated user who talked to the system."""
    HARNESS = "harness"
    """What ran the dialogue: processes, credentials, rate limits, a judge."""
    UNKNOWN = "unknown"
    """A failure was recorded, and nothing says whose."""


class BlameRule(StrEnum):
    """The rule that decided, in the order in which they are tried."""

    USER_FAILED = "user_failed"
    """An ending is recorded that is the user's: who left, broke off the connection, or failed as a simulated user."""
    HARNESS_STOPPED = "harness_stopped"
    """An ending is recorded that is of what ran the dialogue: interrupted, lost, a refused credential, a full disk."""
    RATE_LIMITED = "rate_limited"
    """A rate limit or a quota refused the system's request."""
    USER_BROKE = "user_broke"
    """The user's part is no user's: empty messages, a prompt that was not filled in, an assistant's words, or one message
    again and again."""
    LIMIT_REACHED = "limit_reached"
    """A limit of turns, steps or messages is recorded, and the user's last message has no answer."""
    KEY_REFUSED = "key_refused"
    """The last turn called a tool that refused our key, and no later call of it worked."""
    CALL_REFUSED = "call_refused"
    """The last turn called a tool wrongly: against its schema, by a name that there is not, or with arguments that are no
    JSON."""
    TOOL_FAILED = "tool_failed"
    """The last turn called a tool that failed or did not answer, no later call of it worked, and the reply is missing, an
    error or an apology."""
    TOOL_NAMED = "tool_named"
    """The recorded error names a tool."""
    MODEL_FAILED = "model_failed"
    """The recorded ending is the system's: an error, a timeout, no connection, an unreadable answer, a filter."""
    MODEL_SILENT = "model_silent"
    """The last reply is empty, or the user never got one."""
    MODEL_REPORTED = "model_reported"
    """The last reply is the message of a program."""
    MODEL_REPEATED = "model_repeated"
    """The last reply runs in circles, or the last turn makes one call again and again, and says nothing."""
    MODEL_CUT = "model_cut"
    """The last reply was cut off at the limit of tokens, before it named anything."""
    USER_LEFT = "user_left"
    """An end is recorded, the system's question has no answer, and it had put nothing forward."""
    NOT_RECORDED = "not_recorded"
    """A failure is recorded, and nothing says whose."""


class Blame(Record):
    """Who is to blame for a failed dialogue, and by which rule."""

    party: Party
    """Who is to blame, as ``rule`` decided."""
    rule: BlameRule
    """The rule that decided."""
    tool: str | None = None
    """The tool that it is about; None: none."""


class BlameCount(Record):
    """Failed dialogues by who is to blame."""

    blame: Blame
    """Party and rule, without a tool."""
    dialogues: dict[str, int]
    """Number of failed dialogues by version."""


class LogMeasure(Record):
    """One measure of all versions."""

    title: str
    """Name in prose, such as "Failed, by any sign"."""
    unit: str = ""
    """Its unit; "": none."""
    values: dict[str, Estimate]
    """Its estimate by version."""
    units: dict[str, int] = Field(default_factory=dict)
    """Dialogues or replies by version, of which some may not record it; {}: it is said elsewhere."""
    difference: Estimate | None = None
    """The new version less the old one; None: there are not two, or it was not compared."""
    measure: str | None = None
    """Full name of the measure; None: it is of this part of the report alone."""


class SliceKind(StrEnum):
    """What dialogues are sliced by."""

    FIELD = "field"
    """A field of the log with a few values, such as a topic."""
    TOOL = "tool"
    """A tool that was called in them; a dialogue may be in several slices."""
    TURNS = "turns"
    """The number of the user's messages."""
    LANGUAGE = "language"
    """The language of the user."""


class Slice(Record):
    """A version on a part of the dialogues, compared with another one, or with all others."""

    by: SliceKind
    """What it is sliced by."""
    field: str = ""
    """Name of the field; "": it is none."""
    value: str
    """The value that its dialogues share; "": those of ``pooled`` values."""
    pooled: int = 0
    """Values that are pooled, since too few dialogues of a version have each."""
    system: str
    """Name of the version whose dialogues these are."""
    against: str
    """The old version; "": all others."""
    units: dict[str, int]
    """Rated dialogues by side, under these names."""
    values: dict[str, float]
    """Mean rating by side, under the names of ``units``; a side without dialogues is missing."""
    difference: Estimate
    """The version less the other side, with interval and uncorrected p; undefined, with a reason."""
    p_adjusted: float | None = Field(default=None, ge=0, le=1)
    """p after correction over all slices that could be tested."""
    is_worse: bool = False
    """Whether the version is significantly worse in it, after correction."""


class WorstDialogue(Record):
    """One of the worst dialogues."""

    system: str
    """Version that held the dialogue; "": unknown."""
    dialogue: str
    """Id of the dialogue."""
    blame: Blame | None = None
    """Who is to blame where it failed; None: it did not."""
    value: float | None = None
    """Its value on the measure that the answer rests on; None: it has none."""
    failed_calls: int = 0
    """Calls of tools that failed."""
    latency_s: float | None = None
    """Its longest wait in seconds; None: not recorded."""


class LogFindings(Record):
    """The engineer's part of a report."""

    old: str | None = None
    """The version that comes first by name; None: there are not two."""
    new: str | None = None
    """The one that comes later."""
    measures: tuple[LogMeasure, ...] = ()
    """Measures in their order."""
    harm: float | None = Field(default=None, ge=0, le=1)
    """Probability that the new version is worse on the measure that the answer rests on."""
    is_harm_conditional: bool = False
    """Whether the verdict of that difference is conditional."""
    no_harm: Reason | None = None
    """Why there is none."""
    sliced: str | None = None
    """Measure that slices compare; None: none can be sliced."""
    slices: tuple[Slice, ...] = ()
    """Slices, those in which a version is worst first; undefined ones last."""
    fields: tuple[str, ...] = ()
    """Fields of the log that were sliced by."""
    worst: tuple[WorstDialogue, ...] = ()
    """The worst dialogues, the worst first."""
    blames: tuple[BlameCount, ...] = ()
    """Failed dialogues by who is to blame."""
    leads: bool = True
    """Whether a terminal shows it in place of the league table, since nobody asked for other measures."""
