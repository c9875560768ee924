"""Texts of all reasons. No other module words them.

A template is filled with the reason's facts by ``str.format`` with two more format specs: ``{n:reply|replies}`` gives a
number with its noun (``1 reply``, ``1,200 replies``), ``{names:list}`` the parts of a list with commas. ``{cause}`` is the
text of the reason behind it. Texts are parts of sentences: no capital at the start, no full stop at the end.
"""

from collections.abc import Mapping
from string import Formatter
from types import MappingProxyType
from typing import Any

from trialogue.records.reasons.codes import ReasonCode


class _Words(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec == "list":
            return ", ".join(map(str, value))
        if "|" in format_spec:
            one, many = format_spec.split("|")
            return f"{value:,} {one if value == 1 else many}"
        return str(super().format_field(value, format_spec))


_WORDS = _Words()


def text_of(code: ReasonCode, facts: Mapping[str, Any]) -> str:
    """Text of a reason with its facts (and the cause's text under ``cause``).

    >>> text_of(ReasonCode.TOO_FEW_RATERS, {"raters": 1})
    '1 rater is too few to estimate how much people differ'
    """
    return _WORDS.vformat(TEXTS[code], (), facts)


TEXTS: Mapping[ReasonCode, str] = MappingProxyType(
    {
        # Words of others: plug-ins, files of other tools, files of version 1
        ReasonCode.OTHER: "{text}",
        # Resampling and intervals
        ReasonCode.NO_DATA: "there are no data",
        ReasonCode.NO_DATA_OF_SIDE: "there are no data for {side}",
        ReasonCode.STATISTIC_UNDEFINED: "the statistic is undefined on these data",
        ReasonCode.STATISTIC_UNDEFINED_FOR_SIDE: "the statistic is undefined for {side}",
        ReasonCode.ONE_CLUSTER: "one cluster says nothing about the spread between clusters",
        ReasonCode.ONE_VALUE: "one value says nothing about the spread of others",
        ReasonCode.NO_RNG: "no interval was requested (no rng)",
        ReasonCode.RESAMPLES_UNDEFINED: "the statistic is undefined in {share:.0%} of the resamples",
        ReasonCode.RESAMPLES_ALL_EQUAL: (
            "all resamples give the same value: without variation there is no estimate of error"
        ),
        ReasonCode.UNDEFINED_WITHOUT_A_CLUSTER: "the statistic is undefined without one of the clusters",
        ReasonCode.BCA_UNDEFINED_WITHOUT_A_CLUSTER: (
            "the statistic is undefined without one of the clusters; use the percentile method"
        ),
        ReasonCode.BCA_ONE_SIDED: "all resamples lie on one side of the estimate; use the percentile method",
        ReasonCode.BCA_TOO_SKEWED: "the estimate is too skewed for the bias correction; use the percentile method",
        ReasonCode.CLUSTERS_ALL_EQUAL: (
            "leaving out any cluster changes nothing: without variation there is no estimate of error"
        ),
        ReasonCode.DIFFERENCES_ALL_EQUAL: (
            "the two sides differ by the same amount in every cluster: without variation there is no estimate of error"
        ),
        ReasonCode.NO_STANDARD_ERROR: "the standard error could not be computed",
        ReasonCode.CLUSTERS_SKEWED: (
            "a few extreme dialogues or people dominate the mean, so the interval may be too narrow"
        ),
        ReasonCode.TOO_FEW_CLUSTERS_TO_TEST: (
            "with so few dialogues or people no difference could be significant: at least {pairs} shared by "
            "both systems, or {group} of each system, are needed"
        ),
        ReasonCode.TOO_FEW_FOR_JACKKNIFE: (
            "an interval needs at least {needed} independent items, dialogues or people, got {clusters}"
        ),
        ReasonCode.INTERVAL_UNBOUNDED: "with so few dialogues or people the interval is unbounded",
        # Agreement between raters
        ReasonCode.NO_ITEM_RATED_TWICE: "no item has two ratings",
        ReasonCode.NO_ITEM_LABELLED_TWICE: "no item has two labels",
        ReasonCode.TOO_FEW_ITEMS_OR_RATERS: "at least two items and two raters are needed, got {items} and {raters}",
        ReasonCode.RATINGS_ALL_EQUAL: "all ratings have the same value, so no disagreement is expected by chance",
        ReasonCode.LABELS_ALL_EQUAL: "all labels are the same, so agreement by chance is already perfect",
        ReasonCode.RATERS_GAVE_ONE_LABEL: (
            "both raters always gave the same label, so agreement by chance is already perfect"
        ),
        ReasonCode.ONE_LABEL: "only one label occurs, so chance agreement cannot be estimated",
        ReasonCode.RATINGS_VARY_TOO_LITTLE: "the ratings do not vary as this coefficient requires",
        ReasonCode.RATERS_AGREE_PERFECTLY: "raters agree perfectly, so there is no estimate of error",
        ReasonCode.ZERO_STANDARD_ERROR: (
            "the standard error is zero: without disagreement there is no estimate of error"
        ),
        ReasonCode.NO_RATER_RATED_TWICE: "no rater rated two items, so rater effects cannot be separated from noise",
        ReasonCode.COMPONENT_AT_ZERO: "the variance component lies at its bound (zero), where it has no interval",
        ReasonCode.ONE_SIDE_UNRATED: "one side has no ratings",
        # Correlation, AUC, paired association
        ReasonCode.X_CONSTANT: "x never varies",
        ReasonCode.Y_CONSTANT: "y never varies",
        ReasonCode.X_AND_Y_CONSTANT: "x and y never vary",
        ReasonCode.TOO_FEW_PAIRS: "a correlation needs at least two pairs, got {n}",
        ReasonCode.TOO_FEW_PAIRS_FOR_INTERVAL: "an interval needs at least {least} pairs, got {n}",
        ReasonCode.PERFECT_CORRELATION: "the correlation is perfect: there is no estimate of error",
        ReasonCode.NO_TRUE_AND_FALSE_PAIR: "there is no pair of a positive and a negative unit",
        ReasonCode.NO_TRUE_AND_FALSE_PAIR_IN_GROUP: "there is no pair of a positive and a negative unit in any group",
        ReasonCode.TOO_FEW_FOR_DELONG: "DeLong's interval needs at least two positive and two negative units",
        ReasonCode.PERFECT_SEPARATION: "the scores separate the labels perfectly: there is no estimate of error",
        ReasonCode.NO_UNITS_WITH_BOTH_SCORES: "no unit has both scores and the target",
        ReasonCode.ONE_ASSOCIATION_UNDEFINED: (
            "one of the two is undefined: a score or the target never varies, or there is no pair of a "
            "positive and a negative unit"
        ),
        # Choices, votes, orders
        ReasonCode.ALL_TIES: "every judgement is a tie",
        ReasonCode.NO_DECISIVE_JUDGEMENT: "every judgement is a tie, or there are none",
        ReasonCode.WINS_BALANCE_LOSSES: "wins and losses balance in every cluster",
        ReasonCode.NO_BATTLES: "there are no pairwise votes",
        ReasonCode.ONE_RATER: "one rater says nothing about others",
        ReasonCode.TIES_ONLY: (
            "the outcome is trivial (only ties, for example), so the probability of a tie is unbounded; read the win rates, "
            "in which a tie is half a win"
        ),
        ReasonCode.STRENGTHS_UNBOUNDED: (
            "{names:list} never lost to or tied with any of the others (or never met them), so the strengths "
            "are unbounded; read the win rates, or collect more votes"
        ),
        ReasonCode.STRENGTHS_UNBOUNDED_IN_RESAMPLES: (
            "in {share:.0%} of the resamples the strengths are unbounded (a contestant never lost or never "
            "won, or all votes were ties); read the win rates, or collect more votes"
        ),
        ReasonCode.NO_ORDER: "a ranking needs at least two systems with values",
        ReasonCode.SYSTEMS_WITHOUT_VALUE: (
            "a ranking needs at least two systems with values; missing: number {places:list}"
        ),
        ReasonCode.RESAMPLES_LOSE_A_SYSTEM: "a system has no value in {share:.0%} of the resamples",
        ReasonCode.DUPLICATE_VOTES: "{votes:duplicate vote in the corpus was|duplicate votes in the corpus were} left out",
        # Models of ratings
        ReasonCode.MODEL_CONFOUNDED: (
            "the effect of {effect} cannot be separated from those of the others: they vary together in these data"
        ),
        ReasonCode.MODEL_LIKELIHOOD_UNDEFINED: "the likelihood could not be computed near its maximum",
        ReasonCode.MODEL_EFFECT_UNBOUNDED: (
            "an effect is unbounded: some level has only the lowest or only the highest ratings"
        ),
        ReasonCode.MODEL_NOT_CONVERGED: "the optimiser did not reach a maximum (largest slope {slope:.2g})",
        ReasonCode.MODEL_LIKELIHOOD_FLAT: "the likelihood is flat in some direction",
        ReasonCode.MODEL_NO_MAXIMUM: "the point found is not a maximum of the likelihood",
        ReasonCode.MODEL_COVARIANCE_SINGULAR: "the coefficients' covariance is singular",
        ReasonCode.MODEL_TOO_FEW_RATINGS: (
            "{ratings:rating is|ratings are} too few for {coefficients:coefficient|coefficients}"
        ),
        ReasonCode.MODEL_NO_RESIDUALS: (
            "the ratings do not vary beyond the fixed effects, so there is no estimate of error"
        ),
        ReasonCode.SPREAD_AT_ZERO: "it lies at its bound, where it has no interval",
        ReasonCode.TOO_FEW_PEOPLE: "at least two people must have judged two or more systems each, got {people}",
        ReasonCode.TOO_FEW_COMPLETE_PEOPLE: "fewer than two people judged every system",
        ReasonCode.SYSTEMS_JUDGED_ALIKE: "every person rated all systems alike",
        ReasonCode.SAME_ORDER: "every person has the same ranking: there is no estimate of error",
        ReasonCode.SYSTEMS_UNCONNECTED: "some groups of systems have no rater in common, so they are not connected",
        ReasonCode.NO_PERSON_PREFERS_ONE: "nobody rates one higher than the other",
        ReasonCode.NOBODY_JUDGED_BOTH: "nobody rated both",
        ReasonCode.PLAN_WITHOUT_DIFFERENCE: "no two systems differ in the plan",
        ReasonCode.PLAN_WITHOUT_NULL: "all systems differ in the plan",
        # Labels and strategies
        ReasonCode.NOTHING_TO_PREDICT: "there is nothing to predict",
        ReasonCode.CALIBRATION_ERROR_HAS_NO_INTERVAL: (
            "no interval: resampling would add the very error that it should measure"
        ),
        # What metrics leave out
        ReasonCode.NOTHING_TO_MEASURE: "there is nothing to measure",
        ReasonCode.LEFT_OUT_FOR_ONE_REASON: "{units:unit|units} left out because {cause}",
        ReasonCode.LEFT_OUT_FOR_SEVERAL_REASONS: "{units:unit|units} left out, {times} of them because {cause}",
        ReasonCode.NOT_A_DIALOGUE: "it applies to whole dialogues, and replies to situations are not dialogues",
        ReasonCode.FORMULA_WITHOUT_VALUE: "the formula has no value here (it would divide by zero)",
        ReasonCode.TOO_FEW_NEEDS: "it takes {least} different needs or more; given: {needs}",
        ReasonCode.TOO_FEW_CLUSTERS_FOR_DISTINCT: (
            "{clusters:cluster is|clusters are} too few for an interval of a count of distinct items"
        ),
        ReasonCode.REPLY_COUNTS_DIFFER: (
            "the systems have different numbers of replies ({a} and {b}), on which counts of distinct items depend"
        ),
        ReasonCode.LAPS_TOO_LONG: (
            "there is no n-gram, or there are more than 7,012 words, of which LAPS takes random cuts and a single pass "
            "cannot: see distinct@laps_all"
        ),
        ReasonCode.TOO_FEW_CLUSTERS_WITH_ERROR: "fewer than two clusters allow no estimate of its error",
        ReasonCode.NO_REFERENCE: "there is no reference reply",
        ReasonCode.REFERENCE_BLANK: "the reference is blank",
        ReasonCode.REPLY_EMPTY: "the reply is empty",
        ReasonCode.REPLY_EMPTY_NOT_COUNTED: "the reply is empty, and only replies that are not empty count",
        ReasonCode.REPLY_TOO_SHORT: "the reply has fewer words than an n-gram of {n}",
        ReasonCode.REPLY_TOO_FEW_TOKENS: "the reply has too few tokens to score",
        ReasonCode.REPLY_TOO_LONG: "the reply is longer than the {tokens:token|tokens} that the model can read",
        ReasonCode.TRAINED_ON: "the estimator was trained on it, and no weights were fitted without its system",
        ReasonCode.EARLIER_REPLIES_UNKNOWN: (
            "the system's earlier utterances are unknown: it answers a situation from another system's dialogue"
        ),
        ReasonCode.DIALOGUE_EMPTY: "the dialogue has no utterances",
        ReasonCode.SPEAKER_SILENT: "the {speaker} has no text in it",
        ReasonCode.ONE_SPEAKER_ONLY: "only one of the two parties speaks in it",
        ReasonCode.ENDING_NOT_RECORDED: "the reason why it ended was not recorded",
        ReasonCode.SYSTEM_FAILED: "the system failed in it, and the measure has no worst value to count instead",
        ReasonCode.OTHERS_FAILED: "it failed, but not because of the system ({ending}, caused by: {fault})",
        ReasonCode.LATENCY_NOT_MEASURED: "the system's response times were not measured",
        ReasonCode.NO_RATINGS_OF: "nobody rated its {question}",
        ReasonCode.STYLE_REFERENCE_MISSING: (
            "there is no reference: write ds_kl(reference=jmrs1), or the name of a file"
        ),
        ReasonCode.STYLE_NO_COMMON_ACT: "the dialogues and the reference have no user act in common",
        # Acts, items and outcomes
        ReasonCode.ACTS_MISSING: "the {speaker}'s utterances have no dialogue acts",
        ReasonCode.ACTS_OF_OTHER_SPACE: (
            "the {speaker}'s acts ({acts:list}) do not belong to the action space of KDD 2020"
        ),
        ReasonCode.NOTHING_ACCEPTED: "the user accepts no item in it",
        ReasonCode.ITEMS_ARE_SLOTS: "it has {slot} where titles should be, and no linker can find those; fill them in",
        ReasonCode.ITEMS_NOT_LINKED: "items were not linked in it; run the title linker",
        ReasonCode.ITEMS_NOT_LINKED_BY_SYSTEM: "items were not linked in the system's utterances; run the title linker",
        ReasonCode.ITEMS_NOT_LINKED_IN_DIALOGUE: "items were not linked in its utterances; run the title linker",
        ReasonCode.ITEMS_NOT_LINKED_IN_CONTEXT: "items were not linked in its context; run the title linker",
        ReasonCode.NO_ITEM_NAMED: "the system never names an item",
        ReasonCode.NO_NEW_ITEM_NAMED: "the system never names an item that was not named before",
        ReasonCode.NO_TITLE_PRESENTED: "it presents no title",
        ReasonCode.NO_FACT_STATED: "it states nothing of an item that the catalogue could confirm",
        ReasonCode.CATALOGUE_SIZE_UNKNOWN: "the size of the catalogue is not given: write coverage(size=...)",
        ReasonCode.NEED_UNKNOWN: "the user's need is unknown (no need in the dialogue)",
        ReasonCode.NEED_NOT_MET: "the system never names an item that meets the user's need",
        ReasonCode.NEED_NOT_RESOLVED: "the items named by the system were not looked up in the catalogue",
        ReasonCode.CATALOGUE_UNKNOWN: "it is unknown how many items the user's catalogue has",
        ReasonCode.NO_RANKING: "the system gives no ranking for it",
        ReasonCode.TARGETS_UNKNOWN: "the correct items are unknown (no targets)",
        ReasonCode.TARGETS_EMPTY: "no item was correct (targets are empty)",
        ReasonCode.TARGETS_ALL_MENTIONED: "every target was mentioned before",
        ReasonCode.OUTCOME_MISSING: (
            "the corpus records no outcome {level!r}; @satisfied reads the user's rating instead"
        ),
        ReasonCode.OPINIONS_NOT_ASKED: "its parties were not asked about the items in it",
        ReasonCode.QUESTIONNAIRE_NOT_FILLED_IN: "the user did not fill in the questionnaire",
        ReasonCode.LIKING_NOT_ANSWERED: "the user did not say whether they liked the suggested items",
        ReasonCode.SATISFACTION_NOT_RATED: "the user gave no rating named 'satisfaction'",
        ReasonCode.SATISFACTION_SCALE_UNKNOWN: "the scale of the rating 'satisfaction' is unknown (low and high)",
        # Alignment with human recommenders
        ReasonCode.NO_HUMAN_REFERENCE: "there is no reference: the human recommender's reply is unknown",
        ReasonCode.FIRST_TURN_LEFT_OUT: "the first turn of a conversation is left out (Eq. 2)",
        ReasonCode.LABELS_MISSING: "the {side} has no strategy labels",
        ReasonCode.LABEL_UNKNOWN: (
            "the {side} has the label {label!r}, which is not one of the 13 strategies; map it to one, or "
            "use taxonomy=any for another label set"
        ),
        ReasonCode.LABEL_MISSPELT: (
            "the {side} has the label {label!r}, which is not one of the 13 strategies (did you mean "
            "{near!r}?); map it to one, or use taxonomy=any for another label set"
        ),
        ReasonCode.REFERENCE_USES_NO_STRATEGY: "the reference uses none of the strategies (none=exclude)",
        ReasonCode.LABEL_SETS_DIFFER: (
            "the two sides use different label sets, {reference!r} and {reply!r}; map one to the other"
        ),
        ReasonCode.WEIGHT_MISSING: "the reference has no weight; run: trialogue align --weights-from DATA",
        ReasonCode.WEIGHT_INVALID: "the weight of the reference is not a positive number: {weight}",
        ReasonCode.BELIEF_MISSING: "one side has no strategy probabilities; run: trialogue strategies label",
        ReasonCode.BELIEFS_OF_DIFFERENT_MODELS: "the two sides were labelled by different models: {a!r} and {b!r}",
        ReasonCode.CALIBRATION_MISSING: "the model {model!r} has no fitted calibration for pairs",
        ReasonCode.CALIBRATIONS_DIFFER: (
            "the two sides use different calibrations of the model {model!r}, perhaps of two versions; label both again"
        ),
        ReasonCode.PAIR_BELIEF_MISSING: ("no pair classifier was run; to run one: trialogue align --pair-model FOLDER"),
        ReasonCode.JUDGE_UNCALIBRATED: "nothing calibrates {model}, so the interval ignores how inaccurate it may be",
        ReasonCode.CALIBRATION_ERROR_UNKNOWN: (
            "the calibration error of {model} is unknown and not in the interval, which is therefore too narrow"
        ),
        ReasonCode.CALIBRATION_ERROR_UNBOUNDED: (
            "the calibration error of {model} is unbounded and not in the interval, which is therefore too narrow"
        ),
        ReasonCode.CORPUS_TOO_FAR: (
            "the texts are from a different corpus than the calibration data of {model} ({unknown:.0%} of their words "
            "are unknown; usually at most {limit:.0%}), and its error there is unknown. Have 50 to 100 replies labelled"
        ),
        ReasonCode.ESTIMATE_CONTRADICTED: (
            "on {pairs} replies that {labellers} also labelled, the model's estimate is {estimate:.2f} and that of "
            "{labellers} {share:.2f}. Do not rely on implicit alignment here. Measures that do not "
            "depend on the model: implicit_alignment@ppi, with human labels of some pairs, and explicit "
            "alignment, with human labels of all"
        ),
        ReasonCode.ESTIMATE_AT_END_OF_SCALE: (
            "the implicit estimate is {value:.0f}, the end of the scale. Usually that means that the texts "
            "differ from those the model was calibrated on; have some labelled (--label-file)"
        ),
        ReasonCode.BASELINE_UNKNOWN_FOR_METRIC: ("baselines exist only for behavior_alignment and implicit_alignment"),
        ReasonCode.BASELINE_NEEDS_ALL_PAIRS: (
            "a pair classifier would have to compare every reference with every other one; "
            "implicit_alignment@emq has baselines"
        ),
        ReasonCode.BASELINE_LABELLED_BY_CHANCE: (
            "a baseline repeats what people said elsewhere, so only few of its pairs happen to be labelled "
            "on both sides; implicit_alignment@emq has baselines"
        ),
        ReasonCode.BASELINE_HAS_NO_BELIEFS: (
            "no reference has calibrated strategy probabilities; run: trialogue strategies label"
        ),
        ReasonCode.BASELINE_HAS_NO_REPLY: "no other dialogue has a reply that it could use",
        ReasonCode.NOTHING_SHARED: "they have no answered situation in common",
        ReasonCode.DIFFERENT_LANGUAGES: "they write in different languages",
        ReasonCode.BASELINE_ANSWERS_MORE: "a baseline answers all {situations:situation|situations}, this system fewer",
        # Differences, orders and distances between systems
        ReasonCode.NOT_COMPARED: "the two are not compared",
        ReasonCode.VALUE_MISSING_IN_RUN: "one of the runs has no value for it",
        ReasonCode.SCALES_DIFFER_BETWEEN_RUNS: "the scales differ: {before} before, {after} after",
        ReasonCode.PARTS_MISSING_IN_RUN: (
            "one of the runs does not store what the value is made of; evaluate again with this version"
        ),
        ReasonCode.COUNTS_OF_OTHER_SITUATIONS: (
            "the two answered different situations, and distinct words are stored for all of them together; evaluate both "
            "in one run"
        ),
        ReasonCode.INTERVAL_MISSING_IN_RUN: (
            "its value is not a mean over dialogues or replies, and one of the runs has no interval for it"
        ),
        ReasonCode.MIXTURE_TOO_FEW_CLUSTERS: "too few clusters, or resamples without a value",
        ReasonCode.MIXTURE_FORMULA_WITHOUT_VALUE: "the formula has no value here",
        ReasonCode.TOO_FEW_PAIRS_WITH_BOTH_SIDES: (
            "the metric is defined on both sides of only {pairs:pair|pairs} (needs {needs:list})"
        ),
        ReasonCode.MIX_EMPTY: "a mix is empty",
        ReasonCode.MIX_EMPTY_WITHOUT_A_CLUSTER: "a mix is empty without one of the clusters",
        ReasonCode.ONE_DIALOGUE_HAS_NO_HALVES: "a single dialogue cannot be split into halves",
        ReasonCode.MEAN_OF_SPLITS: "mean of {splits:random split|random splits}; no interval",
        ReasonCode.SYSTEMS_ALL_EQUAL: "all systems have the same value",
        ReasonCode.SYSTEM_MEANS_NOT_RESAMPLED: (
            "over 5% of the resamples have no value (a system has no units, for example), or all have the same value"
        ),
        ReasonCode.TOO_FEW_SYSTEMS_TO_ORDER: "a ranking of {systems:system|systems} is not informative",
        ReasonCode.TOO_FEW_SYSTEMS_TO_CONCLUDE: (
            "with {systems:system|systems} even identical rankings occur by chance with p = {p}; at least "
            "{least} are needed to conclude anything"
        ),
        ReasonCode.COLUMN_WITHOUT_ERROR: (
            "the error of one of the columns is unknown here: its values are treated as exact"
        ),
        # Agreement of measures with people
        ReasonCode.MEASURE_CONSTANT: "the measure never varies",
        ReasonCode.PEOPLE_CONSTANT: "people's ratings never vary",
        ReasonCode.MEASURE_AND_PEOPLE_CONSTANT: "neither the measure nor people's ratings vary",
        ReasonCode.TOO_MANY_CLUSTERS_FOR_KENDALL: (
            "not resampled with more than {most:,} clusters; Spearman's has an interval"
        ),
        ReasonCode.SIMPSON_WITH_PEOPLE_OVERALL: (
            "Simpson's paradox: it correlates positively with ratings over all units, but negatively within systems"
        ),
        ReasonCode.SIMPSON_AGAINST_PEOPLE_OVERALL: (
            "Simpson's paradox: it correlates positively with ratings within systems, but negatively over all units"
        ),
        ReasonCode.SEPARATES_SYSTEMS_ONLY: (
            "it distinguishes systems, but does not significantly identify the better of two dialogues of one system"
        ),
        ReasonCode.SEPARATES_DIALOGUES_ONLY: (
            "it identifies the better of two dialogues of one system, but does not agree significantly over all systems"
        ),
        ReasonCode.MEASURE_TOO_FEW_VALUES: "the measure has too few values",
        ReasonCode.ONE_RATING_PER_UNIT: "every unit has one rating (or an aggregate), so people's agreement is unknown",
        ReasonCode.NO_AGREEMENT_ABOVE_CHANCE: "people agree no better than chance, so no measure can agree with them",
        ReasonCode.NO_DECISIVE_VOTE_WITH_VALUES: "no decisive vote has values on both sides",
        ReasonCode.NO_PAIR_CHOSEN_TWICE: "no two people judged the same pair",
        # Judges that labels correct
        ReasonCode.TOO_FEW_LABELS: "{labels:label is|labels are} too few to correct a judge: at least {least} are needed",
        ReasonCode.STRATUM_TOO_FEW_LABELS: "one of its strata has fewer than two independent labels",
        ReasonCode.SYSTEMS_WITHOUT_ESTIMATE: "there is no estimate of {systems:list}",
        ReasonCode.NO_LABELS: "there are no labels by people",
        ReasonCode.JUDGE_RAW: "raw scores of a judge do not show its error; the corrected column does",
        ReasonCode.JUDGE_TOO_FEW_SCORES: "the judge scored {scores:unit|units}; at least {least} are needed",
        ReasonCode.CARD_TOO_FEW_LABELS: (
            "{labels:labelled dialogue is|labelled dialogues are} too few: at least {least} are needed"
        ),
        ReasonCode.CARD_TOO_FEW_SYSTEMS: "{systems:system is|systems are} too few: at least {least} are needed",
        ReasonCode.CARD_OTHER_SCALE: (
            "the judge's scores ({low:.2f} to {high:.2f}) are not on the labels' scale ({least:g} to {most:g})"
        ),
        ReasonCode.CARD_NO_FAMILY: "no system is declared to be of the judge's family",
        ReasonCode.CARD_ONE_SIDED_FAMILY: "labels are needed for systems inside and outside the judge's family",
        ReasonCode.CARD_NO_TEXTS: "neither the texts nor their lengths are known",
        ReasonCode.PROBE_TOO_FEW_CASES: "{cases:case is|cases are} too few for a probe: at least {least} are needed",
        # Answers of judges
        ReasonCode.JUDGE_UNREADABLE: "the judge's answer was not in the requested form",
        ReasonCode.JUDGE_OFF_SCALE: "the judge's answer is not a point of the scale",
        ReasonCode.JUDGE_NOT_APPLICABLE: "the judge said that it cannot be judged from what is shown",
        ReasonCode.JUDGE_REFUSED: "the judge refused to answer",
        ReasonCode.JUDGE_CUT: "the judge's answer was cut off ({finish_reason})",
        ReasonCode.JUDGE_NO_PROBABILITIES: "the endpoint gave no usable probabilities for the answer",
        ReasonCode.JUDGE_NOTHING_SHOWN: "there is no reply to judge",
        ReasonCode.JUDGE_NO_REFERENCE: "the rubric needs a reference that is not recorded",
        ReasonCode.JUDGE_PANEL_INCOMPLETE: "fewer than half of the {judges} judges gave a score",
        ReasonCode.DIALOGUE_FAILED: "the dialogue failed, but not because of the agent ({fault})",
        # Passports of simulated users
        ReasonCode.NO_REAL_USERS: "no dialogues of real users were given",
        ReasonCode.TOO_FEW_USERS_FOR_HALVES: "one side has {users:user|users}; comparing halves takes {least} on each",
        ReasonCode.NOTHING_TO_COUNT: "the {side} dialogues do not record it",
        ReasonCode.HALVES_WITHOUT_COUNTS: "it is recorded in too few dialogues",
        ReasonCode.LENGTHS_DO_NOT_OVERLAP: (
            "matching lengths leaves {users:user|users} on one side; at least {least} are needed on each"
        ),
        ReasonCode.NO_SHARED_SYSTEMS: "{shared:system|systems} met both real and simulated users; at least two are needed",
        ReasonCode.NO_OUTCOME_ON_BOTH_SIDES: "no outcome is defined for both real and simulated users",
        ReasonCode.NO_AGENT_MADE_WORSE: "the simulated users met no agent together with sabotaged versions of it",
        ReasonCode.NO_OUTCOME_OF_USERS: "these dialogues have no {measure}",
        ReasonCode.NOTHING_VARIED: "there is one version and one seed",
        ReasonCode.TOO_FEW_LEVELS: "{levels} levels are too few for shares of variance; at least {least} are needed",
        ReasonCode.SHARE_OF_RESAMPLES: "a share of resamples has no interval of its own",
        ReasonCode.FEW_SYSTEMS_NO_INTERVAL: "with fewer than {least} systems there is only a p-value",
        ReasonCode.NO_DIALOGUE_COULD_SHOW_IT: "no dialogue records what would show it",
        ReasonCode.USERS_ASK_NO_MODEL: "these users ask no language model",
        ReasonCode.USAGE_NOT_RECORDED: "the requests to the users' model were not recorded",
        ReasonCode.ALL_SIMULATED_FAILED: "all {dialogues} simulated dialogues failed before the user could speak",
        ReasonCode.ORDER_DEPENDS_ON_SIZE: (
            "at equal amounts of text the order is the opposite of that of the values shown, so neither is called better"
        ),
        # Analyses of studies
        ReasonCode.NOTHING_RATED_TWICE: "nothing was rated by two people",
        ReasonCode.NOTHING_JUDGED_TWICE: "nothing was judged by two people",
        ReasonCode.NO_SHARED_ITEMS: "no two raters share {items:item|items}",
        ReasonCode.RATERS_USED_ONE_LABEL: "raters always gave the same label",
        ReasonCode.MEAN_OF_RATER_PAIRS: "the mean over {pairs:pair|pairs} of raters has no interval",
        ReasonCode.NO_JUDGEMENTS_LEFT: "no judgements are left to analyse",
        ReasonCode.SIDE_NOT_RECORDED: "which side was shown first was not recorded",
        ReasonCode.NOT_TWO_CODERS: "kappa needs two coders, but there are {coders}",
        ReasonCode.NO_SHARED_EXPLANATION: "the two coders share no explanation",
        ReasonCode.NO_RATINGS_LEFT: "no ratings are left to analyse",
        ReasonCode.ONE_SYSTEM: "there is only one system, {system}: nothing to compare",
        ReasonCode.SYSTEM_WITHOUT_RATINGS_LEFT: "not every system has ratings left",
        ReasonCode.POSITION_NOT_RECORDED: "it was not recorded for every rating",
        ReasonCode.ONE_POSITION: "everything was shown in the same position",
        ReasonCode.TOO_MANY_POSITIONS: "there are {positions} different positions",
        ReasonCode.RATER_NOT_KNOWN: "the raters are unknown",
        ReasonCode.ONE_PERSON_RATED: "one person rated everything",
        ReasonCode.ONE_RATING_EACH: "each person gave only one rating",
        ReasonCode.TOO_FEW_RATERS: "{raters:rater is|raters are} too few to estimate how much people differ",
        ReasonCode.RATERS_NESTED_IN_SYSTEMS: (
            "nobody rated both systems, so that raters who are more severe cannot be told from a worse system: let each "
            "rater rate both"
        ),
        ReasonCode.FEW_RATERS_OF_BOTH: (
            "only {raters:person|people} rated both systems, which says nothing of other people: at least three who rate "
            "everything, or six, are needed"
        ),
        ReasonCode.FEW_RATERS_PARTLY_CROSSED: (
            "with fewer than six raters of both systems, or six dialogues of each, everybody has to rate everything"
        ),
        ReasonCode.TOO_FEW_ITEMS: "there are only {items:item|items}",
        ReasonCode.ONE_RATING_PER_ITEM: "most items have one rating",
        ReasonCode.LEVEL_MET_ONE_SYSTEM: "each {factor} met only one system",
        ReasonCode.ONE_RATING_PER_CELL: "most such pairs have one rating",
        ReasonCode.NOTHING_JUDGED_TWICE_YET: "nothing was judged by two people yet",
        ReasonCode.NOTHING_CODED_TWICE_YET: "nothing was coded by both coders yet",
        ReasonCode.QUESTION_SKIPPED: "skipped",
        ReasonCode.MODEL_CHOSE_NONE: "the language model chose none of the options",
        ReasonCode.MODEL_DID_NOT_ANSWER: "the language model did not answer ({kind})",
        ReasonCode.NOTHING_RATED_BY_BOTH: "people and the language model rated nothing in common",
        # Files of runs and benchmarks
        ReasonCode.LABEL_NOT_IN_FILE: "the file has no label for it",
        ReasonCode.PREDICTION_NOT_IN_RUN: "the run has no prediction for it",
        # Boards of runs
        ReasonCode.BOARD_MEASURE_DIFFERS: "another measure: {own} instead of {others}",
        ReasonCode.BOARD_UNIT_DIFFERS: "another unit or direction: {own} instead of {others}",
        ReasonCode.BOARD_LABELS_DIFFER: "labels by {own:list} instead of {others:list}",
        ReasonCode.BOARD_CALIBRATION_DIFFERS: "only one of the two rests on a calibration fitted on other data",
        ReasonCode.BOARD_COUNTS_FAILURES: "its failed dialogues count as the worst value; those of the others are left out",
        ReasonCode.BOARD_LEAVES_FAILURES_OUT: (
            "its failed dialogues are left out; those of the others count as the worst value"
        ),
        ReasonCode.BOARD_SCALE_DIFFERS: "another scale: {own} instead of {others}",
        ReasonCode.BOARD_RATERS_DIFFER: "rated by {own:list} instead of {others:list}",
        ReasonCode.BOARD_EXCLUSIONS_DIFFER: "its protocol excludes different dialogues",
        ReasonCode.BOARD_BLOCKS_DIFFER: "its protocol blocks verdicts for different threats",
        ReasonCode.BOARD_USERS_DIFFER: "other simulated users: {own} instead of {others}",
        ReasonCode.BOARD_USER_MODELS_DIFFER: "its users were played by {own:list} instead of {others:list}",
        ReasonCode.BOARD_POPULATION_UNKNOWN: (
            "its run does not record which needs or situations it met; evaluate again with this version"
        ),
        ReasonCode.BOARD_KIND_DIFFERS: "another kind of data: {own:list} instead of {others:list}",
        ReasonCode.BOARD_RUN_COUNTS_DIFFER: (
            "{own:run|runs} instead of {others}: run every version with the same seeds and prompts"
        ),
        ReasonCode.BOARD_SAMPLE_DIFFERS: (
            "it did not meet the same needs or situations (it met {own:,}, the others {others:,}, not all of them the same)"
        ),
        ReasonCode.BOARD_ALONE: "no other row is comparable with it",
        ReasonCode.BOARD_BLOCKED: "a threat blocks every verdict about it",
        ReasonCode.BOARD_UNDEFINED: "it has no value: {cause}",
        ReasonCode.BOARD_UNTESTED: "no difference from the others could be tested",
        ReasonCode.BOARD_REPORTED: (
            "it was reported without its dialogues, so nothing can be recomputed; give the run folder to rank it"
        ),
        ReasonCode.BOARD_REPORTED_UNSIGNED: (
            "it was reported without a signature, so what was measured on which data is unknown"
        ),
        ReasonCode.BOARD_REPORTED_DIFFERS: (
            "its signature matches none of those ranked here, and it was reported without its dialogues"
        ),
        ReasonCode.BOARD_POOLED_DIFFERENTLY: "its runs did not measure the same thing",
        ReasonCode.BOARD_POOLED_UNDEFINED: "{runs} of its {of} runs have no value: {cause}",
        ReasonCode.BOARD_NOT_IN_EVERY_RUN: "{runs} of its {of} runs did not measure it",
        ReasonCode.BOARD_SAME_DIALOGUES: "it holds the same dialogues as {run}, which counts once",
        ReasonCode.BOARD_SAME_RUN: "it is the same run as {run}, which counts once",
        ReasonCode.BOARD_NOT_MEASURED: "it was not measured",
        ReasonCode.BOARD_NO_BASELINE: "it has no version {baseline} to compare it with",
        ReasonCode.BOARD_NOT_REPORTED: "it was not reported",
        ReasonCode.BOARD_NO_INTERVAL_REPORTED: "no interval was reported",
        ReasonCode.TOO_MANY_ROWS_TO_EXPLORE: (
            "there are {rows:,} dialogues and replies; above {most:,}, it is written only on request"
        ),
    }
)
