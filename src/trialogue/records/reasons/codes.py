"""Reasons why a value, an interval or a comparison is missing or limited: codes, with their texts in ``texts.toml``.

A code is its name in lower case (``auto()``). Codes are written to files: never rename one, and add new ones at the end of
their group. No other module words them.

A text is a template, filled with the reason's facts by ``str.format`` with two more format specs:
``{n:reply|replies}`` gives a number with its noun (``1 reply``, ``1,200 replies``), ``{names:list}`` the parts of a list
with commas. ``{cause}`` is the text of the reason behind it. Texts are parts of sentences: no capital at the start, no full
stop at the end.
"""

import tomllib
from collections.abc import Mapping
from enum import StrEnum, auto
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Any


class _Words(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec == "list":
            return ", ".join(map(str, value))
        if "|" in format_spec:
            one, many = format_spec.split("|")
            return f"{value:,} {one if value == 1 else many}"
        return str(super().format_field(value, format_spec))


_WORDS = _Words()


def text_of(code: "ReasonCode", facts: Mapping[str, Any]) -> str:
    """Text of a reason with its facts (and the cause's text under ``cause``).

    >>> text_of(ReasonCode.TOO_FEW_RATERS, {"raters": 1})
    '1 rater is too few to estimate how much people differ'
    """
    return _WORDS.vformat(code.text, (), facts)


@cache
def _texts() -> dict[str, str]:
    found: dict[str, str] = tomllib.loads(files("trialogue.records.reasons").joinpath("texts.toml").read_text("utf-8"))
    return found


class ReasonCode(StrEnum):
    """Reason codes, each with the template of its text."""

    @property
    def text(self) -> str:
        """The template, from ``texts.toml``."""
        return _texts()[self.value]

    # Words of others: plug-ins, files of other tools, files of version 1
    OTHER = auto()

    # Resampling and intervals
    NO_DATA = auto()
    NO_DATA_OF_SIDE = auto()
    STATISTIC_UNDEFINED = auto()
    STATISTIC_UNDEFINED_FOR_SIDE = auto()
    ONE_CLUSTER = auto()
    ONE_VALUE = auto()
    NO_RNG = auto()
    RESAMPLES_UNDEFINED = auto()
    RESAMPLES_ALL_EQUAL = auto()
    UNDEFINED_WITHOUT_A_CLUSTER = auto()
    CLUSTERS_ALL_EQUAL = auto()
    DIFFERENCES_ALL_EQUAL = auto()
    NO_STANDARD_ERROR = auto()
    CLUSTERS_SKEWED = auto()
    TOO_FEW_CLUSTERS_TO_TEST = auto()
    TOO_FEW_FOR_JACKKNIFE = auto()
    TOO_FEW_TRIALS = auto()
    ACCEPTANCE_NOT_RECORDED = auto()
    INTERVAL_UNBOUNDED = auto()

    # Agreement between raters
    NO_ITEM_RATED_TWICE = auto()
    NO_ITEM_LABELLED_TWICE = auto()
    TOO_FEW_ITEMS_OR_RATERS = auto()
    RATINGS_ALL_EQUAL = auto()
    LABELS_ALL_EQUAL = auto()
    RATERS_GAVE_ONE_LABEL = auto()
    ONE_LABEL = auto()
    RATINGS_VARY_TOO_LITTLE = auto()
    RATERS_AGREE_PERFECTLY = auto()
    ZERO_STANDARD_ERROR = auto()
    NO_RATER_RATED_TWICE = auto()
    COMPONENT_AT_ZERO = auto()

    # Correlation, AUC, paired association
    X_CONSTANT = auto()
    Y_CONSTANT = auto()
    X_AND_Y_CONSTANT = auto()
    TOO_FEW_PAIRS = auto()
    TOO_FEW_PAIRS_FOR_INTERVAL = auto()
    PERFECT_CORRELATION = auto()
    NO_TRUE_AND_FALSE_PAIR = auto()
    NO_TRUE_AND_FALSE_PAIR_IN_GROUP = auto()
    TOO_FEW_FOR_DELONG = auto()
    PERFECT_SEPARATION = auto()
    NO_UNITS_WITH_BOTH_SCORES = auto()
    ONE_ASSOCIATION_UNDEFINED = auto()

    # Choices, votes, orders
    ALL_TIES = auto()
    NO_DECISIVE_JUDGEMENT = auto()
    WINS_BALANCE_LOSSES = auto()
    NO_BATTLES = auto()
    ONE_RATER = auto()
    TIES_ONLY = auto()
    STRENGTHS_UNBOUNDED = auto()
    STRENGTHS_UNBOUNDED_IN_RESAMPLES = auto()
    NO_ORDER = auto()
    SYSTEMS_WITHOUT_VALUE = auto()
    RESAMPLES_LOSE_A_SYSTEM = auto()
    DUPLICATE_VOTES = auto()

    # Models of ratings
    MODEL_CONFOUNDED = auto()
    MODEL_LIKELIHOOD_UNDEFINED = auto()
    MODEL_EFFECT_UNBOUNDED = auto()
    MODEL_NOT_CONVERGED = auto()
    MODEL_LIKELIHOOD_FLAT = auto()
    MODEL_NO_MAXIMUM = auto()
    MODEL_TOO_FEW_RATINGS = auto()
    MODEL_NO_RESIDUALS = auto()
    SPREAD_AT_ZERO = auto()
    PLAN_WITHOUT_DIFFERENCE = auto()
    PLAN_WITHOUT_NULL = auto()

    # Labels and strategies
    NOTHING_TO_PREDICT = auto()
    CALIBRATION_ERROR_HAS_NO_INTERVAL = auto()

    # What metrics leave out
    NOTHING_TO_MEASURE = auto()
    LEFT_OUT_FOR_ONE_REASON = auto()
    LEFT_OUT_FOR_SEVERAL_REASONS = auto()
    NOT_A_DIALOGUE = auto()
    FORMULA_WITHOUT_VALUE = auto()
    TOO_FEW_NEEDS = auto()
    TOO_FEW_CLUSTERS_FOR_DISTINCT = auto()
    REPLY_COUNTS_DIFFER = auto()
    LAPS_TOO_LONG = auto()
    TOO_FEW_CLUSTERS_WITH_ERROR = auto()
    NO_REFERENCE = auto()
    REFERENCE_BLANK = auto()
    REPLY_EMPTY = auto()
    REPLY_EMPTY_NOT_COUNTED = auto()
    REPLY_TOO_SHORT = auto()
    REPLY_TOO_FEW_TOKENS = auto()
    REPLY_TOO_LONG = auto()
    TRAINED_ON = auto()
    EARLIER_REPLIES_UNKNOWN = auto()
    DIALOGUE_EMPTY = auto()
    SPEAKER_SILENT = auto()
    ONE_SPEAKER_ONLY = auto()
    ENDING_NOT_RECORDED = auto()
    SYSTEM_FAILED = auto()
    OTHERS_FAILED = auto()
    LATENCY_NOT_MEASURED = auto()
    CALLS_NOT_RECORDED = auto()
    NO_TOOL_CALLS = auto()
    AMOUNT_NOT_RECORDED = auto()
    SLICE_WITHOUT_VERSION = auto()
    SLICE_TOO_SMALL = auto()
    VERDICT_WITHHELD = auto()
    NOT_TWO_VERSIONS = auto()
    NO_RATINGS_OF = auto()
    STYLE_REFERENCE_MISSING = auto()
    STYLE_NO_COMMON_ACT = auto()

    # Acts, items and outcomes
    ACTS_MISSING = auto()
    ACTS_OF_OTHER_SPACE = auto()
    NOTHING_ACCEPTED = auto()
    ITEMS_ARE_SLOTS = auto()
    ITEMS_NOT_LINKED = auto()
    ITEMS_NOT_LINKED_BY_SYSTEM = auto()
    ITEMS_NOT_LINKED_IN_DIALOGUE = auto()
    ITEMS_NOT_LINKED_IN_CONTEXT = auto()
    NO_ITEM_NAMED = auto()
    NO_NEW_ITEM_NAMED = auto()
    NO_TITLE_PRESENTED = auto()
    TITLES_NOT_RECOGNISABLE = auto()
    FILE_NOT_GIVEN = auto()
    FEW_ITEMS_NAMED = auto()
    NO_LIST_OF_ITEMS = auto()
    NO_FACT_STATED = auto()
    CATALOGUE_SIZE_UNKNOWN = auto()
    NO_RANKING = auto()
    NEED_UNKNOWN = auto()
    NEED_NOT_MET = auto()
    NEED_NOT_REVISED = auto()
    NEED_NOT_RESOLVED = auto()
    CATALOGUE_UNKNOWN = auto()
    TARGETS_UNKNOWN = auto()
    TARGETS_EMPTY = auto()
    TARGETS_ALL_MENTIONED = auto()
    OUTCOME_MISSING = auto()
    OPINIONS_NOT_ASKED = auto()
    QUESTIONNAIRE_NOT_FILLED_IN = auto()
    LIKING_NOT_ANSWERED = auto()
    SATISFACTION_NOT_RATED = auto()
    SATISFACTION_SCALE_UNKNOWN = auto()

    # Alignment with human recommenders
    NO_HUMAN_REFERENCE = auto()
    FIRST_TURN_LEFT_OUT = auto()
    LABELS_MISSING = auto()
    LABEL_UNKNOWN = auto()
    LABEL_MISSPELT = auto()
    REFERENCE_USES_NO_STRATEGY = auto()
    LABEL_SETS_DIFFER = auto()
    WEIGHT_MISSING = auto()
    WEIGHT_INVALID = auto()
    BELIEF_MISSING = auto()
    BELIEFS_OF_DIFFERENT_MODELS = auto()
    CALIBRATION_MISSING = auto()
    CALIBRATIONS_DIFFER = auto()
    PAIR_BELIEF_MISSING = auto()
    JUDGE_UNCALIBRATED = auto()
    CALIBRATION_ERROR_UNKNOWN = auto()
    CALIBRATION_ERROR_UNBOUNDED = auto()
    CORPUS_TOO_FAR = auto()
    ESTIMATE_CONTRADICTED = auto()
    ESTIMATE_AT_END_OF_SCALE = auto()
    BASELINE_UNKNOWN_FOR_METRIC = auto()
    BASELINE_NEEDS_ALL_PAIRS = auto()
    BASELINE_LABELLED_BY_CHANCE = auto()
    BASELINE_HAS_NO_BELIEFS = auto()
    BASELINE_HAS_NO_REPLY = auto()
    NOTHING_SHARED = auto()
    DIFFERENT_LANGUAGES = auto()
    BASELINE_ANSWERS_MORE = auto()

    # Differences, orders and distances between systems
    NOT_COMPARED = auto()
    VALUE_MISSING_IN_RUN = auto()
    SCALES_DIFFER_BETWEEN_RUNS = auto()
    PARTS_MISSING_IN_RUN = auto()
    COUNTS_OF_OTHER_SITUATIONS = auto()
    INTERVAL_MISSING_IN_RUN = auto()
    MIXTURE_TOO_FEW_CLUSTERS = auto()
    MIXTURE_FORMULA_WITHOUT_VALUE = auto()
    TOO_FEW_PAIRS_WITH_BOTH_SIDES = auto()
    MIX_EMPTY = auto()
    MIX_EMPTY_WITHOUT_A_CLUSTER = auto()
    ONE_DIALOGUE_HAS_NO_HALVES = auto()
    MEAN_OF_SPLITS = auto()
    SYSTEMS_ALL_EQUAL = auto()
    SYSTEM_MEANS_NOT_RESAMPLED = auto()
    TOO_FEW_SYSTEMS_TO_ORDER = auto()
    TOO_FEW_SYSTEMS_TO_CONCLUDE = auto()
    COLUMN_WITHOUT_ERROR = auto()

    # Agreement of measures with people
    MEASURE_CONSTANT = auto()
    PEOPLE_CONSTANT = auto()
    MEASURE_AND_PEOPLE_CONSTANT = auto()
    TOO_MANY_CLUSTERS_FOR_KENDALL = auto()
    SIMPSON_WITH_PEOPLE_OVERALL = auto()
    SIMPSON_AGAINST_PEOPLE_OVERALL = auto()
    SEPARATES_SYSTEMS_ONLY = auto()
    SEPARATES_DIALOGUES_ONLY = auto()
    MEASURE_TOO_FEW_VALUES = auto()
    ONE_RATING_PER_UNIT = auto()
    NO_AGREEMENT_ABOVE_CHANCE = auto()
    NO_DECISIVE_VOTE_WITH_VALUES = auto()
    NO_PAIR_CHOSEN_TWICE = auto()

    # Judges that labels correct
    TOO_FEW_LABELS = auto()
    STRATUM_TOO_FEW_LABELS = auto()
    SYSTEMS_WITHOUT_ESTIMATE = auto()
    NO_LABELS = auto()
    JUDGE_TOO_FEW_SCORES = auto()
    CARD_TOO_FEW_LABELS = auto()
    CARD_TOO_FEW_SYSTEMS = auto()
    CARD_OTHER_SCALE = auto()
    CARD_NO_FAMILY = auto()
    CARD_ONE_SIDED_FAMILY = auto()
    CARD_NO_TEXTS = auto()
    PROBE_TOO_FEW_CASES = auto()

    # Answers of judges
    JUDGE_RAW = auto()
    JUDGE_UNREADABLE = auto()
    JUDGE_OFF_SCALE = auto()
    JUDGE_NOT_APPLICABLE = auto()
    JUDGE_REFUSED = auto()
    JUDGE_CUT = auto()
    JUDGE_NO_PROBABILITIES = auto()
    JUDGE_NOTHING_SHOWN = auto()
    JUDGE_NO_REFERENCE = auto()
    JUDGE_PANEL_INCOMPLETE = auto()
    DIALOGUE_FAILED = auto()

    # Passports of simulated users
    NO_REAL_USERS = auto()
    TOO_FEW_USERS_FOR_HALVES = auto()
    NOTHING_TO_COUNT = auto()
    HALVES_WITHOUT_COUNTS = auto()
    LENGTHS_DO_NOT_OVERLAP = auto()
    NO_SHARED_SYSTEMS = auto()
    NO_OUTCOME_ON_BOTH_SIDES = auto()
    NO_AGENT_MADE_WORSE = auto()
    NOTHING_VARIED = auto()
    TOO_FEW_LEVELS = auto()
    SHARE_OF_RESAMPLES = auto()
    FEW_SYSTEMS_NO_INTERVAL = auto()
    NO_DIALOGUE_COULD_SHOW_IT = auto()
    USERS_ASK_NO_MODEL = auto()
    USAGE_NOT_RECORDED = auto()
    ALL_SIMULATED_FAILED = auto()

    ORDER_DEPENDS_ON_SIZE = auto()

    # Analyses of studies
    NOTHING_RATED_TWICE = auto()
    NOTHING_JUDGED_TWICE = auto()
    NO_SHARED_ITEMS = auto()
    RATERS_USED_ONE_LABEL = auto()
    MEAN_OF_RATER_PAIRS = auto()
    NO_JUDGEMENTS_LEFT = auto()
    SIDE_NOT_RECORDED = auto()
    NOT_TWO_CODERS = auto()
    NO_SHARED_EXPLANATION = auto()
    NO_RATINGS_LEFT = auto()
    ONE_SYSTEM = auto()
    SYSTEM_WITHOUT_RATINGS_LEFT = auto()
    POSITION_NOT_RECORDED = auto()
    ONE_POSITION = auto()
    TOO_MANY_POSITIONS = auto()
    RATER_NOT_KNOWN = auto()
    ONE_PERSON_RATED = auto()
    ONE_RATING_EACH = auto()
    TOO_FEW_RATERS = auto()
    RATERS_NESTED_IN_SYSTEMS = auto()
    FEW_RATERS_OF_BOTH = auto()
    FEW_RATERS_PARTLY_CROSSED = auto()
    TOO_FEW_ITEMS = auto()
    ONE_RATING_PER_ITEM = auto()
    LEVEL_MET_ONE_SYSTEM = auto()
    ONE_RATING_PER_CELL = auto()
    NOTHING_JUDGED_TWICE_YET = auto()
    NOTHING_CODED_TWICE_YET = auto()
    QUESTION_SKIPPED = auto()
    MODEL_CHOSE_NONE = auto()
    MODEL_DID_NOT_ANSWER = auto()
    NOTHING_RATED_BY_BOTH = auto()

    # Files of runs and benchmarks
    LABEL_NOT_IN_FILE = auto()
    PREDICTION_NOT_IN_RUN = auto()

    # Boards of runs
    BOARD_MEASURE_DIFFERS = auto()
    BOARD_UNIT_DIFFERS = auto()
    BOARD_LABELS_DIFFER = auto()
    BOARD_CALIBRATION_DIFFERS = auto()
    BOARD_COUNTS_FAILURES = auto()
    BOARD_LEAVES_FAILURES_OUT = auto()
    BOARD_SCALE_DIFFERS = auto()
    BOARD_RATERS_DIFFER = auto()
    BOARD_EXCLUSIONS_DIFFER = auto()
    BOARD_BLOCKS_DIFFER = auto()
    BOARD_USERS_DIFFER = auto()
    BOARD_USER_MODELS_DIFFER = auto()
    BOARD_POPULATION_UNKNOWN = auto()
    BOARD_KIND_DIFFERS = auto()
    BOARD_RUN_COUNTS_DIFFER = auto()
    BOARD_SAMPLE_DIFFERS = auto()
    BOARD_ALONE = auto()
    BOARD_BLOCKED = auto()
    BOARD_UNDEFINED = auto()
    BOARD_UNTESTED = auto()
    BOARD_REPORTED = auto()
    BOARD_REPORTED_UNSIGNED = auto()
    BOARD_REPORTED_DIFFERS = auto()
    BOARD_POOLED_DIFFERENTLY = auto()
    BOARD_POOLED_UNDEFINED = auto()
    BOARD_NOT_IN_EVERY_RUN = auto()
    BOARD_SAME_DIALOGUES = auto()
    BOARD_SAME_RUN = auto()
    BOARD_NOT_MEASURED = auto()
    BOARD_NO_BASELINE = auto()
    BOARD_NOT_REPORTED = auto()
    BOARD_NO_INTERVAL_REPORTED = auto()
    TOO_MANY_ROWS_TO_EXPLORE = auto()
