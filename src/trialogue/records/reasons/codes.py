"""Reasons why a value, an interval or a comparison is missing or limited: each code with its text.

Codes are written to files: never rename one, and add new ones at the end of their group. No other module words them.

A text is a template, filled with the reason's facts by ``str.format`` with two more format specs:
``{n:reply|replies}`` gives a number with its noun (``1 reply``, ``1,200 replies``), ``{names:list}`` the parts of a list
with commas. ``{cause}`` is the text of the reason behind it. Texts are parts of sentences: no capital at the start, no full
stop at the end.
"""

from collections.abc import Mapping
from enum import StrEnum
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
    OTHER = "other", "{text}"

    # Resampling and intervals
    NO_DATA = "no_data", "there are no data"
    NO_DATA_OF_SIDE = "no_data_of_side", "there are no data for {side}"
    STATISTIC_UNDEFINED = "statistic_undefined", "the statistic is undefined on these data"
    STATISTIC_UNDEFINED_FOR_SIDE = "statistic_undefined_for_side", "the statistic is undefined for {side}"
    ONE_CLUSTER = "one_cluster", "one cluster says nothing about the spread between clusters"
    ONE_VALUE = "one_value", "one value says nothing about the spread of others"
    NO_RNG = "no_rng", "no interval was requested (no rng)"
    RESAMPLES_UNDEFINED = "resamples_undefined", "the statistic is undefined in {share:.0%} of the resamples"
    RESAMPLES_ALL_EQUAL = (
        "resamples_all_equal",
        "all resamples give the same value, so its error cannot be estimated",
    )
    UNDEFINED_WITHOUT_A_CLUSTER = (
        "undefined_without_a_cluster",
        "the statistic is undefined without one of the clusters",
    )
    CLUSTERS_ALL_EQUAL = (
        "clusters_all_equal",
        "the value is the same whichever cluster is left out, so its error cannot be estimated",
    )
    DIFFERENCES_ALL_EQUAL = (
        "differences_all_equal",
        "the two sides differ by the same amount in every cluster, so the error cannot be estimated",
    )
    NO_STANDARD_ERROR = "no_standard_error", "the standard error could not be computed"
    CLUSTERS_SKEWED = (
        "clusters_skewed",
        "a few extreme dialogues or people dominate the mean, so the interval may be too narrow",
    )
    TOO_FEW_CLUSTERS_TO_TEST = (
        "too_few_clusters_to_test",
        "with so few dialogues or people no difference could be significant: at least {pairs} shared by both "
        "systems, or {group} of each system, are needed",
    )
    TOO_FEW_FOR_JACKKNIFE = (
        "too_few_for_jackknife",
        "an interval needs at least {needed} independent items, dialogues or people, got {clusters}",
    )
    TOO_FEW_TRIALS = (
        "too_few_trials",
        "{tasks:task has|tasks have} fewer than {k} trials, so how often {k} of them all succeed is unknown",
    )
    ACCEPTANCE_NOT_RECORDED = (
        "acceptance_not_recorded",
        "in {trials:trial|trials} nobody recorded whether the user accepted the recommendation",
    )
    INTERVAL_UNBOUNDED = "interval_unbounded", "with so few dialogues or people the interval is unbounded"

    # Agreement between raters
    NO_ITEM_RATED_TWICE = "no_item_rated_twice", "no item has two ratings"
    NO_ITEM_LABELLED_TWICE = "no_item_labelled_twice", "no item has two labels"
    TOO_FEW_ITEMS_OR_RATERS = (
        "too_few_items_or_raters",
        "at least two items and two raters are needed, got {items} and {raters}",
    )
    RATINGS_ALL_EQUAL = "ratings_all_equal", "all ratings have the same value, so no disagreement is expected by chance"
    LABELS_ALL_EQUAL = "labels_all_equal", "all labels are the same, so agreement by chance is already perfect"
    RATERS_GAVE_ONE_LABEL = (
        "raters_gave_one_label",
        "both raters always gave the same label, so agreement by chance is already perfect",
    )
    ONE_LABEL = "one_label", "only one label occurs, so chance agreement cannot be estimated"
    RATINGS_VARY_TOO_LITTLE = "ratings_vary_too_little", "the ratings do not vary as this coefficient requires"
    RATERS_AGREE_PERFECTLY = "raters_agree_perfectly", "raters agree perfectly, so the error cannot be estimated"
    ZERO_STANDARD_ERROR = (
        "zero_standard_error",
        "the standard error is zero: without disagreement, the error cannot be estimated",
    )
    NO_RATER_RATED_TWICE = (
        "no_rater_rated_twice",
        "no rater rated two items, so rater effects cannot be separated from noise",
    )
    COMPONENT_AT_ZERO = "component_at_zero", "the variance component lies at its bound (zero), where it has no interval"

    # Correlation, AUC, paired association
    X_CONSTANT = "x_constant", "x never varies"
    Y_CONSTANT = "y_constant", "y never varies"
    X_AND_Y_CONSTANT = "x_and_y_constant", "x and y never vary"
    TOO_FEW_PAIRS = "too_few_pairs", "a correlation needs at least two pairs, got {n}"
    TOO_FEW_PAIRS_FOR_INTERVAL = "too_few_pairs_for_interval", "an interval needs at least {least} pairs, got {n}"
    PERFECT_CORRELATION = "perfect_correlation", "the correlation is perfect, so the error cannot be estimated"
    NO_TRUE_AND_FALSE_PAIR = "no_true_and_false_pair", "there is no pair of a positive and a negative unit"
    NO_TRUE_AND_FALSE_PAIR_IN_GROUP = (
        "no_true_and_false_pair_in_group",
        "there is no pair of a positive and a negative unit in any group",
    )
    TOO_FEW_FOR_DELONG = "too_few_for_delong", "DeLong's interval needs at least two positive and two negative units"
    PERFECT_SEPARATION = (
        "perfect_separation",
        "the scores separate the labels perfectly, so the error cannot be estimated",
    )
    NO_UNITS_WITH_BOTH_SCORES = "no_units_with_both_scores", "no unit has both scores and the target"
    ONE_ASSOCIATION_UNDEFINED = (
        "one_association_undefined",
        "one of the two is undefined: a score or the target never varies, or there is no pair of a positive and "
        "a negative unit",
    )

    # Choices, votes, orders
    ALL_TIES = "all_ties", "every judgement is a tie"
    NO_DECISIVE_JUDGEMENT = "no_decisive_judgement", "every judgement is a tie, or there are none"
    WINS_BALANCE_LOSSES = "wins_balance_losses", "wins and losses balance in every cluster"
    NO_BATTLES = "no_battles", "there are no pairwise votes"
    ONE_RATER = "one_rater", "one rater says nothing about others"
    TIES_ONLY = (
        "ties_only",
        "the outcome is trivial (only ties, for example), so the probability of a tie is unbounded; read the "
        "win rates, in which a tie is half a win",
    )
    STRENGTHS_UNBOUNDED = (
        "strengths_unbounded",
        "{names:list} never lost to or tied with any of the others (or never met them), so the strengths are "
        "unbounded; read the win rates, or collect more votes",
    )
    STRENGTHS_UNBOUNDED_IN_RESAMPLES = (
        "strengths_unbounded_in_resamples",
        "in {share:.0%} of the resamples the strengths are unbounded (a contestant never lost or never won, or "
        "all votes were ties); read the win rates, or collect more votes",
    )
    NO_ORDER = "no_order", "a ranking needs at least two systems with values"
    SYSTEMS_WITHOUT_VALUE = (
        "systems_without_value",
        "a ranking needs at least two systems with values; missing: number {places:list}",
    )
    RESAMPLES_LOSE_A_SYSTEM = "resamples_lose_a_system", "a system has no value in {share:.0%} of the resamples"
    DUPLICATE_VOTES = (
        "duplicate_votes",
        "{votes:duplicate vote in the corpus was|duplicate votes in the corpus were} left out",
    )

    # Models of ratings
    MODEL_CONFOUNDED = (
        "model_confounded",
        "the effect of {effect} cannot be separated from those of the others: they vary together in these data",
    )
    MODEL_LIKELIHOOD_UNDEFINED = "model_likelihood_undefined", "the likelihood could not be computed near its maximum"
    MODEL_EFFECT_UNBOUNDED = (
        "model_effect_unbounded",
        "an effect is unbounded: some level has only the lowest or only the highest ratings",
    )
    MODEL_NOT_CONVERGED = "model_not_converged", "the optimiser did not reach a maximum (largest slope {slope:.2g})"
    MODEL_LIKELIHOOD_FLAT = "model_likelihood_flat", "the likelihood is flat in some direction"
    MODEL_NO_MAXIMUM = "model_no_maximum", "the point found is not a maximum of the likelihood"
    MODEL_TOO_FEW_RATINGS = (
        "model_too_few_ratings",
        "{ratings:rating is|ratings are} too few for {coefficients:coefficient|coefficients}",
    )
    MODEL_NO_RESIDUALS = (
        "model_no_residuals",
        "the ratings do not vary beyond the fixed effects, so the error cannot be estimated",
    )
    SPREAD_AT_ZERO = "spread_at_zero", "it lies at its bound, where it has no interval"
    PLAN_WITHOUT_DIFFERENCE = "plan_without_difference", "no two systems differ in the plan"
    PLAN_WITHOUT_NULL = "plan_without_null", "all systems differ in the plan"

    # Labels and strategies
    NOTHING_TO_PREDICT = "nothing_to_predict", "there is nothing to predict"
    CALIBRATION_ERROR_HAS_NO_INTERVAL = (
        "calibration_error_has_no_interval",
        "no interval: resampling would itself change the calibration error",
    )

    # What metrics leave out
    NOTHING_TO_MEASURE = "nothing_to_measure", "there is nothing to measure"
    LEFT_OUT_FOR_ONE_REASON = "left_out_for_one_reason", "{units:unit|units} left out because {cause}"
    LEFT_OUT_FOR_SEVERAL_REASONS = (
        "left_out_for_several_reasons",
        "{units:unit|units} left out, {times} of them because {cause}",
    )
    NOT_A_DIALOGUE = "not_a_dialogue", "it applies to whole dialogues, and replies to situations are not dialogues"
    FORMULA_WITHOUT_VALUE = "formula_without_value", "the formula has no value here (it would divide by zero)"
    TOO_FEW_NEEDS = "too_few_needs", "it requires at least {least} different needs; given: {needs}"
    TOO_FEW_CLUSTERS_FOR_DISTINCT = (
        "too_few_clusters_for_distinct",
        "{clusters:cluster is|clusters are} too few for an interval of a count of distinct items",
    )
    REPLY_COUNTS_DIFFER = (
        "reply_counts_differ",
        "the systems have different numbers of replies ({a} and {b}), on which counts of distinct items depend",
    )
    LAPS_TOO_LONG = (
        "laps_too_long",
        "there is no n-gram, or there are more than 7,012 words, of which LAPS takes random cuts and a single "
        "pass cannot: see distinct@laps_all",
    )
    TOO_FEW_CLUSTERS_WITH_ERROR = (
        "too_few_clusters_with_error",
        "fewer than two clusters allow no estimate of its error",
    )
    NO_REFERENCE = "no_reference", "there is no reference reply"
    REFERENCE_BLANK = "reference_blank", "the reference is blank"
    REPLY_EMPTY = "reply_empty", "the reply is empty"
    REPLY_EMPTY_NOT_COUNTED = "reply_empty_not_counted", "the reply is empty, and empty replies do not count"
    REPLY_TOO_SHORT = "reply_too_short", "the reply has fewer words than an n-gram of {n}"
    REPLY_TOO_FEW_TOKENS = "reply_too_few_tokens", "the reply has too few tokens to score"
    REPLY_TOO_LONG = "reply_too_long", "the reply is longer than the {tokens:token|tokens} that the model can read"
    TRAINED_ON = "trained_on", "the estimator was trained on it, and no weights were fitted without its system"
    EARLIER_REPLIES_UNKNOWN = (
        "earlier_replies_unknown",
        "the system's earlier utterances are unknown: it answers a situation from another system's dialogue",
    )
    DIALOGUE_EMPTY = "dialogue_empty", "the dialogue has no utterances"
    SPEAKER_SILENT = "speaker_silent", "the {speaker} has no text in it"
    ONE_SPEAKER_ONLY = "one_speaker_only", "only one of the two parties speaks in it"
    ENDING_NOT_RECORDED = "ending_not_recorded", "the reason why it ended was not recorded"
    SYSTEM_FAILED = "system_failed", "the system failed in it, and the measure has no worst value to count instead"
    OTHERS_FAILED = "others_failed", "it failed, but not because of the system ({ending}, caused by: {fault})"
    LATENCY_NOT_MEASURED = "latency_not_measured", "the system's response times were not measured"
    CALLS_NOT_RECORDED = "calls_not_recorded", "calls of tools were not recorded"
    NO_TOOL_CALLS = "no_tool_calls", "no tool was called that could count"
    AMOUNT_NOT_RECORDED = "amount_not_recorded", "it was not recorded"
    SLICE_WITHOUT_VERSION = "slice_without_version", "no rated dialogue of {system} is in it"
    SLICE_TOO_SMALL = "slice_too_small", "a version has fewer than {least} rated dialogues in it"
    VERDICT_WITHHELD = "verdict_withheld", "a threat to validity withholds the verdict"
    NOT_TWO_VERSIONS = "not_two_versions", "no measure compares two versions"
    NO_RATINGS_OF = "no_ratings_of", "nobody rated its {question}"
    STYLE_REFERENCE_MISSING = (
        "style_reference_missing",
        "there is no reference: write ds_kl(reference=jmrs1), or the name of a file",
    )
    STYLE_NO_COMMON_ACT = "style_no_common_act", "the dialogues and the reference have no user act in common"

    # Acts, items and outcomes
    ACTS_MISSING = "acts_missing", "the {speaker}'s utterances have no dialogue acts"
    ACTS_OF_OTHER_SPACE = (
        "acts_of_other_space",
        "the {speaker}'s acts ({acts:list}) do not belong to the action space of KDD 2020",
    )
    NOTHING_ACCEPTED = "nothing_accepted", "the user accepts no item in it"
    ITEMS_ARE_SLOTS = (
        "items_are_slots",
        "it has the placeholder {slot} instead of titles; fill in the titles",
    )
    ITEMS_NOT_LINKED = "items_not_linked", "items were not linked in it; run the title linker"
    ITEMS_NOT_LINKED_BY_SYSTEM = (
        "items_not_linked_by_system",
        "items were not linked in the system's utterances; run the title linker",
    )
    ITEMS_NOT_LINKED_IN_DIALOGUE = (
        "items_not_linked_in_dialogue",
        "items were not linked in its utterances; run the title linker",
    )
    ITEMS_NOT_LINKED_IN_CONTEXT = (
        "items_not_linked_in_context",
        "items were not linked in its context; run the title linker",
    )
    NO_ITEM_NAMED = "no_item_named", "the system never names an item"
    NO_NEW_ITEM_NAMED = "no_new_item_named", "the system never names an item that was not named before"
    NO_TITLE_PRESENTED = "no_title_presented", "it presents no title"
    TITLES_NOT_RECOGNISABLE = (
        "titles_not_recognisable",
        "titles that the catalogue does not have cannot be recognised in its language, outside of quotation marks and lists",
    )
    FILE_NOT_GIVEN = "file_not_given", "the file that it needs is not given (parameters: {parameters})"
    FEW_ITEMS_NAMED = "few_items_named", "it names fewer than {fewest} items that count"
    NO_LIST_OF_ITEMS = "no_list_of_items", "there is no list of real items to look titles up in; give one (known)"
    NO_FACT_STATED = "no_fact_stated", "it states no fact about an item that the catalogue could confirm"
    CATALOGUE_SIZE_UNKNOWN = (
        "catalogue_size_unknown",
        "the size of the catalogue is not given: write coverage(size=...)",
    )
    NO_RANKING = "no_ranking", "the system gives no ranking for it"
    NEED_UNKNOWN = "need_unknown", "the user's need is unknown (no need in the dialogue)"
    NEED_NOT_MET = "need_not_met", "the system never names an item that meets the user's need"
    NEED_NOT_REVISED = "need_not_revised", "the user gave up none of their wishes"
    NEED_NOT_RESOLVED = "need_not_resolved", "the items named by the system were not looked up in the catalogue"
    CATALOGUE_UNKNOWN = "catalogue_unknown", "it is unknown how many items the user's catalogue has"
    TARGETS_UNKNOWN = "targets_unknown", "the correct items are unknown (no targets)"
    TARGETS_EMPTY = "targets_empty", "no item was correct (targets are empty)"
    TARGETS_ALL_MENTIONED = "targets_all_mentioned", "every target was mentioned before"
    OUTCOME_MISSING = (
        "outcome_missing",
        "the corpus records no outcome {level!r}; @satisfied reads the user's rating instead",
    )
    OPINIONS_NOT_ASKED = "opinions_not_asked", "its parties were not asked about the items in it"
    QUESTIONNAIRE_NOT_FILLED_IN = "questionnaire_not_filled_in", "the user did not fill in the questionnaire"
    LIKING_NOT_ANSWERED = "liking_not_answered", "the user did not say whether they liked the suggested items"
    SATISFACTION_NOT_RATED = "satisfaction_not_rated", "the user gave no rating named 'satisfaction'"
    SATISFACTION_SCALE_UNKNOWN = (
        "satisfaction_scale_unknown",
        "the scale of the rating 'satisfaction' is unknown (low and high)",
    )

    # Alignment with human recommenders
    NO_HUMAN_REFERENCE = "no_human_reference", "there is no reference: the human recommender's reply is unknown"
    FIRST_TURN_LEFT_OUT = "first_turn_left_out", "the metric omits the first turn of a conversation"
    LABELS_MISSING = "labels_missing", "the {side} has no strategy labels"
    LABEL_UNKNOWN = (
        "label_unknown",
        "the {side} has the label {label!r}, which is not one of the 13 strategies; map it to one, or use "
        "taxonomy=any for another label set",
    )
    LABEL_MISSPELT = (
        "label_misspelt",
        "the {side} has the label {label!r}, which is not one of the 13 strategies (did you mean {near!r}?); "
        "map it to one, or use taxonomy=any for another label set",
    )
    REFERENCE_USES_NO_STRATEGY = (
        "reference_uses_no_strategy",
        "the reference uses none of the strategies (none=exclude)",
    )
    LABEL_SETS_DIFFER = (
        "label_sets_differ",
        "the two sides use different label sets, {reference!r} and {reply!r}; map one to the other",
    )
    WEIGHT_MISSING = "weight_missing", "the reference has no weight; run: trialogue align --weights-from DATA"
    WEIGHT_INVALID = "weight_invalid", "the weight of the reference is not a positive number: {weight}"
    BELIEF_MISSING = "belief_missing", "one side has no strategy probabilities; run: trialogue strategies label"
    BELIEFS_OF_DIFFERENT_MODELS = (
        "beliefs_of_different_models",
        "the two sides were labelled by different models: {a!r} and {b!r}",
    )
    CALIBRATION_MISSING = "calibration_missing", "the model {model!r} has no fitted calibration for pairs"
    CALIBRATIONS_DIFFER = (
        "calibrations_differ",
        "the two sides use different calibrations of the model {model!r}, perhaps of two versions; label both again",
    )
    PAIR_BELIEF_MISSING = (
        "pair_belief_missing",
        "no pair classifier was run; to run one: trialogue align --pair-model FOLDER",
    )
    JUDGE_UNCALIBRATED = (
        "judge_uncalibrated",
        "nothing calibrates {model}, so the interval ignores how inaccurate it may be",
    )
    CALIBRATION_ERROR_UNKNOWN = (
        "calibration_error_unknown",
        "the calibration error of {model} is unknown and not in the interval, which is therefore too narrow",
    )
    CALIBRATION_ERROR_UNBOUNDED = (
        "calibration_error_unbounded",
        "the calibration error of {model} is unbounded and not in the interval, which is therefore too narrow",
    )
    CORPUS_TOO_FAR = (
        "corpus_too_far",
        "the texts are from a different corpus than the calibration data of {model} ({unknown:.0%} of their "
        "words are unknown; usually at most {limit:.0%}), and its error there is unknown. Have 50 to 100 "
        "replies labelled",
    )
    ESTIMATE_CONTRADICTED = (
        "estimate_contradicted",
        "on {pairs} replies that {labellers} also labelled, the model's estimate is {estimate:.2f} and that of "
        "{labellers} {share:.2f}. Do not rely on implicit alignment here. Measures that do not depend on the "
        "model: implicit_alignment@ppi, with human labels of some pairs, and explicit alignment, with human "
        "labels of all",
    )
    ESTIMATE_AT_END_OF_SCALE = (
        "estimate_at_end_of_scale",
        "the implicit estimate is {value:.0f}, the end of the scale. Usually that means that the texts differ "
        "from those the model was calibrated on; have some labelled (--label-file)",
    )
    BASELINE_UNKNOWN_FOR_METRIC = (
        "baseline_unknown_for_metric",
        "baselines exist only for behavior_alignment and implicit_alignment",
    )
    BASELINE_NEEDS_ALL_PAIRS = (
        "baseline_needs_all_pairs",
        "a pair classifier would have to compare every reference with every other one; implicit_alignment@emq "
        "has baselines",
    )
    BASELINE_LABELLED_BY_CHANCE = (
        "baseline_labelled_by_chance",
        "a baseline repeats what people said elsewhere, so only few of its pairs happen to be labelled on both "
        "sides; implicit_alignment@emq has baselines",
    )
    BASELINE_HAS_NO_BELIEFS = (
        "baseline_has_no_beliefs",
        "no reference has calibrated strategy probabilities; run: trialogue strategies label",
    )
    BASELINE_HAS_NO_REPLY = "baseline_has_no_reply", "no other dialogue has a reply that it could use"
    NOTHING_SHARED = "nothing_shared", "they have no answered situation in common"
    DIFFERENT_LANGUAGES = "different_languages", "they write in different languages"
    BASELINE_ANSWERS_MORE = (
        "baseline_answers_more",
        "a baseline answers all {situations:situation|situations}, this system fewer",
    )

    # Differences, orders and distances between systems
    NOT_COMPARED = "not_compared", "the two are not compared"
    VALUE_MISSING_IN_RUN = "value_missing_in_run", "one of the runs has no value for it"
    SCALES_DIFFER_BETWEEN_RUNS = "scales_differ_between_runs", "the scales differ: {before} before, {after} after"
    PARTS_MISSING_IN_RUN = (
        "parts_missing_in_run",
        "one of the runs does not store what the value is made of; evaluate again with this version",
    )
    COUNTS_OF_OTHER_SITUATIONS = (
        "counts_of_other_situations",
        "the two answered different situations, and distinct words are stored for all of them together; "
        "evaluate both in one run",
    )
    INTERVAL_MISSING_IN_RUN = (
        "interval_missing_in_run",
        "its value is not a mean over dialogues or replies, and one of the runs has no interval for it",
    )
    MIXTURE_TOO_FEW_CLUSTERS = "mixture_too_few_clusters", "too few clusters, or resamples without a value"
    MIXTURE_FORMULA_WITHOUT_VALUE = "mixture_formula_without_value", "the formula has no value here"
    TOO_FEW_PAIRS_WITH_BOTH_SIDES = (
        "too_few_pairs_with_both_sides",
        "the metric is defined on both sides of only {pairs:pair|pairs} (needs {needs:list})",
    )
    MIX_EMPTY = "mix_empty", "a mix is empty"
    MIX_EMPTY_WITHOUT_A_CLUSTER = "mix_empty_without_a_cluster", "a mix is empty without one of the clusters"
    ONE_DIALOGUE_HAS_NO_HALVES = "one_dialogue_has_no_halves", "a single dialogue cannot be split into halves"
    MEAN_OF_SPLITS = "mean_of_splits", "mean of {splits:random split|random splits}; no interval"
    SYSTEMS_ALL_EQUAL = "systems_all_equal", "all systems have the same value"
    SYSTEM_MEANS_NOT_RESAMPLED = (
        "system_means_not_resampled",
        "over 5% of the resamples have no value (a system has no units, for example), or all have the same value",
    )
    TOO_FEW_SYSTEMS_TO_ORDER = "too_few_systems_to_order", "a ranking of {systems:system|systems} is not informative"
    TOO_FEW_SYSTEMS_TO_CONCLUDE = (
        "too_few_systems_to_conclude",
        "with {systems:system|systems} even identical rankings occur by chance with p = {p}; at least {least} "
        "are needed to conclude anything",
    )
    COLUMN_WITHOUT_ERROR = (
        "column_without_error",
        "the error of one of the columns is unknown here: its values are treated as exact",
    )

    # Agreement of measures with people
    MEASURE_CONSTANT = "measure_constant", "the measure never varies"
    PEOPLE_CONSTANT = "people_constant", "people's ratings never vary"
    MEASURE_AND_PEOPLE_CONSTANT = "measure_and_people_constant", "neither the measure nor people's ratings vary"
    TOO_MANY_CLUSTERS_FOR_KENDALL = (
        "too_many_clusters_for_kendall",
        "not resampled with more than {most:,} clusters; Spearman's has an interval",
    )
    SIMPSON_WITH_PEOPLE_OVERALL = (
        "simpson_with_people_overall",
        "Simpson's paradox: it correlates positively with ratings over all units, but negatively within systems",
    )
    SIMPSON_AGAINST_PEOPLE_OVERALL = (
        "simpson_against_people_overall",
        "Simpson's paradox: it correlates positively with ratings within systems, but negatively over all units",
    )
    SEPARATES_SYSTEMS_ONLY = (
        "separates_systems_only",
        "it distinguishes systems, but does not significantly identify the better of two dialogues of one system",
    )
    SEPARATES_DIALOGUES_ONLY = (
        "separates_dialogues_only",
        "it identifies the better of two dialogues of one system, but does not agree significantly over all systems",
    )
    MEASURE_TOO_FEW_VALUES = "measure_too_few_values", "the measure has too few values"
    ONE_RATING_PER_UNIT = (
        "one_rating_per_unit",
        "every unit has one rating (or an aggregate), so people's agreement is unknown",
    )
    NO_AGREEMENT_ABOVE_CHANCE = (
        "no_agreement_above_chance",
        "people agree no better than chance, so no measure can agree with them",
    )
    NO_DECISIVE_VOTE_WITH_VALUES = "no_decisive_vote_with_values", "no decisive vote has values on both sides"
    NO_PAIR_CHOSEN_TWICE = "no_pair_chosen_twice", "no two people judged the same pair"

    # Judges that labels correct
    TOO_FEW_LABELS = (
        "too_few_labels",
        "{labels:label is|labels are} too few to correct a judge: at least {least} are needed",
    )
    STRATUM_TOO_FEW_LABELS = "stratum_too_few_labels", "one of its strata has fewer than two independent labels"
    SYSTEMS_WITHOUT_ESTIMATE = "systems_without_estimate", "there is no estimate of {systems:list}"
    NO_LABELS = "no_labels", "there are no labels by people"
    JUDGE_TOO_FEW_SCORES = "judge_too_few_scores", "the judge scored {scores:unit|units}; at least {least} are needed"
    CARD_TOO_FEW_LABELS = (
        "card_too_few_labels",
        "{labels:labelled dialogue is|labelled dialogues are} too few: at least {least} are needed",
    )
    CARD_TOO_FEW_SYSTEMS = (
        "card_too_few_systems",
        "{systems:system is|systems are} too few: at least {least} are needed",
    )
    CARD_OTHER_SCALE = (
        "card_other_scale",
        "the judge's scores ({low:.2f} to {high:.2f}) are not on the labels' scale ({least:g} to {most:g})",
    )
    CARD_NO_FAMILY = "card_no_family", "no system is declared to be of the judge's family"
    CARD_ONE_SIDED_FAMILY = (
        "card_one_sided_family",
        "labels are needed for systems inside and outside the judge's family",
    )
    CARD_NO_TEXTS = "card_no_texts", "neither the texts nor their lengths are known"
    PROBE_TOO_FEW_CASES = (
        "probe_too_few_cases",
        "{cases:case is|cases are} too few for a probe: at least {least} are needed",
    )

    # Answers of judges
    JUDGE_RAW = "judge_raw", "raw scores of a judge do not show its error; the corrected column does"
    JUDGE_UNREADABLE = "judge_unreadable", "the judge's answer was not in the requested form"
    JUDGE_OFF_SCALE = "judge_off_scale", "the judge's answer is not a point of the scale"
    JUDGE_NOT_APPLICABLE = "judge_not_applicable", "the judge said that it cannot be judged from what is shown"
    JUDGE_REFUSED = "judge_refused", "the judge refused to answer"
    JUDGE_CUT = "judge_cut", "the judge's answer was cut off ({finish_reason})"
    JUDGE_NO_PROBABILITIES = "judge_no_probabilities", "the endpoint gave no usable probabilities for the answer"
    JUDGE_NOTHING_SHOWN = "judge_nothing_shown", "there is no reply to judge"
    JUDGE_NO_REFERENCE = "judge_no_reference", "the rubric needs a reference that is not recorded"
    JUDGE_PANEL_INCOMPLETE = "judge_panel_incomplete", "fewer than half of the {judges} judges gave a score"
    DIALOGUE_FAILED = "dialogue_failed", "the dialogue failed, but not because of the agent ({fault})"

    # Passports of simulated users
    NO_REAL_USERS = "no_real_users", "no dialogues of real users were given"
    TOO_FEW_USERS_FOR_HALVES = (
        "too_few_users_for_halves",
        "one side has {users:user|users}; comparing halves takes {least} on each",
    )
    NOTHING_TO_COUNT = "nothing_to_count", "the {side} dialogues do not record it"
    HALVES_WITHOUT_COUNTS = "halves_without_counts", "it is recorded in too few dialogues"
    LENGTHS_DO_NOT_OVERLAP = (
        "lengths_do_not_overlap",
        "matching lengths leaves {users:user|users} on one side; at least {least} are needed on each",
    )
    NO_SHARED_SYSTEMS = (
        "no_shared_systems",
        "{shared:system|systems} met both real and simulated users; at least two are needed",
    )
    NO_OUTCOME_ON_BOTH_SIDES = "no_outcome_on_both_sides", "no outcome is defined for both real and simulated users"
    NO_AGENT_MADE_WORSE = (
        "no_agent_made_worse",
        "the simulated users met no agent together with sabotaged versions of it",
    )
    NOTHING_VARIED = "nothing_varied", "there is one version and one seed"
    TOO_FEW_LEVELS = "too_few_levels", "{levels} levels are too few for shares of variance; at least {least} are needed"
    SHARE_OF_RESAMPLES = "share_of_resamples", "a share of resamples has no interval of its own"
    FEW_SYSTEMS_NO_INTERVAL = "few_systems_no_interval", "with fewer than {least} systems there is only a p-value"
    NO_DIALOGUE_COULD_SHOW_IT = "no_dialogue_could_show_it", "no dialogue records what would show it"
    USERS_ASK_NO_MODEL = "users_ask_no_model", "these users ask no language model"
    USAGE_NOT_RECORDED = "usage_not_recorded", "the requests to the users' model were not recorded"
    ALL_SIMULATED_FAILED = (
        "all_simulated_failed",
        "all {dialogues} simulated dialogues failed before the user could speak",
    )

    ORDER_DEPENDS_ON_SIZE = (
        "order_depends_on_size",
        "at equal amounts of text the order is the opposite of that of the values shown, so neither is called better",
    )

    # Analyses of studies
    NOTHING_RATED_TWICE = "nothing_rated_twice", "nothing was rated by two people"
    NOTHING_JUDGED_TWICE = "nothing_judged_twice", "nothing was judged by two people"
    NO_SHARED_ITEMS = "no_shared_items", "no two raters share {items:item|items}"
    RATERS_USED_ONE_LABEL = "raters_used_one_label", "raters always gave the same label"
    MEAN_OF_RATER_PAIRS = "mean_of_rater_pairs", "the mean over {pairs:pair|pairs} of raters has no interval"
    NO_JUDGEMENTS_LEFT = "no_judgements_left", "no judgements are left to analyse"
    SIDE_NOT_RECORDED = "side_not_recorded", "which side was shown first was not recorded"
    NOT_TWO_CODERS = "not_two_coders", "kappa needs two coders, but there are {coders}"
    NO_SHARED_EXPLANATION = "no_shared_explanation", "the two coders share no explanation"
    NO_RATINGS_LEFT = "no_ratings_left", "no ratings are left to analyse"
    ONE_SYSTEM = "one_system", "there is only one system, {system}: nothing to compare"
    SYSTEM_WITHOUT_RATINGS_LEFT = "system_without_ratings_left", "not every system has ratings left"
    POSITION_NOT_RECORDED = "position_not_recorded", "it was not recorded for every rating"
    ONE_POSITION = "one_position", "everything was shown in the same position"
    TOO_MANY_POSITIONS = "too_many_positions", "there are {positions} different positions"
    RATER_NOT_KNOWN = "rater_not_known", "the raters are unknown"
    ONE_PERSON_RATED = "one_person_rated", "one person rated everything"
    ONE_RATING_EACH = "one_rating_each", "each person gave only one rating"
    TOO_FEW_RATERS = "too_few_raters", "{raters:rater is|raters are} too few to estimate how much people differ"
    RATERS_NESTED_IN_SYSTEMS = (
        "raters_nested_in_systems",
        "nobody rated both systems, so that raters who are more severe cannot be told from a worse system: let "
        "each rater rate both",
    )
    FEW_RATERS_OF_BOTH = (
        "few_raters_of_both",
        "only {raters:person|people} rated both systems, which says nothing of other people: at least three who "
        "rate everything, or six, are needed",
    )
    FEW_RATERS_PARTLY_CROSSED = (
        "few_raters_partly_crossed",
        "with fewer than six raters of both systems, or six dialogues of each, everybody has to rate everything",
    )
    TOO_FEW_ITEMS = "too_few_items", "there are only {items:item|items}"
    ONE_RATING_PER_ITEM = "one_rating_per_item", "most items have one rating"
    LEVEL_MET_ONE_SYSTEM = "level_met_one_system", "each {factor} met only one system"
    ONE_RATING_PER_CELL = "one_rating_per_cell", "most such pairs have one rating"
    NOTHING_JUDGED_TWICE_YET = "nothing_judged_twice_yet", "nothing was judged by two people yet"
    NOTHING_CODED_TWICE_YET = "nothing_coded_twice_yet", "nothing was coded by both coders yet"
    QUESTION_SKIPPED = "question_skipped", "skipped"
    MODEL_CHOSE_NONE = "model_chose_none", "the language model chose none of the options"
    MODEL_DID_NOT_ANSWER = "model_did_not_answer", "the language model did not answer ({kind})"
    NOTHING_RATED_BY_BOTH = "nothing_rated_by_both", "people and the language model rated nothing in common"

    # Files of runs and benchmarks
    LABEL_NOT_IN_FILE = "label_not_in_file", "the file has no label for it"
    PREDICTION_NOT_IN_RUN = "prediction_not_in_run", "the run has no prediction for it"

    # Boards of runs
    BOARD_MEASURE_DIFFERS = "board_measure_differs", "another measure: {own} instead of {others}"
    BOARD_UNIT_DIFFERS = "board_unit_differs", "another unit or direction: {own} instead of {others}"
    BOARD_LABELS_DIFFER = "board_labels_differ", "labels by {own:list} instead of {others:list}"
    BOARD_CALIBRATION_DIFFERS = (
        "board_calibration_differs",
        "only one of the two rests on a calibration fitted on other data",
    )
    BOARD_COUNTS_FAILURES = (
        "board_counts_failures",
        "its failed dialogues count as the worst value; those of the others are left out",
    )
    BOARD_LEAVES_FAILURES_OUT = (
        "board_leaves_failures_out",
        "its failed dialogues are left out; those of the others count as the worst value",
    )
    BOARD_SCALE_DIFFERS = "board_scale_differs", "another scale: {own} instead of {others}"
    BOARD_RATERS_DIFFER = "board_raters_differ", "rated by {own:list} instead of {others:list}"
    BOARD_EXCLUSIONS_DIFFER = "board_exclusions_differ", "its protocol excludes different dialogues"
    BOARD_BLOCKS_DIFFER = "board_blocks_differ", "its protocol blocks verdicts for different threats"
    BOARD_USERS_DIFFER = "board_users_differ", "other simulated users: {own} instead of {others}"
    BOARD_USER_MODELS_DIFFER = (
        "board_user_models_differ",
        "its users were played by {own:list} instead of {others:list}",
    )
    BOARD_POPULATION_UNKNOWN = (
        "board_population_unknown",
        "its run does not record which needs or situations it met; evaluate again with this version",
    )
    BOARD_KIND_DIFFERS = "board_kind_differs", "another kind of data: {own:list} instead of {others:list}"
    BOARD_RUN_COUNTS_DIFFER = (
        "board_run_counts_differ",
        "{own:run|runs} instead of {others}: run every version with the same seeds and prompts",
    )
    BOARD_SAMPLE_DIFFERS = (
        "board_sample_differs",
        "it did not meet the same needs or situations (it met {own:,}, the others {others:,}, not all of them "
        "the same)",
    )
    BOARD_ALONE = "board_alone", "no other row is comparable with it"
    BOARD_BLOCKED = "board_blocked", "a threat blocks every verdict about it"
    BOARD_UNDEFINED = "board_undefined", "it has no value: {cause}"
    BOARD_UNTESTED = "board_untested", "no difference from the others could be tested"
    BOARD_REPORTED = (
        "board_reported",
        "it was reported without its dialogues, so nothing can be recomputed; give the run folder to rank it",
    )
    BOARD_REPORTED_UNSIGNED = (
        "board_reported_unsigned",
        "it was reported without a signature, so what was measured on which data is unknown",
    )
    BOARD_REPORTED_DIFFERS = (
        "board_reported_differs",
        "its signature matches none of those ranked here, and it was reported without its dialogues",
    )
    BOARD_POOLED_DIFFERENTLY = "board_pooled_differently", "its runs did not measure the same thing"
    BOARD_POOLED_UNDEFINED = "board_pooled_undefined", "{runs} of its {of} runs have no value: {cause}"
    BOARD_NOT_IN_EVERY_RUN = "board_not_in_every_run", "{runs} of its {of} runs did not measure it"
    BOARD_SAME_DIALOGUES = "board_same_dialogues", "it holds the same dialogues as {run}, which counts once"
    BOARD_SAME_RUN = "board_same_run", "it is the same run as {run}, which counts once"
    BOARD_NOT_MEASURED = "board_not_measured", "it was not measured"
    BOARD_NO_BASELINE = "board_no_baseline", "it has no version {baseline} to compare it with"
    BOARD_NOT_REPORTED = "board_not_reported", "it was not reported"
    BOARD_NO_INTERVAL_REPORTED = "board_no_interval_reported", "no interval was reported"
    TOO_MANY_ROWS_TO_EXPLORE = (
        "too_many_rows_to_explore",
        "there are {rows:,} dialogues and replies; above {most:,}, it is written only on request",
    )
