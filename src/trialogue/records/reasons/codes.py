"""Reasons why a value, an interval or a comparison is missing or limited: each code with its text.

A code is its name in lower case (``auto()``). Codes are written to files: never rename one, and add new ones at the end of
their group. No other module words them.

A text is a template, filled with the reason's facts by ``str.format`` with two more format specs:
``{n:reply|replies}`` gives a number with its noun (``1 reply``, ``1,200 replies``), ``{names:list}`` the parts of a list
with commas. ``{cause}`` is the text of the reason behind it. Texts are parts of sentences: no capital at the start, no full
stop at the end.
"""

from collections.abc import Mapping
from enum import StrEnum, auto
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


class ReasonCode(StrEnum):
    """Reason codes, each with the template of its text."""

    text: str
    """The template."""

    def __new__(cls, code: str, text: str) -> "ReasonCode":
        """Create a member whose value is the code alone."""
        member = str.__new__(cls, code)
        member._value_, member.text = code, text
        return member

    # Words of others: plug-ins, files of other tools, files of version 1
    OTHER = auto(), "{text}"

    # Resampling and intervals
    NO_DATA = auto(), "there are no data"
    NO_DATA_OF_SIDE = auto(), "there are no data for {side}"
    STATISTIC_UNDEFINED = auto(), "the statistic is undefined on these data"
    STATISTIC_UNDEFINED_FOR_SIDE = auto(), "the statistic is undefined for {side}"
    ONE_CLUSTER = auto(), "one cluster says nothing about the spread between clusters"
    ONE_VALUE = auto(), "one value says nothing about the spread of others"
    NO_RNG = auto(), "no interval was requested (no rng)"
    RESAMPLES_UNDEFINED = auto(), "the statistic is undefined in {share:.0%} of the resamples"
    RESAMPLES_ALL_EQUAL = auto(), "all resamples give the same value, so its error cannot be estimated"
    UNDEFINED_WITHOUT_A_CLUSTER = auto(), "the statistic is undefined without one of the clusters"
    CLUSTERS_ALL_EQUAL = auto(), "the value is the same whichever cluster is left out, so its error cannot be estimated"
    DIFFERENCES_ALL_EQUAL = (
        auto(),
        "the two sides differ by the same amount in every cluster, so the error cannot be estimated",
    )
    NO_STANDARD_ERROR = auto(), "the standard error could not be computed"
    CLUSTERS_SKEWED = auto(), "a few extreme dialogues or people dominate the mean, so the interval may be too narrow"
    TOO_FEW_CLUSTERS_TO_TEST = (
        auto(),
        "with so few dialogues or people no difference could be significant: at least {pairs} shared by both "
        "systems, or {group} of each system, are needed",
    )
    TOO_FEW_FOR_JACKKNIFE = (
        auto(),
        "an interval needs at least {needed} independent items, dialogues or people, got {clusters}",
    )
    TOO_FEW_TRIALS = (
        auto(),
        "{tasks:task has|tasks have} fewer than {k} trials, so how often {k} of them all succeed is unknown",
    )
    ACCEPTANCE_NOT_RECORDED = (
        auto(),
        "in {trials:trial|trials} nobody recorded whether the user accepted the recommendation",
    )
    INTERVAL_UNBOUNDED = auto(), "with so few dialogues or people the interval is unbounded"

    # Agreement between raters
    NO_ITEM_RATED_TWICE = auto(), "no item has two ratings"
    NO_ITEM_LABELLED_TWICE = auto(), "no item has two labels"
    TOO_FEW_ITEMS_OR_RATERS = auto(), "at least two items and two raters are needed, got {items} and {raters}"
    RATINGS_ALL_EQUAL = auto(), "all ratings have the same value, so no disagreement is expected by chance"
    LABELS_ALL_EQUAL = auto(), "all labels are the same, so agreement by chance is already perfect"
    RATERS_GAVE_ONE_LABEL = auto(), "both raters always gave the same label, so agreement by chance is already perfect"
    ONE_LABEL = auto(), "only one label occurs, so chance agreement cannot be estimated"
    RATINGS_VARY_TOO_LITTLE = auto(), "the ratings do not vary as this coefficient requires"
    RATERS_AGREE_PERFECTLY = auto(), "raters agree perfectly, so the error cannot be estimated"
    ZERO_STANDARD_ERROR = auto(), "the standard error is zero: without disagreement, the error cannot be estimated"
    NO_RATER_RATED_TWICE = auto(), "no rater rated two items, so rater effects cannot be separated from noise"
    COMPONENT_AT_ZERO = auto(), "the variance component lies at its bound (zero), where it has no interval"

    # Correlation, AUC, paired association
    X_CONSTANT = auto(), "x never varies"
    Y_CONSTANT = auto(), "y never varies"
    X_AND_Y_CONSTANT = auto(), "x and y never vary"
    TOO_FEW_PAIRS = auto(), "a correlation needs at least two pairs, got {n}"
    TOO_FEW_PAIRS_FOR_INTERVAL = auto(), "an interval needs at least {least} pairs, got {n}"
    PERFECT_CORRELATION = auto(), "the correlation is perfect, so the error cannot be estimated"
    NO_TRUE_AND_FALSE_PAIR = auto(), "there is no pair of a positive and a negative unit"
    NO_TRUE_AND_FALSE_PAIR_IN_GROUP = auto(), "there is no pair of a positive and a negative unit in any group"
    TOO_FEW_FOR_DELONG = auto(), "DeLong's interval needs at least two positive and two negative units"
    PERFECT_SEPARATION = auto(), "the scores separate the labels perfectly, so the error cannot be estimated"
    NO_UNITS_WITH_BOTH_SCORES = auto(), "no unit has both scores and the target"
    ONE_ASSOCIATION_UNDEFINED = (
        auto(),
        "one of the two is undefined: a score or the target never varies, or there is no pair of a positive and "
        "a negative unit",
    )

    # Choices, votes, orders
    ALL_TIES = auto(), "every judgement is a tie"
    NO_DECISIVE_JUDGEMENT = auto(), "every judgement is a tie, or there are none"
    WINS_BALANCE_LOSSES = auto(), "wins and losses balance in every cluster"
    NO_BATTLES = auto(), "there are no pairwise votes"
    ONE_RATER = auto(), "one rater says nothing about others"
    TIES_ONLY = (
        auto(),
        "the outcome is trivial (only ties, for example), so the probability of a tie is unbounded; read the "
        "win rates, in which a tie is half a win",
    )
    STRENGTHS_UNBOUNDED = (
        auto(),
        "{names:list} never lost to or tied with any of the others (or never met them), so the strengths are "
        "unbounded; read the win rates, or collect more votes",
    )
    STRENGTHS_UNBOUNDED_IN_RESAMPLES = (
        auto(),
        "in {share:.0%} of the resamples the strengths are unbounded (a contestant never lost or never won, or "
        "all votes were ties); read the win rates, or collect more votes",
    )
    NO_ORDER = auto(), "a ranking needs at least two systems with values"
    SYSTEMS_WITHOUT_VALUE = auto(), "a ranking needs at least two systems with values; missing: number {places:list}"
    RESAMPLES_LOSE_A_SYSTEM = auto(), "a system has no value in {share:.0%} of the resamples"
    DUPLICATE_VOTES = auto(), "{votes:duplicate vote in the corpus was|duplicate votes in the corpus were} left out"

    # Models of ratings
    MODEL_CONFOUNDED = (
        auto(),
        "the effect of {effect} cannot be separated from those of the others: they vary together in these data",
    )
    MODEL_LIKELIHOOD_UNDEFINED = auto(), "the likelihood could not be computed near its maximum"
    MODEL_EFFECT_UNBOUNDED = (
        auto(),
        "an effect is unbounded: some level has only the lowest or only the highest ratings",
    )
    MODEL_NOT_CONVERGED = auto(), "the optimiser did not reach a maximum (largest slope {slope:.2g})"
    MODEL_LIKELIHOOD_FLAT = auto(), "the likelihood is flat in some direction"
    MODEL_NO_MAXIMUM = auto(), "the point found is not a maximum of the likelihood"
    MODEL_TOO_FEW_RATINGS = (
        auto(),
        "{ratings:rating is|ratings are} too few for {coefficients:coefficient|coefficients}",
    )
    MODEL_NO_RESIDUALS = auto(), "the ratings do not vary beyond the fixed effects, so the error cannot be estimated"
    SPREAD_AT_ZERO = auto(), "it lies at its bound, where it has no interval"
    PLAN_WITHOUT_DIFFERENCE = auto(), "no two systems differ in the plan"
    PLAN_WITHOUT_NULL = auto(), "all systems differ in the plan"

    # Labels and strategies
    NOTHING_TO_PREDICT = auto(), "there is nothing to predict"
    CALIBRATION_ERROR_HAS_NO_INTERVAL = auto(), "no interval: resampling would itself change the calibration error"

    # What metrics leave out
    NOTHING_TO_MEASURE = auto(), "there is nothing to measure"
    LEFT_OUT_FOR_ONE_REASON = auto(), "{units:unit|units} left out because {cause}"
    LEFT_OUT_FOR_SEVERAL_REASONS = auto(), "{units:unit|units} left out, {times} of them because {cause}"
    NOT_A_DIALOGUE = auto(), "it applies to whole dialogues, and replies to situations are not dialogues"
    FORMULA_WITHOUT_VALUE = auto(), "the formula has no value here (it would divide by zero)"
    TOO_FEW_NEEDS = auto(), "it requires at least {least} different needs; given: {needs}"
    TOO_FEW_CLUSTERS_FOR_DISTINCT = (
        auto(),
        "{clusters:cluster is|clusters are} too few for an interval of a count of distinct items",
    )
    REPLY_COUNTS_DIFFER = (
        auto(),
        "the systems have different numbers of replies ({a} and {b}), on which counts of distinct items depend",
    )
    LAPS_TOO_LONG = (
        auto(),
        "there is no n-gram, or there are more than 7,012 words, of which LAPS takes random cuts and a single "
        "pass cannot: see distinct@laps_all",
    )
    TOO_FEW_CLUSTERS_WITH_ERROR = auto(), "fewer than two clusters allow no estimate of its error"
    NO_REFERENCE = auto(), "there is no reference reply"
    REFERENCE_BLANK = auto(), "the reference is blank"
    REPLY_EMPTY = auto(), "the reply is empty"
    REPLY_EMPTY_NOT_COUNTED = auto(), "the reply is empty, and empty replies do not count"
    REPLY_TOO_SHORT = auto(), "the reply has fewer words than an n-gram of {n}"
    REPLY_TOO_FEW_TOKENS = auto(), "the reply has too few tokens to score"
    REPLY_TOO_LONG = auto(), "the reply is longer than the {tokens:token|tokens} that the model can read"
    TRAINED_ON = auto(), "the estimator was trained on it, and no weights were fitted without its system"
    EARLIER_REPLIES_UNKNOWN = (
        auto(),
        "the system's earlier utterances are unknown: it answers a situation from another system's dialogue",
    )
    DIALOGUE_EMPTY = auto(), "the dialogue has no utterances"
    SPEAKER_SILENT = auto(), "the {speaker} has no text in it"
    ONE_SPEAKER_ONLY = auto(), "only one of the two parties speaks in it"
    ENDING_NOT_RECORDED = auto(), "the reason why it ended was not recorded"
    SYSTEM_FAILED = auto(), "the system failed in it, and the measure has no worst value to count instead"
    OTHERS_FAILED = auto(), "it failed, but not because of the system ({ending}, caused by: {fault})"
    LATENCY_NOT_MEASURED = auto(), "the system's response times were not measured"
    CALLS_NOT_RECORDED = auto(), "calls of tools were not recorded"
    NO_TOOL_CALLS = auto(), "no tool was called that could count"
    AMOUNT_NOT_RECORDED = auto(), "it was not recorded"
    SLICE_WITHOUT_VERSION = auto(), "no rated dialogue of {system} is in it"
    SLICE_TOO_SMALL = auto(), "a version has fewer than {least} rated dialogues in it"
    VERDICT_WITHHELD = auto(), "a threat to validity withholds the verdict"
    NOT_TWO_VERSIONS = auto(), "no measure compares two versions"
    NO_RATINGS_OF = auto(), "nobody rated its {question}"
    STYLE_REFERENCE_MISSING = auto(), "there is no reference: write ds_kl(reference=jmrs1), or the name of a file"
    STYLE_NO_COMMON_ACT = auto(), "the dialogues and the reference have no user act in common"

    # Acts, items and outcomes
    ACTS_MISSING = auto(), "the {speaker}'s utterances have no dialogue acts"
    ACTS_OF_OTHER_SPACE = auto(), "the {speaker}'s acts ({acts:list}) do not belong to the action space of KDD 2020"
    NOTHING_ACCEPTED = auto(), "the user accepts no item in it"
    ITEMS_ARE_SLOTS = auto(), "it has the placeholder {slot} instead of titles; fill in the titles"
    ITEMS_NOT_LINKED = auto(), "items were not linked in it; run the title linker"
    ITEMS_NOT_LINKED_BY_SYSTEM = auto(), "items were not linked in the system's utterances; run the title linker"
    ITEMS_NOT_LINKED_IN_DIALOGUE = auto(), "items were not linked in its utterances; run the title linker"
    ITEMS_NOT_LINKED_IN_CONTEXT = auto(), "items were not linked in its context; run the title linker"
    NO_ITEM_NAMED = auto(), "the system never names an item"
    NO_NEW_ITEM_NAMED = auto(), "the system never names an item that was not named before"
    NO_TITLE_PRESENTED = auto(), "it presents no title"
    TITLES_NOT_RECOGNISABLE = (
        auto(),
        "titles that the catalogue does not have cannot be recognised in its language, outside of quotation marks and lists",
    )
    FILE_NOT_GIVEN = auto(), "the file that it needs is not given (parameters: {parameters})"
    FEW_ITEMS_NAMED = auto(), "it names fewer than {fewest} items that count"
    NO_LIST_OF_ITEMS = auto(), "there is no list of real items to look titles up in; give one (known)"
    NO_FACT_STATED = auto(), "it states no fact about an item that the catalogue could confirm"
    CATALOGUE_SIZE_UNKNOWN = auto(), "the size of the catalogue is not given: write coverage(size=...)"
    NO_RANKING = auto(), "the system gives no ranking for it"
    NEED_UNKNOWN = auto(), "the user's need is unknown (no need in the dialogue)"
    NEED_NOT_MET = auto(), "the system never names an item that meets the user's need"
    NEED_NOT_REVISED = auto(), "the user gave up none of their wishes"
    NEED_NOT_RESOLVED = auto(), "the items named by the system were not looked up in the catalogue"
    CATALOGUE_UNKNOWN = auto(), "it is unknown how many items the user's catalogue has"
    TARGETS_UNKNOWN = auto(), "the correct items are unknown (no targets)"
    TARGETS_EMPTY = auto(), "no item was correct (targets are empty)"
    TARGETS_ALL_MENTIONED = auto(), "every target was mentioned before"
    OUTCOME_MISSING = auto(), "the corpus records no outcome {level!r}; @satisfied reads the user's rating instead"
    OPINIONS_NOT_ASKED = auto(), "its parties were not asked about the items in it"
    QUESTIONNAIRE_NOT_FILLED_IN = auto(), "the user did not fill in the questionnaire"
    LIKING_NOT_ANSWERED = auto(), "the user did not say whether they liked the suggested items"
    SATISFACTION_NOT_RATED = auto(), "the user gave no rating named 'satisfaction'"
    SATISFACTION_SCALE_UNKNOWN = auto(), "the scale of the rating 'satisfaction' is unknown (low and high)"

    # Alignment with human recommenders
    NO_HUMAN_REFERENCE = auto(), "there is no reference: the human recommender's reply is unknown"
    FIRST_TURN_LEFT_OUT = auto(), "the metric omits the first turn of a conversation"
    LABELS_MISSING = auto(), "the {side} has no strategy labels"
    LABEL_UNKNOWN = (
        auto(),
        "the {side} has the label {label!r}, which is not one of the 13 strategies; map it to one, or use "
        "taxonomy=any for another label set",
    )
    LABEL_MISSPELT = (
        auto(),
        "the {side} has the label {label!r}, which is not one of the 13 strategies (did you mean {near!r}?); "
        "map it to one, or use taxonomy=any for another label set",
    )
    REFERENCE_USES_NO_STRATEGY = auto(), "the reference uses none of the strategies (none=exclude)"
    LABEL_SETS_DIFFER = (
        auto(),
        "the two sides use different label sets, {reference!r} and {reply!r}; map one to the other",
    )
    WEIGHT_MISSING = auto(), "the reference has no weight; run: trialogue align --weights-from DATA"
    WEIGHT_INVALID = auto(), "the weight of the reference is not a positive number: {weight}"
    BELIEF_MISSING = auto(), "one side has no strategy probabilities; run: trialogue strategies label"
    BELIEFS_OF_DIFFERENT_MODELS = auto(), "the two sides were labelled by different models: {a!r} and {b!r}"
    CALIBRATION_MISSING = auto(), "the model {model!r} has no fitted calibration for pairs"
    CALIBRATIONS_DIFFER = (
        auto(),
        "the two sides use different calibrations of the model {model!r}, perhaps of two versions; label both again",
    )
    PAIR_BELIEF_MISSING = auto(), "no pair classifier was run; to run one: trialogue align --pair-model FOLDER"
    JUDGE_UNCALIBRATED = auto(), "nothing calibrates {model}, so the interval ignores how inaccurate it may be"
    CALIBRATION_ERROR_UNKNOWN = (
        auto(),
        "the calibration error of {model} is unknown and not in the interval, which is therefore too narrow",
    )
    CALIBRATION_ERROR_UNBOUNDED = (
        auto(),
        "the calibration error of {model} is unbounded and not in the interval, which is therefore too narrow",
    )
    CORPUS_TOO_FAR = (
        auto(),
        "the texts are from a different corpus than the calibration data of {model} ({unknown:.0%} of their "
        "words are unknown; usually at most {limit:.0%}), and its error there is unknown. Have 50 to 100 "
        "replies labelled",
    )
    ESTIMATE_CONTRADICTED = (
        auto(),
        "on {pairs} replies that {labellers} also labelled, the model's estimate is {estimate:.2f} and that of "
        "{labellers} {share:.2f}. Do not rely on implicit alignment here. Measures that do not depend on the "
        "model: implicit_alignment@ppi, with human labels of some pairs, and explicit alignment, with human "
        "labels of all",
    )
    ESTIMATE_AT_END_OF_SCALE = (
        auto(),
        "the implicit estimate is {value:.0f}, the end of the scale. Usually that means that the texts differ "
        "from those the model was calibrated on; have some labelled (--label-file)",
    )
    BASELINE_UNKNOWN_FOR_METRIC = auto(), "baselines exist only for behavior_alignment and implicit_alignment"
    BASELINE_NEEDS_ALL_PAIRS = (
        auto(),
        "a pair classifier would have to compare every reference with every other one; implicit_alignment@emq "
        "has baselines",
    )
    BASELINE_LABELLED_BY_CHANCE = (
        auto(),
        "a baseline repeats what people said elsewhere, so only few of its pairs happen to be labelled on both "
        "sides; implicit_alignment@emq has baselines",
    )
    BASELINE_HAS_NO_BELIEFS = (
        auto(),
        "no reference has calibrated strategy probabilities; run: trialogue strategies label",
    )
    BASELINE_HAS_NO_REPLY = auto(), "no other dialogue has a reply that it could use"
    NOTHING_SHARED = auto(), "they have no answered situation in common"
    DIFFERENT_LANGUAGES = auto(), "they write in different languages"
    BASELINE_ANSWERS_MORE = auto(), "a baseline answers all {situations:situation|situations}, this system fewer"

    # Differences, orders and distances between systems
    NOT_COMPARED = auto(), "the two are not compared"
    VALUE_MISSING_IN_RUN = auto(), "one of the runs has no value for it"
    SCALES_DIFFER_BETWEEN_RUNS = auto(), "the scales differ: {before} before, {after} after"
    PARTS_MISSING_IN_RUN = (
        auto(),
        "one of the runs does not store what the value is made of; evaluate again with this version",
    )
    COUNTS_OF_OTHER_SITUATIONS = (
        auto(),
        "the two answered different situations, and distinct words are stored for all of them together; "
        "evaluate both in one run",
    )
    INTERVAL_MISSING_IN_RUN = (
        auto(),
        "its value is not a mean over dialogues or replies, and one of the runs has no interval for it",
    )
    MIXTURE_TOO_FEW_CLUSTERS = auto(), "too few clusters, or resamples without a value"
    MIXTURE_FORMULA_WITHOUT_VALUE = auto(), "the formula has no value here"
    TOO_FEW_PAIRS_WITH_BOTH_SIDES = (
        auto(),
        "the metric is defined on both sides of only {pairs:pair|pairs} (needs {needs:list})",
    )
    MIX_EMPTY = auto(), "a mix is empty"
    MIX_EMPTY_WITHOUT_A_CLUSTER = auto(), "a mix is empty without one of the clusters"
    ONE_DIALOGUE_HAS_NO_HALVES = auto(), "a single dialogue cannot be split into halves"
    MEAN_OF_SPLITS = auto(), "mean of {splits:random split|random splits}; no interval"
    SYSTEMS_ALL_EQUAL = auto(), "all systems have the same value"
    SYSTEM_MEANS_NOT_RESAMPLED = (
        auto(),
        "over 5% of the resamples have no value (a system has no units, for example), or all have the same value",
    )
    TOO_FEW_SYSTEMS_TO_ORDER = auto(), "a ranking of {systems:system|systems} is not informative"
    TOO_FEW_SYSTEMS_TO_CONCLUDE = (
        auto(),
        "with {systems:system|systems} even identical rankings occur by chance with p = {p}; at least {least} "
        "are needed to conclude anything",
    )
    COLUMN_WITHOUT_ERROR = auto(), "the error of one of the columns is unknown here: its values are treated as exact"

    # Agreement of measures with people
    MEASURE_CONSTANT = auto(), "the measure never varies"
    PEOPLE_CONSTANT = auto(), "people's ratings never vary"
    MEASURE_AND_PEOPLE_CONSTANT = auto(), "neither the measure nor people's ratings vary"
    TOO_MANY_CLUSTERS_FOR_KENDALL = auto(), "not resampled with more than {most:,} clusters; Spearman's has an interval"
    SIMPSON_WITH_PEOPLE_OVERALL = (
        auto(),
        "Simpson's paradox: it correlates positively with ratings over all units, but negatively within systems",
    )
    SIMPSON_AGAINST_PEOPLE_OVERALL = (
        auto(),
        "Simpson's paradox: it correlates positively with ratings within systems, but negatively over all units",
    )
    SEPARATES_SYSTEMS_ONLY = (
        auto(),
        "it distinguishes systems, but does not significantly identify the better of two dialogues of one system",
    )
    SEPARATES_DIALOGUES_ONLY = (
        auto(),
        "it identifies the better of two dialogues of one system, but does not agree significantly over all systems",
    )
    MEASURE_TOO_FEW_VALUES = auto(), "the measure has too few values"
    ONE_RATING_PER_UNIT = auto(), "every unit has one rating (or an aggregate), so people's agreement is unknown"
    NO_AGREEMENT_ABOVE_CHANCE = auto(), "people agree no better than chance, so no measure can agree with them"
    NO_DECISIVE_VOTE_WITH_VALUES = auto(), "no decisive vote has values on both sides"
    NO_PAIR_CHOSEN_TWICE = auto(), "no two people judged the same pair"

    # Judges that labels correct
    TOO_FEW_LABELS = auto(), "{labels:label is|labels are} too few to correct a judge: at least {least} are needed"
    STRATUM_TOO_FEW_LABELS = auto(), "one of its strata has fewer than two independent labels"
    SYSTEMS_WITHOUT_ESTIMATE = auto(), "there is no estimate of {systems:list}"
    NO_LABELS = auto(), "there are no labels by people"
    JUDGE_TOO_FEW_SCORES = auto(), "the judge scored {scores:unit|units}; at least {least} are needed"
    CARD_TOO_FEW_LABELS = (
        auto(),
        "{labels:labelled dialogue is|labelled dialogues are} too few: at least {least} are needed",
    )
    CARD_TOO_FEW_SYSTEMS = auto(), "{systems:system is|systems are} too few: at least {least} are needed"
    CARD_OTHER_SCALE = (
        auto(),
        "the judge's scores ({low:.2f} to {high:.2f}) are not on the labels' scale ({least:g} to {most:g})",
    )
    CARD_NO_FAMILY = auto(), "no system is declared to be of the judge's family"
    CARD_ONE_SIDED_FAMILY = auto(), "labels are needed for systems inside and outside the judge's family"
    CARD_NO_TEXTS = auto(), "neither the texts nor their lengths are known"
    PROBE_TOO_FEW_CASES = auto(), "{cases:case is|cases are} too few for a probe: at least {least} are needed"

    # Answers of judges
    JUDGE_RAW = auto(), "raw scores of a judge do not show its error; the corrected column does"
    JUDGE_UNREADABLE = auto(), "the judge's answer was not in the requested form"
    JUDGE_OFF_SCALE = auto(), "the judge's answer is not a point of the scale"
    JUDGE_NOT_APPLICABLE = auto(), "the judge said that it cannot be judged from what is shown"
    JUDGE_REFUSED = auto(), "the judge refused to answer"
    JUDGE_CUT = auto(), "the judge's answer was cut off ({finish_reason})"
    JUDGE_NO_PROBABILITIES = auto(), "the endpoint gave no usable probabilities for the answer"
    JUDGE_NOTHING_SHOWN = auto(), "there is no reply to judge"
    JUDGE_NO_REFERENCE = auto(), "the rubric needs a reference that is not recorded"
    JUDGE_PANEL_INCOMPLETE = auto(), "fewer than half of the {judges} judges gave a score"
    DIALOGUE_FAILED = auto(), "the dialogue failed, but not because of the agent ({fault})"

    # Passports of simulated users
    NO_REAL_USERS = auto(), "no dialogues of real users were given"
    TOO_FEW_USERS_FOR_HALVES = auto(), "one side has {users:user|users}; comparing halves takes {least} on each"
    NOTHING_TO_COUNT = auto(), "the {side} dialogues do not record it"
    HALVES_WITHOUT_COUNTS = auto(), "it is recorded in too few dialogues"
    LENGTHS_DO_NOT_OVERLAP = (
        auto(),
        "matching lengths leaves {users:user|users} on one side; at least {least} are needed on each",
    )
    NO_SHARED_SYSTEMS = auto(), "{shared:system|systems} met both real and simulated users; at least two are needed"
    NO_OUTCOME_ON_BOTH_SIDES = auto(), "no outcome is defined for both real and simulated users"
    NO_AGENT_MADE_WORSE = auto(), "the simulated users met no agent together with sabotaged versions of it"
    NOTHING_VARIED = auto(), "there is one version and one seed"
    TOO_FEW_LEVELS = auto(), "{levels} levels are too few for shares of variance; at least {least} are needed"
    SHARE_OF_RESAMPLES = auto(), "a share of resamples has no interval of its own"
    FEW_SYSTEMS_NO_INTERVAL = auto(), "with fewer than {least} systems there is only a p-value"
    NO_DIALOGUE_COULD_SHOW_IT = auto(), "no dialogue records what would show it"
    USERS_ASK_NO_MODEL = auto(), "these users ask no language model"
    USAGE_NOT_RECORDED = auto(), "the requests to the users' model were not recorded"
    ALL_SIMULATED_FAILED = auto(), "all {dialogues} simulated dialogues failed before the user could speak"

    ORDER_DEPENDS_ON_SIZE = (
        auto(),
        "at equal amounts of text the order is the opposite of that of the values shown, so neither is called better",
    )

    # Analyses of studies
    NOTHING_RATED_TWICE = auto(), "nothing was rated by two people"
    NOTHING_JUDGED_TWICE = auto(), "nothing was judged by two people"
    NO_SHARED_ITEMS = auto(), "no two raters share {items:item|items}"
    RATERS_USED_ONE_LABEL = auto(), "raters always gave the same label"
    MEAN_OF_RATER_PAIRS = auto(), "the mean over {pairs:pair|pairs} of raters has no interval"
    NO_JUDGEMENTS_LEFT = auto(), "no judgements are left to analyse"
    SIDE_NOT_RECORDED = auto(), "which side was shown first was not recorded"
    NOT_TWO_CODERS = auto(), "kappa needs two coders, but there are {coders}"
    NO_SHARED_EXPLANATION = auto(), "the two coders share no explanation"
    NO_RATINGS_LEFT = auto(), "no ratings are left to analyse"
    ONE_SYSTEM = auto(), "there is only one system, {system}: nothing to compare"
    SYSTEM_WITHOUT_RATINGS_LEFT = auto(), "not every system has ratings left"
    POSITION_NOT_RECORDED = auto(), "it was not recorded for every rating"
    ONE_POSITION = auto(), "everything was shown in the same position"
    TOO_MANY_POSITIONS = auto(), "there are {positions} different positions"
    RATER_NOT_KNOWN = auto(), "the raters are unknown"
    ONE_PERSON_RATED = auto(), "one person rated everything"
    ONE_RATING_EACH = auto(), "each person gave only one rating"
    TOO_FEW_RATERS = auto(), "{raters:rater is|raters are} too few to estimate how much people differ"
    RATERS_NESTED_IN_SYSTEMS = (
        auto(),
        "nobody rated both systems, so that raters who are more severe cannot be told from a worse system: let "
        "each rater rate both",
    )
    FEW_RATERS_OF_BOTH = (
        auto(),
        "only {raters:person|people} rated both systems, which says nothing of other people: at least three who "
        "rate everything, or six, are needed",
    )
    FEW_RATERS_PARTLY_CROSSED = (
        auto(),
        "with fewer than six raters of both systems, or six dialogues of each, everybody has to rate everything",
    )
    TOO_FEW_ITEMS = auto(), "there are only {items:item|items}"
    ONE_RATING_PER_ITEM = auto(), "most items have one rating"
    LEVEL_MET_ONE_SYSTEM = auto(), "each {factor} met only one system"
    ONE_RATING_PER_CELL = auto(), "most such pairs have one rating"
    NOTHING_JUDGED_TWICE_YET = auto(), "nothing was judged by two people yet"
    NOTHING_CODED_TWICE_YET = auto(), "nothing was coded by both coders yet"
    QUESTION_SKIPPED = auto(), "skipped"
    MODEL_CHOSE_NONE = auto(), "the language model chose none of the options"
    MODEL_DID_NOT_ANSWER = auto(), "the language model did not answer ({kind})"
    NOTHING_RATED_BY_BOTH = auto(), "people and the language model rated nothing in common"

    # Files of runs and benchmarks
    LABEL_NOT_IN_FILE = auto(), "the file has no label for it"
    PREDICTION_NOT_IN_RUN = auto(), "the run has no prediction for it"

    # Boards of runs
    BOARD_MEASURE_DIFFERS = auto(), "another measure: {own} instead of {others}"
    BOARD_UNIT_DIFFERS = auto(), "another unit or direction: {own} instead of {others}"
    BOARD_LABELS_DIFFER = auto(), "labels by {own:list} instead of {others:list}"
    BOARD_CALIBRATION_DIFFERS = auto(), "only one of the two rests on a calibration fitted on other data"
    BOARD_COUNTS_FAILURES = auto(), "its failed dialogues count as the worst value; those of the others are left out"
    BOARD_LEAVES_FAILURES_OUT = (
        auto(),
        "its failed dialogues are left out; those of the others count as the worst value",
    )
    BOARD_SCALE_DIFFERS = auto(), "another scale: {own} instead of {others}"
    BOARD_RATERS_DIFFER = auto(), "rated by {own:list} instead of {others:list}"
    BOARD_EXCLUSIONS_DIFFER = auto(), "its protocol excludes different dialogues"
    BOARD_BLOCKS_DIFFER = auto(), "its protocol blocks verdicts for different threats"
    BOARD_USERS_DIFFER = auto(), "other simulated users: {own} instead of {others}"
    BOARD_USER_MODELS_DIFFER = auto(), "its users were played by {own:list} instead of {others:list}"
    BOARD_POPULATION_UNKNOWN = (
        auto(),
        "its run does not record which needs or situations it met; evaluate again with this version",
    )
    BOARD_KIND_DIFFERS = auto(), "another kind of data: {own:list} instead of {others:list}"
    BOARD_RUN_COUNTS_DIFFER = (
        auto(),
        "{own:run|runs} instead of {others}: run every version with the same seeds and prompts",
    )
    BOARD_SAMPLE_DIFFERS = (
        auto(),
        "it did not meet the same needs or situations (it met {own:,}, the others {others:,}, not all of them "
        "the same)",
    )
    BOARD_ALONE = auto(), "no other row is comparable with it"
    BOARD_BLOCKED = auto(), "a threat blocks every verdict about it"
    BOARD_UNDEFINED = auto(), "it has no value: {cause}"
    BOARD_UNTESTED = auto(), "no difference from the others could be tested"
    BOARD_REPORTED = (
        auto(),
        "it was reported without its dialogues, so nothing can be recomputed; give the run folder to rank it",
    )
    BOARD_REPORTED_UNSIGNED = (
        auto(),
        "it was reported without a signature, so what was measured on which data is unknown",
    )
    BOARD_REPORTED_DIFFERS = (
        auto(),
        "its signature matches none of those ranked here, and it was reported without its dialogues",
    )
    BOARD_POOLED_DIFFERENTLY = auto(), "its runs did not measure the same thing"
    BOARD_POOLED_UNDEFINED = auto(), "{runs} of its {of} runs have no value: {cause}"
    BOARD_NOT_IN_EVERY_RUN = auto(), "{runs} of its {of} runs did not measure it"
    BOARD_SAME_DIALOGUES = auto(), "it holds the same dialogues as {run}, which counts once"
    BOARD_SAME_RUN = auto(), "it is the same run as {run}, which counts once"
    BOARD_NOT_MEASURED = auto(), "it was not measured"
    BOARD_NO_BASELINE = auto(), "it has no version {baseline} to compare it with"
    BOARD_NOT_REPORTED = auto(), "it was not reported"
    BOARD_NO_INTERVAL_REPORTED = auto(), "no interval was reported"
    TOO_MANY_ROWS_TO_EXPLORE = (
        auto(),
        "there are {rows:,} dialogues and replies; above {most:,}, it is written only on request",
    )
