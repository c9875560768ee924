"""Threats to validity: records of what could make a verdict wrong, read by every output.

A threat is part of the verdict, not a footnote: each one has a severity that determines what it does to the verdicts of its
subject (systems, a pair of systems, a measure, or everything).
"""

from enum import StrEnum

from pydantic import Field

from trialogue.records import JsonValue, Record


class Severity(StrEnum):
    """Effect of a threat on the verdicts of its subject."""

    BLOCKS = "blocks"
    """There is no rank and no verdict."""
    DEMOTES = "demotes"
    """The verdict is worded as conditional, leads no answer if another one can, and is never green."""
    NOTES = "notes"
    """The verdict stands, with a note."""


class Validity(StrEnum):
    """Validity of a verdict after the gate."""

    FIRM = "firm"
    """No threat demotes or blocks it."""
    CONDITIONAL = "conditional"
    """A threat demotes it: it holds only if what the threat names does no harm."""
    BLOCKED = "blocked"
    """A threat blocks it: there is none."""


VALIDITY_BY_SEVERITY = {
    Severity.BLOCKS: Validity.BLOCKED,
    Severity.DEMOTES: Validity.CONDITIONAL,
    Severity.NOTES: Validity.FIRM,
}
FROM_HIGHEST = (Validity.FIRM, Validity.CONDITIONAL, Validity.BLOCKED)


class ThreatCode(StrEnum):
    """All detectable kinds of threats. ``texts.py`` describes meaning, detection and effect."""

    NEVER_FINISHED = "never_finished"
    FAILURES = "failures"
    FAILURE_DIFFERENCE = "failure_difference"
    MISSING_DIALOGUES = "missing_dialogues"
    ABSTENTION = "abstention"
    SUSPECTED_FAILURES = "suspected_failures"
    COPIED_UNITS = "copied_units"
    MIXED_SOURCES = "mixed_sources"
    MIXED_SCALES = "mixed_scales"
    OTHER_TIMES = "other_times"
    UNEVEN_ORDER = "uneven_order"
    SHARED_DIALOGUES = "shared_dialogues"
    DOMINANT_RATER = "dominant_rater"
    CONTRADICTORY_RATINGS = "contradictory_ratings"
    SELF_RATED = "self_rated"
    LOOKALIKE_PEOPLE = "lookalike_people"
    LOOKALIKE_SYSTEMS = "lookalike_systems"
    MISSING_VALUES = "missing_values"
    COPIED_REFERENCES = "copied_references"
    DIFFERENT_SITUATIONS = "different_situations"
    UNASSIGNED_PEOPLE = "unassigned_people"
    USERS_DIFFER = "users_differ"
    FEW_CLUSTERS = "few_clusters"
    FEW_RATERS = "few_raters"
    UNEQUAL_CLUSTERS = "unequal_clusters"
    UNBOUNDED = "unbounded"
    SEVERAL_MEASURES = "several_measures"
    BASELINE_NOT_BEATEN = "baseline_not_beaten"
    SERVES_LESS = "serves_less"
    NOT_LISTENING = "not_listening"
    LISTENING_UNKNOWN = "listening_unknown"
    OTHER_CATALOGUE = "other_catalogue"
    UNRECOGNISED_TITLES = "unrecognised_titles"
    KNOWN_SEED = "known_seed"
    NO_BASELINES = "no_baselines"
    AT_CHANCE = "at_chance"
    NO_HUMAN_JUDGEMENT = "no_human_judgement"
    SCRIPTED_RATERS = "scripted_raters"
    INVENTED_RATERS = "invented_raters"
    MODEL_RATERS = "model_raters"
    PROGRAM_RATERS = "program_raters"
    UNKNOWN_RATERS = "unknown_raters"
    LABEL_ORIGIN = "label_origin"
    RECOGNISED_ACTS = "recognised_acts"
    USER_FAULTS = "user_faults"
    USER_FAULT_HINTS = "user_fault_hints"
    USER_FAULT_DIFFERENCE = "user_fault_difference"
    COPIED_DIALOGUES = "copied_dialogues"
    COPIED_MESSAGES = "copied_messages"
    FITTED_ON_SAME_TEXT = "fitted_on_same_text"
    FITTED_ON_UNKNOWN_TEXT = "fitted_on_unknown_text"
    FEW_REAL_USERS = "few_real_users"
    ONE_AGENT = "one_agent"
    SEVERAL_USER_MODELS = "several_user_models"
    SEVERAL_MODELS = "several_models"
    USER_FAMILY = "user_family"
    SIMULATIONS_FAILED = "simulations_failed"
    CALIBRATION_ELSEWHERE = "calibration_elsewhere"
    CORPUS_SHIFT = "corpus_shift"
    TRAINING_DATA = "training_data"
    OUTSIDE_DOMAIN = "outside_domain"
    LANGUAGE = "language"
    LANGUAGE_UNKNOWN = "language_unknown"
    MODEL_CHANGED = "model_changed"
    LABELLER_CHANGED = "labeller_changed"
    PROTOCOL_NOT_KEPT = "protocol_not_kept"
    PROTOCOL_AFTER_DATA = "protocol_after_data"
    NO_PROTOCOL = "no_protocol"
    JUDGE_FAMILY = "judge_family"
    JUDGE_UNCORRECTED = "judge_uncorrected"
    JUDGE_MISSING = "judge_missing"
    JUDGE_MISSING_DIFFERENCE = "judge_missing_difference"
    JUDGE_FEW_ANSWERS = "judge_few_answers"
    JUDGE_FEW_LABELS = "judge_few_labels"
    JUDGE_WORTHLESS = "judge_worthless"
    JUDGE_CONSTANT = "judge_constant"
    JUDGE_CONTRARY = "judge_contrary"
    LABELS_NOT_DRAWN = "labels_not_drawn"
    UNEQUAL_CHANCES = "unequal_chances"
    LABELS_CHOSEN = "labels_chosen"
    JUDGE_BIASED = "judge_biased"
    JUDGE_UNSTABLE = "judge_unstable"
    JUDGE_UNNOTICED_DEFECT = "judge_unnoticed_defect"


class Threat(Record):
    """One threat to one subject."""

    code: ThreatCode
    """Kind of threat; texts and facts depend on it."""
    severity: Severity
    """What it does to verdicts about its subject: block, demote or note."""
    systems: tuple[str, ...] = ()
    """The systems it is about: one, or the two of a pair; (): all of them."""
    measure: str | None = None
    """The name of the column it is about; None: all of them."""
    only_if_ahead: bool = False
    """Whether it only concerns verdicts in favour of the system (of a pair: of the first one). What makes a system look
    better than it is does not weaken a verdict against it."""
    is_of_pair: bool = False
    """Whether it is about the difference of two systems, and not about each of them."""
    users: str | None = None
    """The simulated users whose dialogues it is about, in an experiment with several kinds; None: any."""
    facts: dict[str, JsonValue] = Field(default_factory=dict)
    """Counts, shares and names behind the threat, as listed in the catalogue of texts."""

    def concerns_measure(self, name: str) -> bool:
        """Whether it concerns a measure's column."""
        return self.measure in (None, name)

    def concerns_system(self, name: str) -> bool:
        """Whether it concerns a single system."""
        return not self.is_of_pair and (not self.systems or name in self.systems)

    def concerns_pair(self, a: str, b: str, *, ahead: str | None) -> bool:
        """Whether it concerns the verdict on two systems.

        Args:
            a: the one.
            b: the other.
            ahead: the one that the verdict calls better; None where it calls neither.
        """
        if self.only_if_ahead and self.systems and ahead not in self._suspects:
            return False
        if self.is_of_pair:
            return {a, b} == set(self.systems)
        return self.concerns_system(a) or self.concerns_system(b)

    @property
    def _suspects(self) -> tuple[str, ...]:
        """The systems whose lead is in doubt."""
        return self.systems[:1] if self.is_of_pair else self.systems


def lowest_validity(validities: "list[Validity] | tuple[Validity, ...]") -> Validity:
    """Lowest validity; firm if there are none.

    >>> lowest_validity([Validity.FIRM, Validity.BLOCKED, Validity.CONDITIONAL]).value, lowest_validity([]).value
    ('blocked', 'firm')
    """
    return max(validities, key=FROM_HIGHEST.index, default=Validity.FIRM)
