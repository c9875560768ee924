"""Card of distinct-n: the formulas of one name, and their known validity."""

from trialogue.records import Card, FailurePolicy, TextUse, Variant

LAPS_BUDGET = 7_012  # tokens that LAPS truncates to, so that systems of different verbosity are compared at one length
LAPS_SEED = 42  # of the shuffles, in LAPS' code
MESE_LONGEST = 100  # words from which on MESE's code leaves a reply out of the numerator
BERT_VOCABULARY = 30_522  # words of bert-base-uncased, the size that the authors of EAD take

CARD = Card(
    name="distinct",
    title="Distinct-n",
    summary="How varied the wording of replies is: distinct n-grams over all n-grams, or per reply.",
    unit="share of n-grams, or n-grams per reply",
    low=0,
    better="higher",
    level="response",
    text=TextUse(unit="word"),
    failed=FailurePolicy.AS_IS,
    variants={
        "ratio": Variant(
            summary="Distinct word n-grams over all word n-grams of a system's replies together; words between white space, "
            "case and punctuation kept.",
            source="Li et al. (NAACL 2016); C2-CRS.",
        ),
        "per_response": Variant(
            summary="Distinct word n-grams of a system over its replies that are not blank; words between white "
            "space, case and punctuation kept. Not a share: more words give a higher value.",
            source="UniCRS, evaluate_conv.py, ConvEvaluator.report; KGSF, distinct_metrics. "
            "KBRD does the same without each reply's first token.",
        ),
        "ratio_marks": Variant(
            summary="As @ratio, for lower-cased words and individual punctuation marks.",
            source="Trialogue.",
        ),
        "per_response_marks": Variant(
            summary="As @per_response, for lower-cased words and individual punctuation marks; a blank reply counts as "
            "one. Lists of titles with years are full of punctuation, and users want lists: of all formulas "
            "here it predicts satisfaction best.",
            source="Trialogue: a trivial baseline (AUC .779 for satisfaction on CRSArena-Dial).",
        ),
        "chars": Variant(
            summary="Distinct character n-grams, spaces included, over replies that are not blank.",
            source="CRSLab, evaluator/standard.py and conv.py, gen_evaluate: a bug, reported in 2022 (issue 42). Words "
            "were intended.",
            text=TextUse(unit="character"),
        ),
        "laps": Variant(
            summary="Distinct over all word n-grams after lower-casing and deleting full stops and newlines; words between "
            f"spaces. For at most {LAPS_BUDGET:,} words per system: LAPS takes the mean over 100 shuffles of the replies, "
            "cut at that length, and up to it no shuffle changes anything. Beyond it, it is undefined here: see @laps_all, "
            "and laps_distinct for the shuffles.",
            source="LAPS, dialogue_evaluation/diversity/metrics.py, DistinctNgrams; CRSArena-Dial, tool/metrics.py. Version "
            "1 split at newlines and tabs as well.",
            version=2,
        ),
        "laps_all": Variant(
            summary="As @laps, over all n-grams of a system, however many words it has.",
            source="LAPS, dialogue_evaluation/diversity/metrics.py, calculate_distinct_n: without its cut.",
        ),
        "music_crs": Variant(
            summary="Distinct over all n-grams of lower-cased words between white space.",
            source="RecSys Challenge 2026 (Music-CRS), music-crs-evaluator, metrics_diversity.py.",
        ),
        "mese": Variant(
            summary="Distinct word n-grams over replies; lower case, punctuation deleted, each reply's first word "
            f"dropped; replies of {MESE_LONGEST} words or more count in the denominator only.",
            source="MESE (Yang et al., NAACL Findings 2022), its evaluation code.",
        ),
        "intra": Variant(
            summary="Distinct over all word n-grams within each reply, averaged over replies; words between white space.",
            source="Common practice ('intra-distinct'); Gu et al. (ICLR 2019), sec. 4.",
        ),
        "ead": Variant(
            summary="Distinct word n-grams over the number expected if each were drawn evenly from V^n, V being "
            "the parameter vocabulary: V^n (1 - (1 - 1/V^n)^C) for C n-grams. The paper covers n = 1; the power of "
            "n is ours.",
            source="Liu et al. (ACL 2022), 'Rethinking and Refining the Distinct Metric'.",
        ),
    },
    default="ratio",
    parameters={
        "n": "length of the n-grams, in words or characters (default 2)",
        "vocabulary": f"only for @ead: vocabulary size (default {BERT_VOCABULARY})",
    },
    caveats=(
        "One name, many numbers: the same 465 replies have DIST-2 .50, .53, 1.27 or 2.77 and DIST-4 .73, 2.45 or 6.69.",
        (
            "On 467 CRSArena-Eval dialogues the ratio has a rank correlation of .00 with the overall human rating and "
            "the number per response .41, because the second depends on the amount of text: compare it with "
            "length."
        ),
        (
            "@ratio falls with the amount of text, so values of systems with unequal amounts cannot be "
            "compared. Differences are computed at equal numbers of n-grams (rarefied), and may differ from "
            "the difference of the values."
        ),
        "@chars counts characters: four-character n-grams say nothing about words.",
        "Post-processing replies for 'lexical diversity' won a challenge that scored it.",
    ),
    citation="Li et al. (NAACL 2016), 'A Diversity-Promoting Objective Function for Neural Conversation Models'",
)
